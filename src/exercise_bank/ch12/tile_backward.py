"""Exercise 12.tile_backward: one tile's contribution to the gradients, with shared keys."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch12.mistakes.tile_backward import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.parts import parts
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

Three = tuple[Tensor, Tensor, Tensor]


def tile(
    g: Generator,
    h: int,
    q: int,
    k: int,
    d: int,
    e: int,
    *,
    outside: int = 0,
    edge: int | None = None,
    size: float = 1.0,
) -> Inputs:
    """Draw a tile of k keys, from rows that may have further keys outside.

    With an edge, row i sees the keys of the tile up to edge + i; all keys outside are visible, if
    there are any.
    """
    query, key = size * normal(g, h, q, d), normal(g, k + outside, d)
    value, d_output = normal(g, k + outside, e), normal(g, h, q, e)
    mask = torch.ones(q, k + outside, dtype=torch.bool)
    if edge is not None:
        mask[:, :k] = torch.ones(q, k, dtype=torch.bool).tril(edge)
    scores = (query @ key.mT / d**0.5).masked_fill(~mask, -torch.inf)
    output = torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value
    return {
        "query": query,
        "key": key[:k],
        "value": value[:k],
        "d_output": d_output,
        "lse": scores.logsumexp(dim=-1),
        "delta": (d_output * output).sum(dim=-1),
        "mask": mask[:, :k],
    }


def one_query(g: Generator) -> list[Inputs]:
    return [tile(g, 1, 1, 2, 1, 1), tile(g, 1, 1, 3, 2, 4)]


def several(g: Generator) -> list[Inputs]:
    return [*one_query(g), tile(g, 1, 3, 3, 3, 3), tile(g, 1, 4, 2, 3, 5), tile(g, 1, 2, 5, 4, 2)]


def shown() -> Inputs:
    """Make the example."""
    known = {"lse": math.log(4), "delta": 6.0}
    return {
        "query": torch.ones(1, 1, 1),
        "key": torch.tensor([[0.0], [math.log(2)]]),
        "value": torch.tensor([[8.0], [4.0]]),
        "d_output": torch.full((1, 1, 1), 2.0),
        **{name: torch.full((1, 1), number) for name, number in known.items()},
        "mask": torch.ones(1, 2, dtype=torch.bool),
    }


def part_of_a_row(g: Generator) -> list[Inputs]:
    return [
        tile(g, 1, 1, 1, 1, 1, outside=1),
        shown(),
        tile(g, 1, 1, 2, 2, 3, outside=3),
        tile(g, 1, 3, 3, 3, 3, outside=5),
        tile(g, 1, 2, 4, 5, 1, outside=2),
    ]


def masked(g: Generator) -> list[Inputs]:
    """Draw tiles of width d = 1, on which the scale does not matter."""
    return [
        tile(g, 1, 2, 2, 1, 1, edge=0),
        tile(g, 1, 3, 3, 1, 3, edge=0),
        tile(g, 1, 2, 5, 1, 4, edge=2, outside=3),
        tile(g, 1, 4, 3, 1, 2, edge=-1, outside=2),
    ]


def shared(g: Generator) -> list[Inputs]:
    """Draw tiles on which neither the scale nor the mask matters."""
    return [
        tile(g, 2, 1, 1, 1, 2, outside=1),
        tile(g, 3, 3, 3, 1, 3, outside=1),
        tile(g, 2, 3, 4, 1, 1, outside=2),
        tile(g, 4, 2, 3, 1, 4),
    ]


def whole(g: Generator) -> list[Inputs]:
    """Draw tiles for which everything matters, and each query has a visible key."""
    return [
        tile(g, 2, 2, 3, 2, 2, edge=0),
        tile(g, 3, 3, 4, 3, 2, edge=1, outside=2),
        tile(g, 2, 4, 3, 5, 3, edge=-1, outside=3),
    ]


def hard(g: Generator) -> list[Inputs]:
    return [
        tile(g, 1, 2, 3, 2, 2, outside=2, size=1000.0),
        tile(g, 1, 3, 2, 2, 3, edge=-1),
        tile(g, 1, 3, 3, 3, 3, edge=0, size=2000.0),
        tile(g, 2, 4, 3, 2, 3, edge=-2),
        tile(g, 3, 4, 2, 5, 3, edge=-1, outside=1, size=1000.0),
    ]


def tile_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    lse: Tensor,
    delta: Tensor,
    mask: Tensor,
) -> Three:
    """Return what the tile adds to dQ (h, q, d), dK (k, d) and dV (k, e)."""
    scale = query.shape[-1] ** -0.5
    scores = scale * query @ key.mT
    weights = torch.exp(scores - lse[..., None]).masked_fill(~mask, 0.0)
    d_weights = d_output @ value.mT
    d_scores = scale * weights * (d_weights - delta[..., None])
    d_key = (d_scores.mT @ query).sum(dim=0)
    return d_scores @ key, d_key, (weights.mT @ d_output).sum(dim=0)


def by_einsum(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    lse: Tensor,
    delta: Tensor,
    mask: Tensor,
) -> Three:
    scores = torch.einsum("hqd,kd->hqk", query, key) / query.shape[-1] ** 0.5
    weights = torch.where(mask, torch.exp(scores - lse.unsqueeze(-1)), 0.0)
    d_weights = torch.einsum("hqe,ke->hqk", d_output, value)
    d_scores = weights * (d_weights - delta.unsqueeze(-1)) / query.shape[-1] ** 0.5
    return (
        torch.einsum("hqk,kd->hqd", d_scores, key),
        torch.einsum("hqk,hqd->kd", d_scores, query),
        torch.einsum("hqk,hqe->ke", weights, d_output),
    )


def query_by_query(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    lse: Tensor,
    delta: Tensor,
    mask: Tensor,
) -> Three:
    d_query, d_key, d_value = map(torch.zeros_like, (query, key, value))
    h, q, d = query.shape
    for i in range(h):
        for j in range(q):
            for n in mask[j].nonzero()[:, 0].tolist():
                a = torch.exp(query[i, j] @ key[n] / d**0.5 - lse[i, j])
                s = a * (d_output[i, j] @ value[n] - delta[i, j]) / d**0.5
                d_value[n] += a * d_output[i, j]
                d_key[n] += s * query[i, j]
                d_query[i, j] += s * key[n]
    return d_query, d_key, d_value


def heads_as_rows(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    lse: Tensor,
    delta: Tensor,
    mask: Tensor,
) -> Three:
    h, q, d = query.shape
    rows, pulls = query.reshape(h * q, d) / d**0.5, d_output.reshape(h * q, -1)
    wall = torch.zeros(q, len(key)).masked_fill(~mask, -torch.inf).repeat(h, 1)
    known = torch.nan_to_num(lse.reshape(-1, 1), neginf=0.0)
    weights = torch.exp(rows @ key.T + wall - known)
    d_scores = weights * (pulls @ value.T - delta.reshape(-1, 1))
    d_query = (d_scores @ key / d**0.5).reshape(h, q, d)
    return d_query, d_scores.T @ rows, weights.T @ pulls


def right(inputs: Inputs) -> Three:
    return tile_backward(**inputs)


NAMES = ("dQ", "dK", "dV")
D_QUERY, D_KEY, D_VALUE = (parts(right, NAMES, i) for i in range(3))
ALL = parts(right, NAMES)


def beside(law: Law, other: Law, name: str) -> Law:
    """Make a law add that another gradient is right, if it is."""

    def both(inputs: Inputs, answer: Any) -> str | None:
        said = law(inputs, answer)
        return said and (said if other(inputs, answer) else f"{said}. Your {name} is right")

    return both


TILE = "gradients from a tile alone"

TASK = Exercise(
    id="12.tile_backward",
    title="One tile backward",
    level="medium",
    minutes=13,
    concepts=("flash-backward", "linear-memory"),
    reference=tile_backward,
    rungs=(
        rung("one head, all keys in the tile: dV", 0.75, several, D_VALUE, TILE),
        rung(
            "one head, all keys in the tile: dQ", 0.75, several, beside(D_QUERY, D_KEY, "dK"), TILE
        ),
        rung(
            "one head, all keys in the tile: dK", 0.75, several, beside(D_KEY, D_QUERY, "dQ"), TILE
        ),
        rung("the row has keys outside the tile", 1.0, part_of_a_row, ALL, TILE),
        rung("a mask in the tile, where d = 1", 1.0, masked, ALL, "a mask in the tile"),
        rung("several heads share the keys, where d = 1", 1.0, shared, ALL, "a sum over heads"),
        rung("several heads, a mask, keys outside", 1.0, whole, ALL, TILE),
        rung("large scores, and queries that see nothing", 0.75, hard, ALL),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by einsum", answer=by_einsum),
        Alternative(name="query by query", answer=query_by_query),
        Alternative(name="the heads as further rows", answer=heads_as_rows),
    ),
    hints=(
        "Start from the scores. What turns them into weights without a maximum and without a sum?",
        "Four steps: the weights A, then dA from d_output and the values, then dS from both and "
        "delta, then the three products. Which of them needs the root of d?",
        "A key is read by all heads and all queries of the tile, so what arrives at it is a sum "
        "over both. A query belongs to one head.",
    ),
    forbid=(
        "plainformer",
        "autograd",
        "backward",
        "grad",
        "jacobian",
        "vjp",
        "jacrev",
        "jacfwd",
        "func",
        "requires_grad",
        "requires_grad_",
    ),
    equivalents={
        "tile_backward: line 2: query becomes key in query.shape": "both have the width d",
    },
)
