"""Measure an entry, and compute its points.

Correctness earns no points: an entry that fails one of GATES gets none at all. Points are for the
loss at both lengths, the memory of the cache and the two speeds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plainformer.cache import LayerCache
from plainformer.lab.capstone.checks import (
    batch_changes_nothing,
    cache_changes_nothing,
    cached,
    causal,
    uncached,
)
from plainformer.lab.capstone.entry import Entry, Refused, configuration, read
from plainformer.lab.capstone.language import LONG, SHORT, floor, held_out, language
from plainformer.lab.capstone.timing import Answers, decode, paired, serve, served_right
from plainformer.models import Decoder

PLAIN = {"d_model": 64, "n_layers": 2, "n_heads": 4, "rotary_base": 100.0}
LEARNT = (0.6, 0.7)  # nats above the floor: full credit up to the first, none from the second
NEW_ALONE, NEW_SERVED = 64, 24
AT_ONCE = 32  # documents per batch
# The fact behind each part, and marks (value, points), by rising value. Between two marks points
# are interpolated, so a training run or a timing that varies slightly costs a fraction of a point.
# Speeds vary most and have the fewest points. With these marks the plain recipe gets about half of
# the points, and a good design nine tenths.
MARKS: dict[str, tuple[str, tuple[tuple[float, float], ...]]] = {
    "loss": ("excess", ((0.13, 10.0), (0.3, 5.5), (0.6, 1.5), (0.7, 0.0))),
    "beyond the trained length": ("excess_long", ((0.2, 9.0), (0.7, 5.0), (1.4, 0.0))),
    "memory of the cache": ("memory", ((0.08, 5.0), (0.25, 3.5), (0.5, 1.5), (1.0, 0.0))),
    "decode speed": ("decode", ((0.4, 0.0), (0.7, 1.1), (1.0, 1.7), (1.3, 2.0))),
    "served throughput": ("served", ((0.4, 0.0), (1.0, 1.5), (1.7, 2.0))),
}
PARTS = {name: max(dict(marks).values()) for name, (_, marks) in MARKS.items()}
# The conditions, and the message if one fails.
GATES = {
    "it looks back only": "a prediction depends on later words",
    "its cache changes nothing": "the cache changes the predictions: a lossless one may move the "
    "log-probability of each word by 0.001 nats, a quantised one by 0.1 in the mean",
    "nor does its batch": "a prompt in a batch gets another answer than alone",
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The points of an entry.

    Args:
        parts: points earned, by the names of PARTS.
        facts: measurements by name; see :func:`measure`.
        refused: the reason if an entry gets no points, or not all of them; else empty.
    """

    parts: dict[str, float]
    facts: dict[str, float] = field(default_factory=dict)
    refused: str = ""

    @property
    def score(self) -> float:
        """The total of the points."""
        return round(sum(self.parts.values()), 6)


def measure(
    data: object, *, seed: int, documents: int = 512, rounds: int = 5, timed: bool = True
) -> Measured:
    """Measure an entry.

    Args:
        data: see :func:`~plainformer.lab.capstone.entry.read`.
        seed: seed of the language and of all random draws. It must be the seed of the training
            text; the documents here differ from it.
        documents: number of short documents; there are a quarter of that number of long ones.
        rounds: number of timed pairs.
        timed: whether the two speeds are measured.

    Returns:
        Facts: ``excess`` and ``excess_long``, nats above the floor, with the entry's own cache;
        ``loss`` and ``floor`` for ``excess``; ``memory``, the cache's bytes at LONG positions
        divided by those of the plain model, and ``bytes``; ``decode`` and ``served``, speeds
        relative to the plain model; ``parameters``.

    Cost: half a minute on one core.
    """
    nothing = dict.fromkeys(PARTS, 0.0)
    try:
        entry = read(data)
        model = entry.build()
        with torch.inference_mode():
            return _measured(entry, model, seed, documents, rounds, timed)
    except Refused as refused:
        return Measured(parts=nothing, refused=str(refused))


