"""Attention with rotary positions: the right one, and five with a bug.

All take query (q, d), key (k, d), value (k, e) and the positions of queries (q,) and keys (k,).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import numbers, queries_keys_values
from exercise_bank.closing import closed as boxed

Attention = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def rotate(x: Tensor, positions: Tensor, *, halves: bool = False) -> Tensor:
    """Rotate planes of neighbours, or of components half the width apart."""
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
    even = value.shape[-1] // 2 * 2  # the last of an odd number of features has no partner
    turned = torch.cat([rotate(value[..., :even], j), value[..., even:]], dim=-1)
    return averaged(rotate(query, i), rotate(key, j), turned)


def queries_only(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Leave keys as they are."""
    return averaged(rotate(query, i), key, value)


def backwards(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn keys to the right."""
    return averaged(rotate(query, i), rotate(key, -j), value)


def halves(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Turn halves instead of pairs."""
    return averaged(rotate(query, i, halves=True), rotate(key, j, halves=True), value)


BOXES: dict[str, Attention] = {
    "right": right,
    "no order": no_order,
    "values": values,
    "queries only": queries_only,
    "backwards": backwards,
    "halves": halves,
}


def closed(name: str) -> Attention:
    """Return one of the boxes under an uninformative name."""
    inside = BOXES[name]

    def in_float64(query: Tensor, key: Tensor, value: Tensor, *positions: Tensor) -> Tensor:
        return inside(query.double(), key.double(), value.double(), *positions)

    attention: Attention = boxed(in_float64, _taken, name="attention", slopes=True)
    return attention


def _taken(query: Any, key: Any, value: Any, i: Any, j: Any) -> list[Tensor]:
    """Take query (..., q, d), key (..., k, d), value (..., k, e), and positions (q,) and (k,)."""
    query, key, value = queries_keys_values(query, key, value)
    if query.shape[-1] % 2:
        raise ValueError(f"query and key have {query.shape[-1]} features: expected an even number")
    positions = []
    for name, x, n in (("i", i, query.shape[-2]), ("j", j, key.shape[-2])):
        at = numbers(name, torch.as_tensor(x) if isinstance(x, (list, range)) else x, 1)
        if len(at) not in {1, n}:
            raise ValueError(f"{name} has {len(at)} positions: expected one for each of {n} rows")
        positions.append(at.detach().double().expand(n))
    return [query, key, value, *positions]
