"""Advice in errors of training, with calls that follow each part."""

import builtins
import contextlib
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from plainformer import train as train_line
from plainformer.models import Config, Decoder
from plainformer.training import (
    Batches,
    NextToken,
    Packed,
    Padded,
    Settings,
    SpanCorruption,
    Trainer,
    Windows,
    checkpoints,
)
from plainformer.training.interruption import Before, InterruptedStep
from plainformer.training.journal import TensorBoard
from plainformer.training.optimiser import AdamW
from plainformer.training.precision import Precision
from plainformer.training.processes import Alone
from tests.plainformer.hints.parts import place
from tests.plainformer.hints.rows import Hint

TEXT = np.arange(400) * 7 % 11


def batches_of(seed=0, text=TEXT):
    return Batches(source=Windows(text, 5), size=4, seed=seed)


def trainer(folder, *, text=TEXT, processes=None, held_out=None, **settings):
    torch.manual_seed(0)
    return Trainer(
        model=Decoder(Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2, context=8)),
        objective=NextToken(),
        batches=batches_of(text=text),
        held_out=held_out,
        folder=folder,
        settings=Settings(**{"steps": 2, "checkpoint": 1, **settings}),
        processes=processes,
        say=lambda line: None,
    )


def resumed(other=False, **changes):
    """Train, and resume in the same folder or in a different one, with changes."""
    folder = place()
    trainer(folder).run()
    return trainer(place() if other else folder, **changes).run()


def spoilt(count, way=None):
    """Damage checkpoints of a run, and resume in one of the ways."""
    folder = place()
    trainer(folder).run()
    files = sorted((folder / "checkpoints").glob("*.pt"))
    whole = files[-1].read_bytes()
    for file in files[len(files) - count :]:
        file.write_bytes(b"cut off")
    if way == "whole":
        files[-1].write_bytes(whole)
    if way == "away":
        for file in files:
            file.unlink()
    return trainer(place() if way == "elsewhere" else folder).run()


def read_spoilt(delete):
    folder = place()
    trainer(folder).run()
    newest = max((folder / "checkpoints").glob("*.pt"))
    newest.write_bytes(b"cut off")
    if delete:
        newest.unlink()
        found = checkpoints.newest(folder / "checkpoints")
        assert found is not None
        return trainer(folder).run()
    return checkpoints.load(newest)


def read_packed(source, scaling):
    """Call a model that was trained on two positions with documents of four and two tokens."""
    sizes = {"vocabulary": 11, "d_model": 8, "n_layers": 1, "n_heads": 2, "context": 8}
    model = Decoder(Config(**sizes, rotary_scaling=scaling, rotary_factor=2.0, rotary_context=2))
    rows = source([TEXT[:4], TEXT[4:6]], 6).rows([0])
    return NextToken().logits(model, NextToken().prepare(rows))


def interrupted(way):
    """Interrupt a step while the weights change, and continue with the trainer or a new one."""
    folder = place()
    run = trainer(folder)
    run.train_step()
    run.saver.save(run.step)
    half = mock.patch.object(Before, "take_back", side_effect=InterruptedStep("half"))
    comes = mock.patch.object(run.optimiser, "step", side_effect=KeyboardInterrupt)
    with half, comes, contextlib.suppress(KeyboardInterrupt):
        run.train_step()
    return (trainer(folder) if way == "anew" else run).train_step()


def slowly():
    """Train with a rate that is far too high, after a warm-up over all steps."""
    run = trainer(place(), rate=1e30, warmup=10**30, steps=10**30)
    for _ in range(4):
        run.train_step()


class Apart(Alone):
    """A process that receives a different process's folder."""

    def __init__(self, other):
        super().__init__()
        self.other = other

    def gather(self, value):
        theirs = value if self.other is None else self.other
        return [value, theirs] if isinstance(value, Path) or value is None else [value]


def shared(other):
    folder = place()
    trainer(folder).run()
    return trainer(folder, processes=Apart(other))


def board(installed):
    importing = builtins.__import__

    def missing(name, *rest):
        if name == "torch.utils.tensorboard" and not installed:
            raise ImportError(name)
        return importing(name, *rest)

    with mock.patch.object(builtins, "__import__", missing):
        return TensorBoard(place(), step=0)


