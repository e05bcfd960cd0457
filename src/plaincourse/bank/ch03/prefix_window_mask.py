"""Exercise 03.prefix_window_mask: a window over what was written, a prefix that all can see."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.prefix_window_mask import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def window_alone(g: Generator) -> list[Inputs]:
    window = int(torch.randint(2, 6, (), generator=g))
    return [
        {"q": 2, "k": 2, "window": 1, "prefix": 0},
        {"q": 3, "k": 3, "window": 2, "prefix": 0},
        {"q": 9, "k": 9, "window": window, "prefix": 0},
    ]


def prefix_behind_the_window(g: Generator) -> list[Inputs]:
    return [
        {"q": 4, "k": 4, "window": 1, "prefix": 1},
        {"q": 7, "k": 7, "window": 2, "prefix": 1},
    ]


def inside_the_prefix(g: Generator) -> list[Inputs]:
    prefix = int(torch.randint(3, 6, (), generator=g))
    return [
        {"q": 3, "k": 3, "window": 1, "prefix": 2},
        {"q": 8, "k": 8, "window": 2, "prefix": prefix},
    ]


def fewer_queries(g: Generator) -> list[Inputs]:
    return [
        {"q": 1, "k": 5, "window": 2, "prefix": 1},
        {"q": 2, "k": 6, "window": 2, "prefix": 3},
        {"q": 3, "k": 4, "window": 1, "prefix": 3},
    ]


def sees_as_many_as_it_may(inputs: Inputs, mask: Tensor) -> str | None:
    """Say that a result is no boolean matrix, or which row shows the wrong number of keys."""
    q, k = inputs["q"], inputs["k"]
    if mask.dtype != torch.bool:
        return f"a mask is boolean, True = may look; yours has dtype {mask.dtype}"
    if mask.shape != (q, k):
        return f"rows are queries, columns are keys; yours has shape {tuple(mask.shape)}"
    right = prefix_window_mask(**inputs)
    for row in range(q):
        wanted, found = int(right[row].sum()), int(mask[row].sum())
        if found != wanted:
            return (
                f"with window={inputs['window']} and prefix={inputs['prefix']}, query {row} (of "
                f"{q}, with {k} keys) sees {wanted} keys; yours sees {found}"
            )
    return None


def prefix_window_mask(q: int, k: int, window: int, prefix: int) -> Tensor:
    """Open the window that ends at each query, and the prefix for all."""
    back = torch.arange(k - q, k)[:, None] - torch.arange(k)
    return ((back >= 0) & (back < window)) | (torch.arange(k) < prefix)


def two_triangles(q: int, k: int, window: int, prefix: int) -> Tensor:
    ones = torch.ones(q, k, dtype=torch.bool)
    mask = ones.tril(k - q) & ones.triu(k - q - window + 1)
    mask[:, :prefix] = True
    return mask


def row_by_row(q: int, k: int, window: int, prefix: int) -> Tensor:
    mask = torch.zeros(q, k, dtype=torch.bool)
    for i in range(q):
        position = i + k - q
        for j in range(k):
            mask[i, j] = j < prefix or position - window < j <= position
    return mask


TASK = Exercise(
    id="03.prefix_window_mask",
    title="A window and a prefix",
    level="medium",
    minutes=12,
    concepts=("sliding-window-mask", "prefix-mask", "causal-mask"),
    reference=prefix_window_mask,
    rungs=(
        Rung(
            name="without a prefix it is a sliding window",
            points=1.0,
            draw=window_alone,
            law=sees_as_many_as_it_may,
        ),
        Rung(
            name="a prefix stays in sight when the window has left it",
            points=1.0,
            draw=prefix_behind_the_window,
            law=sees_as_many_as_it_may,
        ),
        Rung(
            name="inside the prefix each sees all of it",
            points=1.0,
            draw=inside_the_prefix,
            law=sees_as_many_as_it_may,
        ),
        Rung(
            name="fewer queries than keys: the queries are the last ones",
            points=1.0,
            draw=fewer_queries,
            law=sees_as_many_as_it_may,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="two triangles", answer=two_triangles),
        Alternative(name="row by row", answer=row_by_row),
    ),
    hints=(
        "With window=2 and prefix=1, which three keys does the query at position 5 see?",
        "Two reasons to see a key. Does a key need one of them, or both?",
        "Let back = position of the query - position of the key. Which values of back lie in the "
        "window? Try 0 and window.",
    ),
)
