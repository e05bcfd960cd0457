"""Exercise 04.to_groups: key or value matrices of a finished layer, averaged within groups."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch04.mistakes.to_groups import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, m: int, h: int, d: int, groups: int) -> Inputs:
    return {"w": normal(g, m, h * d), "n_heads": h, "n_kv_heads": groups}


def one_group(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, 1, 1), draw(g, 3, 3, 2, 1)]


def two_groups(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 4, 1, 2), draw(g, 3, 4, 2, 2), draw(g, 5, 6, 1, 2)]


def nothing_to_do(g: Generator) -> list[Inputs]:
    return [draw(g, 4, 2, 2, 2), draw(g, 2, 6, 3, 3)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 7, 6, 5, 2), draw(g, 12, 6, 2, 3), draw(g, 4, 8, 3, 2), draw(g, 5, 9, 1, 3)]


def narrower(inputs: Inputs, w: Tensor) -> str | None:
    """Say that the matrix has the wrong shape."""
    m, width = inputs["w"].shape
    wanted = (m, width // inputs["n_heads"] * inputs["n_kv_heads"])
    if w.shape != wanted:
        return f"g heads of width d make a matrix (m, g·d) = {wanted}; yours is {tuple(w.shape)}"
    return None


def to_groups(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    return w.reshape(m, n_kv_heads, n_heads // n_kv_heads, d).mean(dim=2).flatten(1)


def by_loops(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    heads = w.chunk(n_heads, dim=1)
    size = n_heads // n_kv_heads
    groups = [heads[j * size : (j + 1) * size] for j in range(n_kv_heads)]
    return torch.cat([torch.stack(group).sum(dim=0) / size for group in groups], dim=1)


def by_a_product(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    d, size = w.shape[1] // n_heads, n_heads // n_kv_heads
    p = torch.zeros(n_heads * d, n_kv_heads * d, dtype=w.dtype)
    for r in range(n_heads):
        for c in range(d):
            p[r * d + c, r // size * d + c] = 1 / size
    return w @ p


TASK = Exercise(
    id="04.to_groups",
    title="From many key heads to a few",
    level="medium",
    minutes=12,
    concepts=("grouped-query-attention", "multi-query-attention", "fused-projections"),
    reference=to_groups,
    rungs=(
        Rung(name="one group: the mean of all heads", points=1.0, draw=one_group, law=narrower),
        Rung(name="two groups of neighbours", points=1.0, draw=two_groups, law=narrower),
        Rung(
            name="groups of one or two, of several components",
            points=1.0,
            draw=nothing_to_do,
            law=narrower,
        ),
        Rung(name="any numbers of heads and groups", points=1.0, draw=awkward, law=narrower),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="loops over groups", answer=by_loops),
        Alternative(name="a matrix product", answer=by_a_product),
    ),
    hints=(
        "With four heads and two groups, which heads are averaged? Remember who shares.",
        "Give the second axis three parts: which group, which head within it, which component.",
        "Over which of those three axes do you average, and how do you get back to two axes?",
    ),
    axes="m w",
)
