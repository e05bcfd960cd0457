"""The command line of training: ``python -m plainformer.train --help``.

The options define a model, an objective and data, which are then used for training.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from plainformer.devices import device, named
from plainformer.lab.corpus import Chain, Copies
from plainformer.models import Config, Decoder, EncoderDecoder, MaskedLanguageModel, pretrained
from plainformer.training import states
from plainformer.training.batches import Batches
from plainformer.training.data import Padded, Source, Windows, read_bytes
from plainformer.training.loop import Trainer
from plainformer.training.losses import NonFiniteLoss
from plainformer.training.objectives import MaskedTokens, NextToken, Objective
from plainformer.training.options import parser
from plainformer.training.processes import Alone, Replicas, Shards, under_torchrun
from plainformer.training.settings import Settings
from plainformer.training.spans import SpanCorruption

INTERRUPTED = 130
BYTES = 256
SENTINELS = 32


@dataclass(frozen=True, kw_only=True)
class Task:
    """The parts of a training run, and the lowest loss that can be reached.

    Args:
        build: makes the model.
        objective: the training objective.
        batches: the training data.
        held_out: the evaluation data.
        floor: the lowest loss in nats, or None if it is unknown.
    """

    build: Callable[[], nn.Module]
    objective: Objective
    batches: Batches
    held_out: Batches
    floor: float | None


def task_of(args: argparse.Namespace) -> Task:
    """Make the task that the options describe.

    Args:
        args: the options, as read by :func:`plainformer.training.options.parser`.

    Raises:
        ValueError: a number is out of range, or the data cannot be read.
    """
    objective: Objective = NextToken()
    kind: Callable[[Config], nn.Module] = Decoder
    vocabulary, width = BYTES, args.context + 1
    if args.objective == "masked":
        objective = MaskedTokens(mask_token=BYTES, vocabulary=BYTES)
        kind, vocabulary, width = MaskedLanguageModel, BYTES + 1, args.context
    elif args.objective == "spans":
        special = range(BYTES, BYTES + SENTINELS)
        objective = SpanCorruption(
            sentinels=tuple(special), end=special.stop, padding=special.stop + 1
        )
        kind, vocabulary, width = EncoderDecoder, special.stop + 2, args.context - 1
    config = Config(
        vocabulary=vocabulary,
        d_model=args.width,
        n_layers=args.layers,
        n_heads=args.heads,
        n_kv_heads=args.kv_heads,
        context=args.context,
        positions=args.positions,
        norm=args.norm,
        feedforward=args.feedforward,
        attention=args.attention,
        dropout=args.dropout,
    )
    learnt, held_out, floor = _sources(args, width)
    return Task(
        build=lambda: kind(config),
        objective=objective,
        batches=Batches(source=learnt, size=args.batch, seed=args.seed),
        held_out=Batches(source=held_out, size=args.batch, seed=args.seed),
        floor=floor(args.context) if floor and args.objective == "next" else None,
    )


def settings_of(args: argparse.Namespace) -> Settings:
    """Return the settings that the options describe.

    Args:
        args: the options, as read by :func:`plainformer.training.options.parser`.

    Raises:
        ValueError: a number is out of range.
    """
    same = "steps rate final accumulate decay clip smoothing precision seed keep prolong".split()
    return Settings(
        **{name: getattr(args, name) for name in same},
        warmup=args.steps // 10 if args.warmup is None else args.warmup,
        evaluate=args.evaluate_every,
        checkpoint=args.checkpoint_every,
    )


def verdict(loss: float, floor: float | None) -> str:
    """Describe the quality of a loss in words.

    Args:
        loss: in nats per byte, on held-out text.
        floor: the lowest possible loss, or None if it is unknown.
    """
    said = f"held-out loss {loss:.4f} nats ({loss / math.log(2):.4f} bits) per predicted byte"
    if floor is None:
        return said
    return f"{said}; the text's entropy is {floor:.4f}, so {loss - floor:+.4f} above the floor"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; the command line of the process when left out.

    Returns:
        The exit code: 0 on success, 2 if refused or failed, 130 if interrupted.
    """
    args = parser().parse_args(argv)
    rank = int(os.environ.get("RANK", "0"))
    try:
        return _train(args, rank)
    except KeyboardInterrupt:
        print("stopped at once; the same command goes on from the last checkpoint", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, NonFiniteLoss) as error:
        who = f" (process {rank})" if rank else ""
        print(f"error{who}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _train(args: argparse.Namespace, rank: int) -> int:
    def say(line: str) -> None:
        if rank == 0:
            print(line, file=sys.stderr)

    task, settings = task_of(args), settings_of(args)
    where = device() if args.device is None else named(args.device)
    alone = not under_torchrun()
    processes = Alone(where) if alone else {"ddp": Replicas, "fsdp": Shards}[args.parallel](where)
    try:
        return _train_with(processes, task, settings, args, say)
    finally:
        processes.close()


def _train_with(
    processes: Alone,
    task: Task,
    settings: Settings,
    args: argparse.Namespace,
    say: Callable[[str], None],
) -> int:
    """Train, and release the model: a group of processes is closed when nothing uses it."""
    torch.manual_seed(settings.seed)
    trainer = Trainer(
        model=task.build(),
        objective=task.objective,
        batches=task.batches,
        folder=Path(args.out),
        settings=settings,
        processes=processes,
        held_out=task.held_out,
        tensorboard=args.tensorboard,
        say=say,
    )
    if trainer.step:
        say(f"going on from step {trainer.step} of {settings.steps}")
    if not trainer.run():
        say(f"stopped after step {trainer.step}; the same command goes on from there")
        return INTERRUPTED
    loss = trainer.evaluate()
    weights = states.model_state(trainer.model)
    if processes.rank == 0:
        model = task.build()
        states.load_model(model, weights)
        pretrained.save(model, args.out)
        print(verdict(loss, task.floor))
        print(f"saved: {args.out} (python -m plainformer.generate --model {args.out})")
    return 0


def _sources(
    args: argparse.Namespace, width: int
) -> tuple[Source, Source, Callable[[int], float] | None]:
    """Return the training data, the held-out data, and the floor as a function of the context."""
    if args.data is not None:
        text = read_bytes(args.data)
        cut = len(text) - max(len(text) // 10, width)
        if cut < width:
            raise ValueError(
                f"{args.data} has {len(text)} bytes: expected at least {2 * width}, a row of "
                f"{width} to learn and one to hold out; give more text or a shorter --context"
            )
        return Windows(text[:cut], width), Windows(text[cut:], width), None
    if not 2 <= args.letters <= 26:
        raise ValueError(f"letters={args.letters}: expected 2 to 26")
    alphabet = bytes(range(ord("a"), ord("a") + args.letters))
    chain = Chain(
        alphabet=alphabet, order=args.order, branch=args.branch, noise=args.noise, seed=args.seed
    )
    if args.corpus == "chain":
        text, rest = (chain.sample(args.corpus_bytes // n, seed=n) for n in (1, 4))
        return Windows(text, width), Windows(rest, width), chain.floor
    copies = Copies(chain, -(-width // 2))
    count = max(1, args.corpus_bytes // (2 * copies.half))
    learnt, unseen = copies.sample(count), copies.sample(max(1, count // 4), seed=1)
    sources = [Padded([row[:width] for row in rows], width) for rows in (learnt, unseen)]
    return sources[0], sources[1], copies.floor


if __name__ == "__main__":
    sys.exit(main())
