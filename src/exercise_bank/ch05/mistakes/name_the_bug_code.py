"""Tests for position bugs that overlook one, or confuse two."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def turned(x: Tensor, positions: Tensor) -> Tensor:
    d = x.shape[-1]
    angles = positions[:, None] * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = [a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()]
    return torch.stack(pairs, dim=-1).flatten(-2)


def known(query: Tensor, key: Tensor, value: Tensor, i: Tensor, j: Tensor) -> Tensor:
    scores = turned(query, i) @ turned(key, j).mT / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def look(attention: Attention, skip: str = "") -> str:
    """Test the laws in turn, leaving out one."""
    g = torch.Generator().manual_seed(3)
    query, key, value = torch.randn(3, 5, 6, generator=g, dtype=torch.float64)
    at = torch.arange(5)
    if skip == "offsets":
        at = torch.full((5,), 2)
    out, same = attention(query, key, value, at, at), value[:1].expand(5, 6)
    if skip != "values" and not torch.allclose(attention(query, key, same, at, at), same):
        return "values"
    renumbered = attention(query, key, value, at, at.flip(0))
    if torch.allclose(renumbered, out) and skip not in ("one side", "offsets"):
        other = attention(query, key, value, at.flip(0), at)
        return "no order" if torch.allclose(other, out) else "queries only"
    if skip == "one side" and torch.allclose(
        attention(query, key, value, 3 * at, 5 * at.flip(0)), out
    ):
        return "no order"
    if not torch.allclose(attention(query, key, value, at + 4, at + 4), out):
        return "backwards"
    if skip == "known" or torch.allclose(out, known(query, key, value, at, at)):
        return "right"
    return "halves"


def always_right(attention: Attention) -> str:
    return "right"


def no_test_of_values(attention: Attention) -> str:
    return look(attention, skip="values")


def moved_only(attention: Attention) -> str:
    return look(attention, skip="one side")


def laws_are_enough(attention: Attention) -> str:
    return look(attention, skip="known")


def equal_positions(attention: Attention) -> str:
    return look(attention, skip="offsets")


def order_by_reordering(attention: Attention) -> str:
    g = torch.Generator().manual_seed(3)
    query, key, value = torch.randn(3, 5, 6, generator=g, dtype=torch.float64)
    at, mix = torch.arange(5), torch.tensor([3, 0, 4, 2, 1])
    out = attention(query, key, value, at, at)
    same = value[:1].expand(5, 6)
    if not torch.allclose(attention(query, key, same, at, at), same):
        return "values"
    moved = attention(query, key[mix], value[mix], at, at[mix])
    return "no order" if torch.allclose(moved, out) else look(attention)


def exactly_equal(attention: Attention) -> str:
    g = torch.Generator().manual_seed(3)
    query, key, value = torch.randn(3, 5, 6, generator=g, dtype=torch.float64)
    at, same = torch.arange(5), value[:1].expand(5, 6)
    if not torch.equal(attention(query, key, same, at, at), same):
        return "values"
    return look(attention)


def narrow_by_imitation(attention: Attention) -> str:
    g = torch.Generator().manual_seed(3)
    query, key, value = torch.randn(3, 4, 2, generator=g, dtype=torch.float64)
    at = torch.arange(4)
    out, scores = attention(query, key, value, at, at), query @ key.mT / 2**0.5
    if torch.allclose(out, known(query, key, value, at, at)):
        return "right"
    if torch.allclose(out, torch.softmax(scores, dim=-1) @ value):
        return "no order"
    if torch.allclose(out, known(query, key, value, at, 0 * at)):
        return "queries only"
    turned_values = known(query, key, turned(value, at), at, at)
    return "values" if torch.allclose(out, turned_values) else "backwards"


def renamed(attention: Attention, names: dict[str, str]) -> str:
    """Give these boxes the names of others."""
    name = look(attention)
    return names.get(name, name)


def renaming(names: dict[str, str]) -> Callable[[Attention], str]:
    """Return a test that gives these boxes the names of others."""
    return partial(renamed, names=names)
