"""Draws of attention maps, and laws about them."""

import torch
from torch import Generator, Tensor

from exercise_bank.draws import more, spread


def causal(g: Generator, *shape: int) -> Tensor:
    """Draw causal weights, (..., n, n): each row sums to 1, and none is nearly uniform."""
    scores = spread(g, *shape)
    later = torch.ones(shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1)


def both_ways(g: Generator, *shape: int) -> Tensor:
    """Draw weights that also attend to later positions, (..., n, n)."""
    return spread(g, *shape).softmax(dim=-1)


def words(g: Generator, b: int, n: int, v: int) -> Tensor:
    """Draw word numbers (b, n), of v words."""
    return torch.randint(0, v, (b, n), generator=g)


def led_in(g: Generator, *rows: list[int]) -> list[list[int]]:
    """Return rows of words; hidden ones start with a few words that occur nowhere else."""
    count = more(g)
    return [[100 + i for i in range(count)] + row for row in rows]
