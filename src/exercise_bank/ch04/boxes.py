"""Closed boxes for 04.who_shares. Each takes query (h, q, d), key (g, k, d) and value (g, k, e)."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from plaincourse.checking.noticing import unwatched

Box = Callable[[Tensor, Tensor, Tensor], Tensor]


def box(owner: Sequence[int], *, scaled: bool = True) -> Box:
    """Return attention in which query head r uses key head owner[r]; its name says nothing.

    Args:
        owner: the number of the key head, for each query head.
        scaled: whether scores are divided by the root of d.
    """

    @unwatched
    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        if len(query) != len(owner):
            raise ValueError(f"the box has {len(owner)} query heads; the query has {len(query)}")
        dtype = torch.promote_types(torch.promote_types(query.dtype, key.dtype), value.dtype)
        query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
        scores = query @ key[list(owner)].mT
        if scaled:
            scores = scores / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value[list(owner)]

    return attention
