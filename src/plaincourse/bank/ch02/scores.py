"""Exercise 02.scores: the dot product of every query with every key."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch02.mistakes.scores import MISCONCEPTIONS
from plaincourse.bank.draws import normal, pair
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.scores import dot


def one_pair(g: Generator) -> list[Inputs]:
    return [pair(g, 1, 1, 1), pair(g, 1, 1, 3)]


def rows_and_columns(g: Generator) -> list[Inputs]:
    return [pair(g, 2, 2, 2), pair(g, 2, 3, 2), pair(g, 3, 3, 3), pair(g, 3, 2, 5)]


def leading_axes(g: Generator) -> list[Inputs]:
    return [
        pair(g, 1, 2, 2, (2,)),
        pair(g, 3, 3, 3, (3,)),
        pair(g, 2, 2, 2, (2, 2)),
        pair(g, 3, 4, 5, (2, 3)),
    ]


def awkward(g: Generator) -> list[Inputs]:
    return [
        pair(g, 4, 1, 1),
        pair(g, 7, 3, 7, (1,)),
        pair(g, 2, 5, 1, (3, 2)),
        pair(g, 3, 3, 3, (3, 3)),
        pair(g, 2, 3, 9, (2, 1, 3)),
        {"query": 1000 * normal(g, 2, 3), "key": 1000 * normal(g, 3, 3)},
    ]


def an_entry_is_a_dot_product(inputs: Inputs, scores: Tensor) -> str | None:
    """Say which entry is not the dot product of its query and its key."""
    query, key = inputs["query"], inputs["key"]
    expected = torch.einsum("...qd,...kd->...qk", query, key)
    if scores.shape != expected.shape:
        return None
    wrong = ((scores - expected).abs() > 1e-6 * (1 + expected.abs())).nonzero()
    if not len(wrong):
        return None
    place = tuple(wrong[0].tolist())
    where = f" of batch entry {list(place[:-2])}" if len(place) > 2 else ""
    return (
        f"query {place[-2]} and key {place[-1]}{where} have the dot product "
        f"{expected[place].item():.4g}; your entry {list(place)} is {scores[place].item():.4g}"
    )


def by_einsum(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", query, key)


def by_matmul(query: Tensor, key: Tensor) -> Tensor:
    return torch.matmul(query, key.mT)


def by_broadcasting(query: Tensor, key: Tensor) -> Tensor:
    return (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(dim=-1)


def by_columns(query: Tensor, key: Tensor) -> Tensor:
    columns = []
    for j in range(key.shape[-2]):
        columns.append((query * key[..., j : j + 1, :]).sum(dim=-1))
    return torch.stack(columns, dim=-1)


TASK = Exercise(
    id="02.scores",
    title="Score every pair",
    level="warm-up",
    minutes=5,
    concepts=("matrix-form", "shapes", "query-length", "implement-torch"),
    reference=dot,
    rungs=(
        Rung(
            name="one query and one key give their dot product",
            points=0.5,
            draw=one_pair,
            law=an_entry_is_a_dot_product,
        ),
        Rung(
            name="rows are queries, columns are keys",
            points=0.5,
            draw=rows_and_columns,
            law=an_entry_is_a_dot_product,
        ),
        Rung(
            name="any batch and head axes in front",
            points=0.5,
            draw=leading_axes,
            law=an_entry_is_a_dot_product,
        ),
        Rung(
            name="the whole, at awkward sizes",
            points=0.5,
            draw=awkward,
            law=an_entry_is_a_dot_product,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="einsum", answer=by_einsum),
        Alternative(name="matmul and mT", answer=by_matmul),
        Alternative(name="broadcasting", answer=by_broadcasting),
        Alternative(name="one key at a time", answer=by_columns),
    ),
    hints=(
        "With 2 queries and 3 keys, how many pairs are there, and which of them is entry [1, 2]?",
        "A matrix product takes rows of the left with columns of the right. Which of the two "
        "tensors must have its positions in columns?",
        "Axes in front must stay where they are, however many there are. From which end do you "
        "count the two that change places?",
    ),
    equivalents={
        "scores: line 2: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
    },
)