def restored(way):
    layer = torch.nn.Linear(2, 2)
    theirs = torch.optim.AdamW(layer.parameters(), amsgrad=True)
    layer(torch.ones(1, 2)).sum().backward()
    theirs.step()
    state = theirs.state_dict()
    if way == "theirs":
        return torch.optim.AdamW(layer.parameters(), amsgrad=True).load_state_dict(state)
    ours = AdamW(layer.parameters(), rate=0.1)
    if way == "ours":
        ours.load_state_dict(state)
    return ours.step()


def cut(kind):
    rows = kind([np.arange(1, 4), np.arange(1, 4)], 8).rows([0])
    spans = SpanCorruption(sentinels=(7, 8, 9), end=10, padding=0)
    return spans.prepare(rows, [(0, 0, 0)])


FILE = "text.txt"


def sources(size, context):
    path = place() / FILE
    path.write_bytes(bytes(range(97, 107)) * (size // 10))
    words = ["--out", "x", "--data", str(path), "--context", str(context)]
    return train_line._sources(train_line.parser().parse_args(words), context + 1)


HINTS = [
    Hint(
        "give more text or a shorter --context",
        lambda: sources(20, 16),
        [lambda: sources(40, 16), lambda: sources(20, 8)],
    ),
    Hint(
        "resume with the same data and seed, or start in another folder",
        lambda: resumed(text=TEXT[1:]),
        [resumed, lambda: resumed(other=True, text=TEXT[1:])],
    ),
    Hint(
        "delete it to go on from the checkpoint before it",
        lambda: read_spoilt(delete=False),
        [lambda: read_spoilt(delete=True)],
    ),
    Hint(
        "give more data or a shorter context",
        lambda: Windows(TEXT[:4], 5),
        [lambda: Windows(TEXT[:5], 5), lambda: Windows(TEXT[:4], 4)],
    ),
    Hint(
        "use Padded, or rotary_scaling='ntk' in the model's configuration",
        lambda: read_packed(Packed, "dynamic"),
        [lambda: read_packed(Padded, "dynamic"), lambda: read_packed(Packed, "ntk")],
    ),
    Hint(
        "widen the rows, or pack",
        lambda: Padded([TEXT[:5]], 4),
        [lambda: Padded([TEXT[:5]], 5), lambda: Packed([TEXT[:5]], 4)],
    ),
    Hint(
        "tensorboard is not installed: run `pip install tensorboard`, or do without it",
        lambda: board(installed=False),
        [lambda: board(installed=True), lambda: trainer(place()).run()],
    ),
    Hint(
        "give held_out batches, or leave evaluate at 0",
        lambda: trainer(place(), evaluate=1),
        [
            lambda: trainer(place()),
            lambda: trainer(place(), evaluate=1, held_out=batches_of(seed=1)),
        ],
    ),
    Hint(
        "go on with torch.optim.AdamW, or without the state",
        lambda: restored("ours"),
        [lambda: restored("theirs"), lambda: restored("none")],
    ),
    Hint(
        "precision='float16' needs CUDA, not …: use bfloat16",
        lambda: Precision("float16", torch.device("cpu")),
        [lambda: trainer(place(), precision="bfloat16").run()],
    ),
    Hint(
        "the processes see different checkpoints …: share the folder",
        lambda: shared(Path("elsewhere")),
        [lambda: shared(None)],
    ),
    Hint(
        "resume with the same settings, start in another folder, or, to go on with other steps or "
        "another rate, prolong the run (--prolong, Settings(prolong=True))",
        lambda: resumed(steps=3),
        [
            resumed,
            lambda: resumed(other=True, steps=3),
            lambda: resumed(steps=3, prolong=True),
            lambda: resumed(steps=3, rate=0.01, prolong=True),
        ],
    ),
    Hint(
        "put a whole one there, or, to begin anew, take them away or name another folder",
        lambda: spoilt(2),
        [
            lambda: spoilt(2, "whole"),
            lambda: spoilt(2, "away"),
            lambda: spoilt(2, "elsewhere"),
        ],
    ),
    Hint(
        "some of which have taken it and others not: make a new model and a new Trainer of this "
        "folder",
        lambda: interrupted("on"),
        [lambda: interrupted("anew")],
    ),
    Hint(
        "lower the learning rate, warm up for longer, or, in float16, use bfloat16",
        lambda: trainer(place(), rate=1e30, steps=4).run(),
        [
            lambda: trainer(place(), rate=0.01, steps=4).run(),
            slowly,
            lambda: trainer(place(), precision="bfloat16").run(),
        ],
    ),
    Hint(
        "spans are cut from one document a row; pad instead",
        lambda: cut(Packed),
        [lambda: cut(Padded)],
    ),
]
