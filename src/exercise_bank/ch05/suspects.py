"""Attention with rotary positions, once right and spoiled in six ways.

All take query (q, d), key (k, d), value (k, e) and the positions of queries (q,) and keys (k,).
"""

from collections.abc import Callable

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def rotate(x: Tensor, positions: Tensor, *, halves: bool = False) -> Tensor:
    """Turn planes of neighbours, or of components half the width apart."""
    d = x.shape[-1]
    exponent = torch.arange(0, d, 2, dtype=torch.float64) / d
    angles = positions.double()[:, None] * 10_000.0**-exponent
    cos, sin = angles.cos(), angles.sin()
    if halves:
        a, b = x[..., : d // 2], x[..., d // 2 :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)


def averaged(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend without positions."""
    return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1) @ value


def right(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn queries and keys."""
    return averaged(rotate(query, i), rotate(key, j), value)


def no_order(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn nothing."""
    return averaged(query, key, value)


def values(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn values, too."""
    return averaged(rotate(query, i), rotate(key, j), rotate(value, j))


def queries_only(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Leave keys as they are."""
    return averaged(rotate(query, i), key, value)


def backwards(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn keys to the right."""
    return averaged(rotate(query, i), rotate(key, -j), value)


def rows_counted(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Number the queries of the call from 0."""
    return averaged(rotate(query, torch.arange(len(query))), rotate(key, j), value)


def halves(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn halves instead of pairs."""
    return averaged(rotate(query, i, halves=True), rotate(key, j, halves=True), value)


BOXES: dict[str, Attention] = {
    "right": right,
    "no order": no_order,
    "values": values,
    "queries only": queries_only,
    "backwards": backwards,
    "rows counted": rows_counted,
    "halves": halves,
}


def closed(name: str) -> Attention:
    """Return one of the boxes under a name that says nothing."""
    inside = BOXES[name]

    def attention(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return inside(query, key, value, i, j)

    return attention
