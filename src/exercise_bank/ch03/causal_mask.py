"""Exercise 03.causal_mask: a mask under which each query attends to itself and earlier keys."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch03.laws import form, sees
from exercise_bank.ch03.mistakes.causal_mask import MISCONCEPTIONS
from exercise_bank.ch03.mistakes.causal_mask_more import MORE
from exercise_bank.draws import more
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import causal


def larger(g: Generator, *sizes: tuple[int, int]) -> list[Inputs]:
    """Make inputs of these sizes; hidden ones have equally many further queries and keys."""
    by = [more(g, 40) for _ in sizes]
    return [{"q": q + n, "k": k + n} for (q, k), n in zip(sizes, by, strict=True)]


def as_many_queries_as_keys(g: Generator) -> list[Inputs]:
    most = int(torch.randint(5, 9, (), generator=g))
    return larger(g, *((n, n) for n in (3, 4, most)))


def fewer_queries(g: Generator) -> list[Inputs]:
    ahead = int(torch.randint(2, 6, (), generator=g))
    return larger(g, (2, 3), (2, 4), (3, 3 + ahead), (5, 6))


def more_queries(g: Generator) -> list[Inputs]:
    behind = int(torch.randint(2, 6, (), generator=g))
    return larger(g, (2, 1), (4, 2), (3 + behind, 3))


def unlike_sizes(g: Generator) -> list[Inputs]:
    return larger(g, (2, 5), (5, 3), (3, 4))


def everything(g: Generator) -> list[Inputs]:
    return larger(g, (3, 3), (1, 3), (1, 1), (2, 4), (3, 5), (6, 6))


def right(inputs: Inputs) -> Tensor:
    return compare_positions(**inputs)


def far(inputs: Inputs) -> Tensor:
    """Mark the places at a distance of two or more from the query, before or after it."""
    q, k = inputs["q"], inputs["k"]
    return (torch.arange(k) - torch.arange(k - q, k)[:, None]).abs() > 1


def compare_positions(q: int, k: int) -> Tensor:
    position = torch.arange(k - q, k)
    return torch.arange(k)[None, :] <= position[:, None]


def lower_triangle(q: int, k: int) -> Tensor:
    return torch.tril(torch.ones(q, k), diagonal=k - q).bool()


def entry_by_entry(q: int, k: int) -> Tensor:
    rows = [[j <= i + k - q for j in range(k)] for i in range(q)]
    return torch.tensor(rows, dtype=torch.bool)


def last_rows_of_a_square(q: int, k: int) -> Tensor:
    n = max(q, k)
    return torch.ones(n, n, dtype=torch.bool).tril()[n - q :, n - k :]


TASK = Exercise(
    id="03.causal_mask",
    title="No looking ahead",
    level="easy",
    minutes=7,
    concepts=("causal-mask", "additive-vs-boolean"),
    extra=True,
    reference=causal,
    rungs=(
        Rung(
            name="a boolean matrix (q, k), neither all True nor all False",
            points=0.5,
            draw=unlike_sizes,
            law=form(right),
            compare=False,
        ),
        Rung(
            name="two places back or more differ from two ahead or more, whichever is True",
            points=0.75,
            idea="no later key is open",
            draw=as_many_queries_as_keys,
            law=sees(right, only=far, either=True),
            compare=False,
        ),
        Rung(
            name="q = k: open are the own position and those before it, in any type",
            points=0.75,
            idea="no later key is open",
            draw=as_many_queries_as_keys,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="fewer queries than keys: the queries are the last ones, in any type",
            points=1.0,
            idea="queries are the last positions",
            draw=fewer_queries,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="more queries than keys: the first rows are all hidden, in any type",
            points=0.25,
            draw=more_queries,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="other sizes: open are the own position and those before, in any type",
            points=0.75,
            idea="no later key is open",
            draw=everything,
            law=sees(right),
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="positions compared", answer=compare_positions),
        Alternative(name="the lower triangle, shifted", answer=lower_triangle),
        Alternative(name="entry by entry", answer=entry_by_entry),
        Alternative(name="cut from a square", answer=last_rows_of_a_square),
    ),
    hints=(
        "Write the mask for q = k = 3 on paper: which entries of row 1 are True?",
        "With q = 1 and k = 4 there is one query, the newest. At which key position does it sit, "
        "and which keys may it see?",
        "Query i sits at position i + k - q. Compare that with arange(k), or shift the diagonal "
        "of tril by k - q.",
    ),
)
