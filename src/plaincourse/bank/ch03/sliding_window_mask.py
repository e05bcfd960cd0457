"""Exercise 03.sliding_window_mask: each query sees the last few positions."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.sliding_window_mask import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import sliding_window


def one_position(g: Generator) -> list[Inputs]:
    return [{"q": 1, "k": 1, "window": 1}]


def only_itself(g: Generator) -> list[Inputs]:
    return [{"q": n, "k": n, "window": 1} for n in (2, 4)]


def several_positions(g: Generator) -> list[Inputs]:
    window = int(torch.randint(2, 6, (), generator=g))
    return [
        {"q": 3, "k": 3, "window": 2},
        {"q": 5, "k": 5, "window": 3},
        {"q": 9, "k": 9, "window": window},
    ]


def long_window(g: Generator) -> list[Inputs]:
    return [{"q": 3, "k": 3, "window": 3}, {"q": 4, "k": 4, "window": 10}]


def fewer_queries(g: Generator) -> list[Inputs]:
    return [
        {"q": 1, "k": 3, "window": 2},
        {"q": 2, "k": 5, "window": 3},
        {"q": 3, "k": 4, "window": 1},
    ]


def window_has_its_length(inputs: Inputs, mask: Tensor) -> str | None:
    """Say that a result is no boolean matrix, or which row shows the wrong number of keys."""
    q, k, window = inputs["q"], inputs["k"], inputs["window"]
    if mask.dtype != torch.bool:
        return f"a mask is boolean, True = may look; yours has dtype {mask.dtype}"
    if mask.shape != (q, k):
        return f"rows are queries, columns are keys; yours has shape {tuple(mask.shape)}"
    for row in range(q):
        wanted, found = min(window, row + k - q + 1), int(mask[row].sum())
        if found != wanted:
            return f"with window={window}, query {row} sees {wanted} keys; yours sees {found}"
    return None


def compare_positions(q: int, k: int, window: int) -> Tensor:
    back = torch.arange(k - q, k)[:, None] - torch.arange(k)
    return (back >= 0) & (back < window)


def two_triangles(q: int, k: int, window: int) -> Tensor:
    ones = torch.ones(q, k, dtype=torch.bool)
    return ones.tril(k - q) & ones.triu(k - q - window + 1)


def row_by_row(q: int, k: int, window: int) -> Tensor:
    mask = torch.zeros(q, k, dtype=torch.bool)
    for i in range(q):
        position = i + k - q
        mask[i, max(0, position - window + 1) : position + 1] = True
    return mask


TASK = Exercise(
    id="03.sliding_window_mask",
    title="A sliding window",
    level="medium",
    minutes=10,
    concepts=("sliding-window-mask", "causal-mask"),
    reference=sliding_window,
    rungs=(
        Rung(
            name="one position sees itself",
            points=0.5,
            draw=one_position,
            law=window_has_its_length,
        ),
        Rung(
            name="a window of 1 is the own position",
            points=0.5,
            draw=only_itself,
            law=window_has_its_length,
        ),
        Rung(
            name="a window of several positions",
            points=1.0,
            draw=several_positions,
            law=window_has_its_length,
        ),
        Rung(
            name="a window as long as the text is the causal mask",
            points=0.5,
            draw=long_window,
            law=window_has_its_length,
        ),
        Rung(
            name="fewer queries than keys: the queries are the last ones",
            points=0.5,
            draw=fewer_queries,
            law=window_has_its_length,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="how far back", answer=compare_positions),
        Alternative(name="two triangles", answer=two_triangles),
        Alternative(name="row by row", answer=row_by_row),
    ),
    hints=(
        "With window=2, which two keys does the query at position 5 see?",
        "Two conditions on how far back a key lies: not below 0, and below something.",
        "Let back = position of the query - position of the key. The mask is back >= 0 and "
        "back < window.",
    ),
)
