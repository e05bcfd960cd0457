"""Cached decoders in closed boxes: sound in several ways, or with one fault.

A decoder takes queries (n, d), keys (n, d) and values (n, e) of one head, the sizes of the chunks
in which they arrive, and a window or None, and returns the outputs (n, e). Each call starts with an
empty cache.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import MOST_NUMBERS, alike, in_reach, numbers, whole, wholes
from exercise_bank.closing import closed

Decoder = Callable[[Tensor, Tensor, Tensor, list[int], int | None], Tensor]
FAULTS = (
    "none",
    "first key",
    "top left",
    "stale pointer",
    "sees ahead",
    "window + 1",
    "drops early",
)
SOUND = ("at once", "appending", "one by one", "ring")


def box(kind: str) -> Decoder:
    """Return a decoder with a fault, or a sound one of a kind, under an uninformative name."""

    def decoder(
        query: Tensor, key: Tensor, value: Tensor, sizes: list[int], window: int | None = None
    ) -> Tensor:
        if kind == "at once":
            return seen(query, key, value, near(len(query), len(query), window))
        if kind == "one by one":
            sizes = [1] * len(query)
        if kind == "ring":
            return _ring(query, key, value, window)
        return _in_chunks(kind, query, key, value, sizes, window)

    made: Decoder = closed(decoder, _taken)
    return made


def _taken(query: Any, key: Any, value: Any, sizes: Any, window: Any = None) -> list[Any]:
    sizes = wholes("sizes", sizes, 0, 10_000)
    window = None if window is None else whole("window", window, 1, 10_000)
    named = {"query": query, "key": key, "value": value}
    query, key, value = (numbers(name, x, 2) for name, x in named.items())
    if query.shape[1] != key.shape[1]:
        raise ValueError(
            f"query has {query.shape[1]} features and key {key.shape[1]}: expected equally many"
        )
    if sum(sizes) != len(query) or len(key) != len(query) or len(value) != len(query):
        raise ValueError(
            f"the chunks {list(sizes)} have {sum(sizes)} tokens together; there are "
            f"{len(query)} queries, {len(key)} keys and {len(value)} values"
        )
    in_reach(tokens=len(query), least=0)
    features = {"features of a query": query.shape[1], "features of a value": value.shape[1]}
    in_reach(most=MOST_NUMBERS, **features)
    return [*alike(query=query, key=key, value=value), sizes, window]


def seen(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attend where the mask (q, k) is True; a row without a visible key gives zeros."""
    scores = query @ key.mT / query.shape[1] ** 0.5
    if not scores.numel():
        return value.new_zeros(len(query), value.shape[1])
    top = scores.masked_fill(~mask, scores.min().item()).amax(dim=1, keepdim=True)
    weights = torch.exp((scores - top).clamp_max(0.0)) * mask
    return weights @ value / weights.sum(dim=1, keepdim=True).clamp_min(1.0)


def near(q: int, k: int, window: int | None) -> Tensor:
    """Return the mask (q, k) by which the last q of k positions see a window up to themselves."""
    back = (torch.arange(k - q, k)[:, None] - torch.arange(k)).float()
    return (back >= 0) & (back < (torch.inf if window is None else window))


def _in_chunks(
    kind: str, query: Tensor, key: Tensor, value: Tensor, sizes: list[int], window: int | None
) -> Tensor:
    keys, values = key[:0], value[:0]
    outputs, pointer = [], 0
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    for start, end in pairwise(ends):
        n = end - start
        if kind == "stale pointer":
            rest = pointer + n
            keys = torch.cat([keys[:pointer], key[start:end], keys[rest:]])
            values = torch.cat([values[:pointer], value[start:end], values[rest:]])
            pointer += 1 if n else 0
        else:
            keys, values = torch.cat([keys, key[start:end]]), torch.cat([values, value[start:end]])
        if kind == "first key" and start == 0 < n:
            keys, values = keys.clone(), values.clone()
            keys[0] = values[0] = 0
        if kind == "drops early" and window:
            keys, values = keys[-window:], values[-window:]
        mask = _mask(kind, n, len(keys), window, first=start == 0)
        outputs.append(seen(query[start:end], keys, values, mask))
    return torch.cat(outputs) if outputs else value[:0]


def _mask(kind: str, q: int, k: int, window: int | None, *, first: bool) -> Tensor:
    if kind == "top left":
        return torch.ones(q, k, dtype=torch.bool).tril()
    if kind == "window + 1" and window:
        return near(q, k, window + 1)
    if kind == "sees ahead" and not first:
        back = (torch.arange(k - q, k)[:, None] - torch.arange(k)).float()
        return back < (torch.inf if window is None else window)
    return near(q, k, window)


def _ring(query: Tensor, key: Tensor, value: Tensor, window: int | None) -> Tensor:
    """Write each token over the oldest, and attend to all used places."""
    size = window or max(len(query), 1)
    keys, values = key.new_zeros(size, key.shape[1]), value.new_zeros(size, value.shape[1])
    outputs = []
    for t in range(len(query)):
        keys[t % size], values[t % size] = key[t], value[t]
        used = min(t + 1, size)
        everything = torch.ones(1, used, dtype=torch.bool)
        outputs.append(seen(query[t : t + 1], keys[:used], values[:used], everything))
    return torch.cat(outputs) if outputs else value[:0]
