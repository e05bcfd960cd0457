"""From the options of the command line to a model, an objective, and data."""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from plainformer.models import Config, Decoder, EncoderDecoder, MaskedLanguageModel
from plainformer.training.batches import Batches
from plainformer.training.corpus import Chain, Copies
from plainformer.training.data import Padded, Source, Windows, read_bytes
from plainformer.training.objectives import MaskedTokens, NextToken, Objective
from plainformer.training.settings import Settings
from plainformer.training.spans import SpanCorruption

BYTES = 256
SENTINELS = 32


@dataclass(frozen=True, kw_only=True)
class Task:
    """Hold what a training needs, and the lowest loss there can be.

    Args:
        build: makes the model.
        objective: what it is trained to do.
        batches: what it learns from.
        held_out: what it is evaluated on.
        floor: the lowest loss in nats, or None where it is not known.
    """

    build: Callable[[], nn.Module]
    objective: Objective
    batches: Batches
    held_out: Batches
    floor: float | None


def task_of(args: argparse.Namespace) -> Task:
    """Make what was asked for.

    Args:
        args: what :func:`plainformer.training.options.parser` has read.

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
    """Read the settings of the training.

    Args:
        args: what :func:`plainformer.training.options.parser` has read.

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
    """Say how good a loss is.

    Args:
        loss: in nats per byte, on held-out text.
        floor: the lowest there can be, or None where it is not known.
    """
    said = f"held-out loss {loss:.4f} nats ({loss / math.log(2):.4f} bits) per predicted byte"
    if floor is None:
        return said
    return f"{said}; the text's entropy is {floor:.4f}, so {loss - floor:+.4f} above the floor"


def _sources(
    args: argparse.Namespace, width: int
) -> tuple[Source, Source, Callable[[int], float] | None]:
    """Return what is learnt, what is held out, and the floor as a function of the context."""
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
