"""Rows for training: losses, objectives, data, the optimiser and the loop."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from plainformer.models import Config, Decoder
from plainformer.training import (
    Batches,
    MaskedTokens,
    NextToken,
    Packed,
    Padded,
    Settings,
    SpanCorruption,
    Trainer,
    Windows,
    summed_cross_entropy,
)
from plainformer.training.optimiser import AdamW, Schedule, adamw, adamw_step, clip
from plainformer.training.processes import Alone
from tests.plainformer.arguments.rows import Case, Other
from tests.plainformer.tensors import normal

LOGITS, TARGETS = normal(1, 3, 5, seed=0), torch.tensor([[1, 4, 2]])
TEXT = np.arange(400) * 7 % 11
DOCUMENTS = [np.arange(1, 1 + n) for n in (3, 5, 2, 4)]
ROWS = Padded(DOCUMENTS, 6, padding=0).rows(range(4))
KEYS = [(0, 0, i) for i in range(4)]
CONFIG = Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2, context=8, dropout=0.1)


def rows_of(kind):
    def result(**arguments):
        source = kind(**arguments)
        rows = source.rows(range(2))
        return len(source), rows.tokens, rows.lengths, rows.segments

    return result


def batches(**arguments):
    given = Batches(**arguments)
    return given.numbers(), given.numbers(), given.state_dict()


def prepared(kind):
    def result(**arguments):
        example = kind(**arguments).prepare(ROWS, KEYS)
        return example.inputs, example.targets, example.weights, example.source

    return result


def batches_of(seed=0, source=TEXT):
    return Batches(source=Windows(source, 5), size=4, seed=seed)


class Narrow(NextToken):
    """Count only the first half of the targets."""

    def prepare(self, rows, keys=()):
        example = super().prepare(rows, keys)
        example.weights[:, 2:] = 0
        return example


class Doubled(Alone):
    """A process that receives twice the actual amounts."""

    def sum(self, values):
        return 2 * super().sum(values)


def trained(model=CONFIG, folder="run", again=None, spoilt=False, **arguments):
    """Return the weights, the curves and the files of a short training."""
    said = []
    if "say" in arguments:
        arguments["say"] = said.append
    with tempfile.TemporaryDirectory() as there:
        home = Path(there) / folder
        given = {
            "objective": NextToken(),
            "batches": batches_of(),
            "settings": Settings(steps=4, rate=0.1),
            "say": lambda line: None,
            **arguments,
        }
        rows = [run(given, model, home, given["settings"])]
        if spoilt:
            max(home.glob("checkpoints/*.pt")).write_bytes(b"cut off")
        if again is not None:
            rows.append(run(given, model, home, again))
        files = sorted(str(p.relative_to(there)) for p in Path(there).rglob("*") if p.is_file())
        names = [file.rpartition("-")[0] if file.endswith(".pt") else file for file in files]
        curves = [p.read_text() for p in sorted(home.glob("evaluation.csv"))]
    return rows, [name for name in names if "events" not in name], len(names), curves, len(said)


def run(given, config, home, settings):
    """Return the step and the weights after a training, which may be resumed."""
    torch.manual_seed(0)
    trainer = Trainer(model=Decoder(config), folder=home, **{**given, "settings": settings})
    trainer.run()
    return trainer.step, [weight.detach().clone() for weight in trainer.bare.parameters()]


def with_settings(held_out=False, prolonged=None, **settings):
    more = {"held_out": batches_of(seed=3)} if held_out else {}
    again = Settings(**{**settings, **prolonged}) if prolonged else None
    return trained(settings=Settings(**settings), again=again, **more)


def stepped(**arguments):
    weight = normal(3, 2, seed=0)
    mean, square = normal(3, 2, seed=2) / 9, normal(3, 2, seed=3).square()
    given = {"weight": weight, "gradient": normal(3, 2, seed=1), "mean": mean, "square": square}
    return adamw_step(**{**given, **arguments})


def optimised(make, heavy=False):
    """Return the weights of a small layer after two steps."""

    def result(**arguments):
        layer = torch.nn.Linear(3, 2, dtype=torch.float64)
        for i, weight in enumerate(layer.parameters()):
            weight.data = normal(*weight.shape, seed=i)
        if arguments.pop(make, None) is not None:
            layer.bias = None
        what = layer if make == "model" else layer.parameters()
        optimiser = (adamw if make == "model" else AdamW)(what, **arguments)
        for seed in (5, 6):
            layer(normal(4, 3, seed=seed)).square().sum().backward()
            optimiser.step()
        return list(layer.parameters())

    return result


def clipped(parameters, longest):
    weights = [torch.nn.Parameter(normal(3, seed=seed)) for seed in parameters]
    for weight in weights:
        weight.grad = 2 * weight.detach()
    return clip(weights, longest), [weight.grad for weight in weights]


RATES = {"rate": 0.1, "decay": 0.0, "betas": (0.5, 0.6), "eps": 0.1}
TWICE = Settings(steps=4, rate=0.1, checkpoint=2)
SETTINGS = {"steps": 3, "rate": 0.1, "checkpoint": 1, "keep": 9, "evaluation_batches": 2}
CASES = [
    Case(
        summed_cross_entropy,
        {"logits": LOGITS, "targets": TARGETS, "weights": torch.ones(1, 3)},
        {
            "logits": 2 * LOGITS,
            "targets": TARGETS.flip(1),
            "weights": torch.tensor([[1.0, 0.0, 1.0]]),
            "smoothing": 0.1,
            "trusted": Other(
                False,
                "expected a token from 0 to 4",
                {"targets": TARGETS.masked_fill(TARGETS == 4, -100), "trusted": True},
            ),
        },
    ),
    Case(Windows, {"tokens": TEXT, "width": 5}, {"tokens": TEXT[1:], "width": 6}, rows_of(Windows)),
    *(
        Case(
            kind,
            {"documents": DOCUMENTS, "width": 6},
            {"documents": DOCUMENTS[1:], "width": 9, "padding": 8},
            rows_of(kind),
        )
        for kind in (Padded, Packed)
    ),
    Case(
        Batches,
        {"source": Windows(TEXT, 5), "size": 4},
        {
            "source": Windows(TEXT[:200], 5),
            "size": 6,
            "seed": 1,
            "rank": Other(1, beside={"world": 2}),
            "world": 2,
            "position": 4,
        },
        batches,
    ),
    Case(
        MaskedTokens,
        {"mask_token": 9, "vocabulary": 11, "share": 0.9},
        {"mask_token": 8, "vocabulary": 3, "share": 0.5, "kept": (1, 2, 3)},
        prepared(MaskedTokens),
    ),
    Case(
        SpanCorruption,
        {"sentinels": (7, 8, 9), "end": 10, "padding": 0, "share": 0.5},
        {"sentinels": (9, 8, 7), "end": 6, "padding": 11, "share": 0.2, "span": 1.0},
        prepared(SpanCorruption),
    ),
    Case(
        Schedule,
        {"peak": 0.1, "warmup": 2, "steps": 9},
        {"peak": 0.2, "warmup": 3, "steps": 8, "final": 0.5},
        lambda **arguments: [Schedule(**arguments)(step) for step in range(8)],
    ),
    Case(
        adamw_step,
        {"step": 2, "rate": 0.2},
        {
            "weight": normal(3, 2, seed=7),
            "gradient": normal(3, 2, seed=7),
            "mean": normal(3, 2, seed=7),
            "square": normal(3, 2, seed=7).square(),
            "step": 3,
            **RATES,
        },
        stepped,
    ),
    Case(AdamW, {"rate": 0.2}, {"parameters": 1, **RATES}, optimised("parameters")),
    Case(adamw, {"rate": 0.2}, {"model": 1, **RATES}, optimised("model")),
    Case(
        clip,
        {"parameters": (0, 1), "longest": 1.0},
        {"parameters": (0,), "longest": 0.5},
        clipped,
    ),
    Case(
        Trainer,
        {},
        {
            "model": replace(CONFIG, d_ff=5),
            "objective": Narrow(),
            "batches": batches_of(seed=1),
            "folder": "other",
            "settings": Settings(steps=3, rate=0.1),
            "processes": Doubled(),
            "held_out": batches_of(seed=3),
            "tensorboard": True,
            "say": Other(print, beside={"spoilt": True, "settings": TWICE, "again": TWICE}),
        },
        trained,
    ),
    Case(
        Settings,
        SETTINGS,
        {
            "steps": 2,
            "rate": 0.2,
            "warmup": 2,
            "final": 0.9,
            "accumulate": 2,
            "decay": 0.9,
            "clip": 1e-3,
            "smoothing": 0.3,
            "precision": "float64",
            "evaluate": Other(2, beside={"held_out": True}),
            "evaluation_batches": Other(1, beside={"held_out": True}),
            "checkpoint": 2,
            "keep": 1,
            "seed": 1,
            "prolong": Other(False, "steps was", {"prolonged": {"steps": 4}, "prolong": True}),
        },
        with_settings,
    ),
]
