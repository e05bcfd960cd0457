"""Closed boxes for 04.who_shares. Each takes query (h, q, d), key (g, k, d) and value (g, k, e)."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import alike, numbers, queries_keys_values
from exercise_bank.closing import closed

Box = Callable[[Tensor, Tensor, Tensor], Tensor]


def box(owner: Sequence[int], groups: int, *, scaled: bool = True, picks: bool = False) -> Box:
    """Return attention in which query head r uses key head owner[r], under an uninformative name.

    Args:
        owner: the number of the key head, for each query head.
        groups: number of key heads, used or not.
        scaled: whether scores are divided by the root of d.
        picks: whether heads are selected by a matrix of zeros and ones instead of their numbers.
    """

    def taken(query: Any, key: Any, value: Any) -> list[Tensor]:
        named = {"query": query, "key": key, "value": value}
        for name, x in named.items():
            wanted = len(owner) if name == "query" else groups
            if numbers(name, x, 3, wild=True).shape[0] != wanted:
                raise ValueError(f"{name} has other heads than the one that came with the box")
        one = [x[0] for x in named.values()]
        queries_keys_values(*one)  # raises an error if shapes do not fit
        return alike(**{name: numbers(name, x, None, wild=True) for name, x in named.items()})

    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        if picks:
            pick = torch.eye(groups, dtype=key.dtype)[list(owner)]
            key, value = (torch.tensordot(pick, x, dims=1) for x in (key, value))
        else:
            key, value = key[list(owner)], value[list(owner)]
        scores = query @ key.mT
        if scaled:
            scores = scores / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value

    made: Box = closed(attention, taken, name="attention", slopes=True)
    return made