def _measured(
    entry: Entry, model: Decoder, seed: int, documents: int, rounds: int, timed: bool
) -> Measured:
    facts: dict[str, float] = {"parameters": float(sum(w.numel() for w in model.parameters()))}
    short = held_out(seed, documents, SHORT)
    long = held_out(seed, max(4, documents // 4), LONG)
    through = _through(model, short, entry)
    facts["floor"] = floor(seed, short)
    facts["loss"] = -float(through.mean())
    facts["excess"] = facts["loss"] - facts["floor"]
    share = in_proportion(facts["excess"], ((LEARNT[0], 1.0), (LEARNT[1], 0.0)))
    said = ""
    if share < 1:
        less, nothing = LEARNT
        said = f"the loss is {facts['excess']:.2f} nats above the floor; " + (
            f"from {less} on everything counts for less, here for {share:.1%}"
            if share
            else f"from {nothing} on nothing counts: such a model has not learnt the language"
        )
    if not share:
        return Measured(parts=dict.fromkeys(PARTS, 0.0), facts=_numbers(facts), refused=said)
    through_long = _through(model, long, entry)
    without = torch.cat([uncached(model, part) for part in torch.split(long, AT_ONCE)])
    facts["excess_long"] = _beyond(-through_long, long, seed)
    facts |= memory(entry)
    prompts = [row[:n].tolist() for row, n in zip(long, (5, 23, 61), strict=False)]
    kind = str(entry.cache["kind"])
    holds = {
        "it looks back only": causal(model, short[:4]),
        "its cache changes nothing": cache_changes_nothing(without, through_long, kind=kind),
        "nor does its batch": _batched(model, prompts, entry.caches),
    }
    if failed := [f"{why} ({name!r} fails)" for name, why in GATES.items() if not holds[name]]:
        said = f"no points: {'; '.join(failed)}"
        return Measured(parts=dict.fromkeys(PARTS, 0.0), facts=_numbers(facts), refused=said)
    if timed:
        try:
            facts |= _speeds(entry, model, long, rounds)
        except Refused as refused:
            said = f"{said}; {refused}" if said else str(refused)
    parts = {
        name: round(share * in_proportion(facts.get(fact, math.nan), marks), 1)
        for name, (fact, marks) in MARKS.items()
    }
    return Measured(parts=parts, facts=_numbers(facts), refused=said)


def _through(model: Decoder, documents: Tensor, entry: Entry) -> Tensor:
    try:
        return torch.cat([
            cached(model, part, entry.caches(len(part), part.shape[1] - 1))
            for part in torch.split(documents, AT_ONCE)
        ])  # fmt: skip
    except (ValueError, RuntimeError) as error:
        raise Refused(f"cache: {error}") from error


def _batched(model: Decoder, prompts: list[list[int]], make: Any) -> bool:
    try:
        return batch_changes_nothing(model, prompts, make)
    except (ValueError, RuntimeError) as error:
        raise Refused(f"cache: a batch of unequal prompts fails: {error}") from error


def _beyond(losses: Tensor, documents: Tensor, seed: int) -> float:
    """Return the loss above the floor for the words after the trained length."""
    ballads = language(seed)
    floors = np.stack([ballads.surprisals(row)[1:] for row in documents.numpy()])
    return float((losses.numpy() - floors)[:, SHORT:].mean())


def memory(entry: Entry) -> dict[str, float]:
    """Return ``bytes`` of a cache at LONG positions, and ``memory``, relative to the plain model.

    Args:
        entry: the entry; its weights are not used.
    """
    plain = Entry(config=configuration(PLAIN), weights={}, cache={"kind": "contiguous"}, serving={})
    ours, theirs = (_bytes(each.config, each.caches) for each in (entry, plain))
    return {"bytes": float(ours), "memory": ours / theirs}


def _bytes(config: Any, make: Callable[..., list[LayerCache]]) -> int:
    """Return the bytes in the caches of one sequence after LONG positions."""
    heads = config.n_heads if config.n_kv_heads is None else config.n_kv_heads
    caches = make(1)
    one = torch.zeros(1, heads, 1, config.width_of_heads)
    for _ in range(LONG):
        for cache in caches:
            cache.append(one, one)
    return sum(cache.nbytes for cache in caches)


def _speeds(entry: Entry, model: Decoder, long: Tensor, rounds: int) -> dict[str, float]:
    torch.manual_seed(0)
    plain = Decoder(configuration(PLAIN)).eval()
    again = entry.build()
    prompt = long[0, :32].tolist()
    plainly = Entry(config=plain.config, weights={}, cache={"kind": "contiguous"}, serving={})
    alone = decode(again, prompt, entry.caches, new=NEW_ALONE)()
    decoded = paired(
        decode(model, prompt, entry.caches, new=NEW_ALONE),
        decode(plain, prompt, plainly.caches, new=NEW_ALONE),
        right=partial(_same, alone),
        rounds=rounds,
    )
    begin = long[0, :24].tolist()
    asked = [[*begin, *row[:16].tolist()] for row in long[1:4]] * 4
    asked += [row[: 16 + 2 * i].tolist() for i, row in enumerate(long[:12])]
    served = paired(
        serve(model, asked, dict(entry.serving), new=NEW_SERVED),
        serve(plain, asked, {}, new=NEW_SERVED),
        right=served_right(again, asked, NEW_SERVED),
        rounds=rounds,
    )
    return {"decode": decoded, "served": served}


def _same(wanted: Answers, answers: Answers) -> bool:
    return answers == wanted


def in_proportion(value: float, marks: Sequence[tuple[float, float]]) -> float:
    """Return the points of a value, interpolated between the marks; none for NaN.

    Args:
        value: the measured value.
        marks: values, rising, each with its points; beyond the last ones points are constant.

    >>> in_proportion(0.2, ((0.1, 8.0), (0.3, 4.0)))
    6.0
    """
    values, points = [mark[0] for mark in marks], [mark[1] for mark in marks]
    return 0.0 if math.isnan(value) else float(np.interp(value, values, points))


def _numbers(facts: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in facts.items()}
