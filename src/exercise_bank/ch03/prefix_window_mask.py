"""Exercise 03.prefix_window_mask: a causal window, and a prefix that is visible to every query."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch03.laws import sees
from exercise_bank.ch03.mistakes.prefix_window_mask import MISCONCEPTIONS
from exercise_bank.ch03.mistakes.prefix_window_mask_more import MORE
from exercise_bank.draws import more
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def sizes(g: Generator, q: int, k: int, window: int, prefix: int) -> Inputs:
    """Make inputs of these sizes; hidden ones have equally many further queries and keys."""
    by = more(g)
    return {"q": q + by, "k": k + by, "window": window, "prefix": prefix}


def window_alone(g: Generator) -> list[Inputs]:
    window = int(torch.randint(2, 6, (), generator=g))
    return [sizes(g, 2, 2, 1, 0), sizes(g, 3, 3, 2, 0), sizes(g, 9, 9, window, 0)]


def both(g: Generator) -> list[Inputs]:
    """Draw short and long prefixes, beyond the window of some queries."""
    window, prefix = (int(torch.randint(1, 4, (), generator=g)) for _ in range(2))
    return [
        sizes(g, 5, 5, 2, 2), sizes(g, 4, 4, 1, 1), sizes(g, 7, 7, 2, 1), sizes(g, 6, 6, 1, 4),
        sizes(g, 6, 6, 3, 1),
        sizes(g, 9, 9, window, prefix),
    ]  # fmt: skip


def fewer_queries(g: Generator) -> list[Inputs]:
    prefix = int(torch.randint(0, 4, (), generator=g))
    return [
        sizes(g, 1, 5, 1, 1),
        sizes(g, 2, 6, 2, 3),
        sizes(g, 3, 9, 2, prefix),
        sizes(g, 4, 5, 3, 0),
    ]


def everything(g: Generator) -> list[Inputs]:
    edges = [sizes(g, 1, 1, 1, 0), sizes(g, 3, 3, 9, 2), sizes(g, 3, 3, 1, 3), sizes(g, 2, 5, 1, 4)]
    return [*both(g), *fewer_queries(g), *edges]


def right(inputs: Inputs) -> Tensor:
    return prefix_window_mask(**inputs)


def back(inputs: Inputs) -> Tensor:
    q, k = inputs["q"], inputs["k"]
    return torch.arange(k - q, k)[:, None] - torch.arange(k)


def in_prefix(inputs: Inputs) -> Tensor:
    return (torch.arange(inputs["k"]) < inputs["prefix"]).expand(inputs["q"], inputs["k"])


def later(inputs: Inputs) -> Tensor:
    """Mark each query's own place and later ones, outside the prefix."""
    return (back(inputs) <= 0) & ~in_prefix(inputs)


def earlier(inputs: Inputs) -> Tensor:
    """Mark each query's own place and earlier ones, outside the prefix."""
    return (back(inputs) >= 0) & ~in_prefix(inputs)


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


def by_slices(q: int, k: int, window: int, prefix: int) -> Tensor:
    square = torch.zeros(k, k, dtype=torch.bool)
    for i in range(k):
        square[i, max(0, i - window + 1) : i + 1] = True
        square[i, :prefix] = True
    return square[k - q :]


TASK = Exercise(
    id="03.prefix_window_mask",
    title="A window and a prefix",
    level="medium",
    minutes=12,
    concepts=("sliding-window-mask", "prefix-mask", "causal-mask"),
    extra=True,
    reference=prefix_window_mask,
    rungs=(
        Rung(
            name="every query attends to the whole prefix",
            points=0.75,
            idea="the prefix is open to all",
            draw=both,
            law=sees(right, only=in_prefix),
            compare=False,
        ),
        Rung(
            name="outside the prefix the own position is open and no later one",
            points=0.5,
            idea="a window ends at each query",
            draw=both,
            law=sees(right, only=later),
            compare=False,
        ),
        Rung(
            name="outside the prefix a window reaches back as far as it should",
            points=0.5,
            idea="a window ends at each query",
            draw=both,
            law=sees(right, only=earlier),
            compare=False,
        ),
        Rung(
            name="without a prefix it is a sliding window",
            points=0.5,
            idea="a window ends at each query",
            draw=window_alone,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="each entry is right, whether True marks the open keys or the hidden ones",
            points=0.25,
            draw=both,
            law=sees(right, either=True),
            compare=False,
        ),
        Rung(
            name="fewer queries than keys: the queries are the last ones",
            points=0.75,
            idea="queries are the last positions",
            draw=fewer_queries,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="the whole: boolean, True for an open key",
            points=0.75,
            draw=everything,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="slices of a square", answer=by_slices),
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
