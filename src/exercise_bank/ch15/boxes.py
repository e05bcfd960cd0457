"""Stretched models in closed boxes: sound in several ways, or with a setting silently wrong.

A box takes a layer from 0 to 3, queries (n, 8) and keys (n, 8) of one head, and the sizes of the
chunks in which they arrive. It returns the scores (n, n), with -inf for later keys. Even layers
attend to the whole text and are stretched; odd ones have a window, and are as in training.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import LONGEST, alike, in_reach, numbers, whole, wholes
from exercise_bank.closing import closed

Box = Callable[[int, Tensor, Tensor, list[int]], Tensor]
FAULTS = ("none", "formula", "twice", "once", "every layer", "new length", "old keys")
SOUND = ("at once", "cached", "complex", "from 1000")
#: The box of the prompt, equal to the last bit; faulty boxes use the same code.
BY_THE_BOOK = "by the book"
WIDTH, FACTOR, ATTENTION_FACTOR = 8, 4.0, 1.2
PLAIN = (1.0, 0.1, 0.01, 0.001)
STRETCHED = (1.0, 0.0324, 0.0025, 0.00025)
FOR_1024 = (1.0, 0.062, 0.0027, 0.00025)


def box(kind: str) -> Box:
    """Return a box with a fault, or a sound one of its own kind, under an uninformative name."""

    def model(layer: int, query: Tensor, key: Tensor, sizes: list[int]) -> Tensor:
        return (_sound if kind in SOUND else _scores)(kind, layer, query, key, sizes)

    made: Box = closed(model, _taken, slopes=True)
    return made


def _taken(layer: Any, query: Any, key: Any, sizes: Any) -> list[Any]:
    layer, sizes = whole("layer", layer, 0, 3), wholes("sizes", sizes, 0, LONGEST)
    query, key = numbers("query", query, 2), numbers("key", key, 2)
    shape = (sum(sizes), WIDTH)
    if query.shape != shape or key.shape != shape:
        raise ValueError(
            f"the chunks {list(sizes)} have {shape[0]} tokens; expected queries and keys of "
            f"shape {shape}, got {tuple(query.shape)} and {tuple(key.shape)}"
        )
    in_reach(tokens=shape[0], least=0)
    return [layer, *alike(query=query, key=key), sizes]


def _scores(kind: str, layer: int, query: Tensor, key: Tensor, sizes: list[int]) -> Tensor:
    """Compute the scores as in the prompt, with a fault or without."""
    stretched = layer % 2 == 0 or kind == "every layer"
    frequencies = STRETCHED if stretched else PLAIN
    if kind == "new length" and stretched:
        frequencies = FOR_1024
    by_query = by_key = ATTENTION_FACTOR if stretched else 1.0
    if stretched and kind == "formula":
        by_query = by_key = 0.1 * math.log(FACTOR) + 1
    if stretched and kind == "twice":
        by_query, by_key = by_query**2, by_key**2
    if stretched and kind == "once":
        by_key = 1.0
    query = turned(query, frequencies) * by_query
    scores = query @ (turned(key, frequencies) * by_key).mT / math.sqrt(WIDTH)
    if kind == "old keys" and stretched:
        stale = query @ (turned(key, PLAIN) * by_key).mT / math.sqrt(WIDTH)
        first = next((size for size in sizes if size), 0)
        scores[first:, :first] = stale[first:, :first]
    return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)


def _sound(kind: str, layer: int, query: Tensor, key: Tensor, sizes: list[int]) -> Tensor:
    """Compute the same in float64: in chunks, with complex numbers, or from a later position."""
    frequencies, by = (STRETCHED, ATTENTION_FACTOR) if layer % 2 == 0 else (PLAIN, 1.0)
    n, start = len(query), 1000 if kind == "from 1000" else 0
    turn = turned_as_numbers if kind == "complex" else turned
    query, key = (by * turn(x.double(), frequencies, start, torch.float64) for x in (query, key))
    scores = query.new_full((n, n), -torch.inf)
    sizes = [n] if kind == "at once" else sizes
    for i, j in pairwise([0, *torch.tensor(sizes).cumsum(0).tolist()]):
        scores[i:j, :j] = query[i:j] @ key[:j].mT / math.sqrt(WIDTH)
    return scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)


def turned(
    x: Tensor, frequencies: tuple[float, ...], start: int = 0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Rotate components 2i and 2i + 1 of each row by its position times frequency i (n, 8)."""
    at = torch.arange(start, start + len(x))
    angles = at[:, None] * torch.tensor(frequencies, dtype=dtype)
    a, b = x[:, 0::2], x[:, 1::2]
    both = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack(both, dim=2).flatten(1)


def turned_as_numbers(
    x: Tensor, frequencies: tuple[float, ...], start: int, dtype: torch.dtype
) -> Tensor:
    """Do the same with complex numbers."""
    at = torch.arange(start, start + len(x))
    angles = at[:, None] * torch.tensor(frequencies, dtype=dtype)
    numbers = torch.view_as_complex(x.reshape(len(x), -1, 2).contiguous())
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), angles)).flatten(1)
