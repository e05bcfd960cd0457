"""Exercise 03.causal_mask: who may look at whom when nobody may look ahead."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.causal_mask import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import causal


def one_position(g: Generator) -> list[Inputs]:
    return [{"q": 1, "k": 1}]


def as_many_queries_as_keys(g: Generator) -> list[Inputs]:
    return [{"q": n, "k": n} for n in (2, 3, 5)]


def fewer_queries(g: Generator) -> list[Inputs]:
    more = int(torch.randint(2, 6, (), generator=g))
    return [{"q": 1, "k": 3}, {"q": 2, "k": 4}, {"q": 3, "k": 3 + more}]


def more_queries(g: Generator) -> list[Inputs]:
    return [{"q": 2, "k": 1}, {"q": 4, "k": 2}]


def is_a_mask(inputs: Inputs, mask: Tensor) -> str | None:
    """Say that a result is no boolean matrix, or hides the last key from the last query."""
    if mask.dtype != torch.bool:
        return f"a mask is boolean, True = may look; yours has dtype {mask.dtype}"
    if mask.shape != (inputs["q"], inputs["k"]):
        return f"rows are queries, columns are keys; yours has shape {tuple(mask.shape)}"
    if not mask[-1].all():
        hidden = int((~mask[-1]).nonzero()[0])
        return f"the last query sees every key; yours does not see key {hidden}"
    return None


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
    level="warm-up",
    minutes=7,
    concepts=("causal-mask", "additive-vs-boolean"),
    reference=causal,
    rungs=(
        Rung(name="one position sees itself", points=0.5, draw=one_position, law=is_a_mask),
        Rung(
            name="each query sees itself and what is before it",
            points=1.5,
            draw=as_many_queries_as_keys,
            law=is_a_mask,
        ),
        Rung(
            name="fewer queries than keys: the queries are the last ones",
            points=1.5,
            draw=fewer_queries,
            law=is_a_mask,
        ),
        Rung(
            name="more queries than keys: the first queries see nothing",
            points=0.5,
            draw=more_queries,
            law=is_a_mask,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
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
