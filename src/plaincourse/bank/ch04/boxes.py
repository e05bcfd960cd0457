"""Closed boxes for 04.who_shares. Each takes query (h, q, d), key (g, k, d), value (g, k, e)."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Box = Callable[[Tensor, Tensor, Tensor], Tensor]


def answered(query: Tensor, key: Tensor, value: Tensor, owner: Sequence[int]) -> Tensor:
    """Attend, query head r with the key head that it is given."""
    scores = query @ key[list(owner)].mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value[list(owner)]


def box_a(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (0, 1))


def box_b(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (1, 0))


def box_c(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (0, 0, 1, 1))


def box_d(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (0, 1, 0, 1))


def box_e(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (1, 0, 0, 1))


def box_f(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (2, 0, 1, 1, 2, 0))


def box_g(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (1, 1, 1, 0, 2))


def box_h(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (2, 2, 0))


def box_i(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (3, 1, 2, 0, 3, 3, 1))


def box_j(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return answered(query, key, value, (1, 2, 0, 1))


#: How many query heads and key heads each box takes.
SIZES: dict[Box, tuple[int, int]] = {
    box_a: (2, 2),
    box_b: (2, 2),
    box_c: (4, 2),
    box_d: (4, 2),
    box_e: (4, 2),
    box_f: (6, 3),
    box_g: (5, 3),
    box_h: (3, 3),
    box_i: (7, 4),
    box_j: (4, 3),
}
