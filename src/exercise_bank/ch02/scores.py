"""Exercise 02.scores: the dot product of every query with every key."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch02.mistakes.scores import MISCONCEPTIONS
from exercise_bank.ch02.mistakes.scores_more import MORE
from exercise_bank.draws import Shape, in_float32, pair
from exercise_bank.skills import in_proportion
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.scores import dot


def pairs(g: Generator, q: int, k: int, d: int, batch: Shape = ()) -> Inputs:
    return in_float32(pair(g, q, k, d, batch))


def width_1(g: Generator) -> list[Inputs]:
    """Draw one query and one key of width 1, in a batch of one, both above 0."""
    drawn = [pairs(g, 1, 1, 1, (1,)) for _ in range(3)]
    return [{name: 0.1 + x.abs() for name, x in inputs.items()} for inputs in drawn]


def keys_of_one_length(g: Generator) -> list[Inputs]:
    """Draw keys of length 1, which dot products, cosines and distances rank in the same order."""
    sizes = ((2, 3, 4, (2,)), (4, 5, 2, (3,)), (3, 4, 5, (2,)))
    return [
        {**each, "key": each["key"] / each["key"].norm(dim=-1, keepdim=True)}
        for each in (pairs(g, *size) for size in sizes)
    ]


def matrices(g: Generator) -> list[Inputs]:
    return [pairs(g, 2, 2, 2), pairs(g, 2, 3, 2), pairs(g, 3, 3, 3), pairs(g, 3, 2, 5)]


def one_axis_in_front(g: Generator) -> list[Inputs]:
    return [pairs(g, 3, 2, 2, (2,)), pairs(g, 2, 4, 3, (3,)), pairs(g, 1, 2, 5, (4,))]


def awkward(g: Generator) -> list[Inputs]:
    example = {
        "query": torch.tensor([[1.0, 0.0], [1.0, 1.0]]),
        "key": torch.tensor([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]),
    }
    sizes: tuple[tuple[int, int, int, Shape], ...] = (
        (4, 1, 1, ()), (7, 3, 7, (1,)), (2, 5, 1, (3, 2)), (2, 2, 2, (2, 2)), (3, 3, 3, (3, 3)),
        (2, 3, 9, (2, 1, 3)),
    )  # fmt: skip
    drawn = [pairs(g, *each) for each in sizes]
    loud = {name: 1000 * x for name, x in pair(g, 2, 3, 3).items()}
    return [example, *drawn, loud]


def an_entry_is_a_dot_product(
    inputs: Inputs, scores: Tensor, *, numbers: bool = False
) -> str | None:
    """Report an entry that is not the dot product of its query and key, with numbers if asked."""
    query, key = inputs["query"], inputs["key"]
    expected = torch.einsum("...qd,...kd->...qk", query, key)
    if scores.shape != expected.shape:
        return None
    wrong = ((scores - expected).abs() > 1e-5 * (1 + expected.abs())).nonzero()
    if not len(wrong):
        return None
    place = tuple(wrong[0].tolist())
    where = f" of batch entry {list(place[:-2])}" if len(place) > 2 else ""
    pair = f"query {place[-2]} and key {place[-1]}{where}"
    if not numbers:
        return f"your entry {list(place)} is not the dot product of {pair}"
    return (
        f"{pair} have the dot product {expected[place].item():.4g}; your entry {list(place)} is "
        f"{scores[place].item():.4g}"
    )


def ranked(inputs: Inputs, scores: Tensor) -> str | None:
    """Report a query whose keys are ranked in the wrong order."""
    expected = dot(**inputs)
    if scores.shape != expected.shape:
        return f"each pair has a score: {tuple(expected.shape)}; yours is {tuple(scores.shape)}"
    wrong = (scores.argsort(dim=-1) != expected.argsort(dim=-1)).any(dim=-1).nonzero()
    if not len(wrong):
        return None
    place = tuple(wrong[0].tolist())
    best, yours = expected[place].argsort().tolist(), scores[place].argsort().tolist()
    return (
        f"from the lowest score to the highest, query {list(place)} ranks its keys {best}; "
        f"yours ranks them {yours}"
    )


def for_each_pair(inputs: Inputs, scores: Tensor) -> str | None:
    """Report a pair with a wrong score, whether queries are rows or columns."""
    expected = torch.einsum("...qd,...kd->...qk", inputs["query"], inputs["key"])
    turned = scores.mT if scores.ndim > 1 else scores
    if turned.shape == expected.shape and torch.allclose(turned, expected, atol=1e-5):
        return None
    if scores.shape != expected.shape:
        return f"each pair has a score: {tuple(expected.shape)}; yours is {tuple(scores.shape)}"
    return an_entry_is_a_dot_product(inputs, scores, numbers=True)


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
    level="easy",
    minutes=5,
    concepts=("matrix-form", "shapes", "query-length", "implement-torch"),
    extra=True,
    reference=dot,
    rungs=(
        Rung(
            name="one query and one key, of width 1",
            points=0.25,
            idea="a dot product per pair",
            draw=width_1,
            law=an_entry_is_a_dot_product,
        ),
        Rung(
            name="a row for each query ranks keys of one length, with an axis in front",
            points=0.5,
            idea="a row for each query",
            draw=keys_of_one_length,
            law=ranked,
            compare=False,
        ),
        Rung(
            name="each pair of a matrix has its dot product, be the queries rows or columns",
            points=0.5,
            idea="a dot product per pair",
            draw=matrices,
            law=for_each_pair,
            compare=False,
        ),
        Rung(
            name="an axis in front: dot products, up to a common factor",
            points=0.25,
            idea="any axes in front",
            draw=one_axis_in_front,
            law=in_proportion(dot, "the scores of all pairs grow alike", rows=False),
            compare=False,
        ),
        Rung(
            name="without axes in front: queries are rows, nothing is scaled",
            points=0.25,
            idea="a row for each query",
            draw=matrices,
            law=an_entry_is_a_dot_product,
        ),
        Rung(
            name="the whole, with any axes in front",
            points=0.25,
            draw=awkward,
            law=an_entry_is_a_dot_product,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
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
