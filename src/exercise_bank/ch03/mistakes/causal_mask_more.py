"""More ways that 03.causal_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def negative_end(q: int, k: int) -> Tensor:
    mask = torch.zeros(q, k, dtype=torch.bool)
    for i in range(q):
        mask[i, : i + k - q + 1] = True
    return mask


def own_position_only(q: int, k: int) -> Tensor:
    return torch.arange(k) == torch.arange(k - q, k)[:, None]


def last_rows_of_the_keys(q: int, k: int) -> Tensor:
    return torch.ones(k, k, dtype=torch.bool).tril()[k - q :]


def as_many_rows_as_keys(q: int, k: int) -> Tensor:
    return torch.ones(k, k, dtype=torch.bool).tril()[-q:]


MORE = (
    Misconception(
        name="rows-of-a-square-of-keys",
        answer=last_rows_of_the_keys,
        variants=(as_many_rows_as_keys,),
        kind="form",
        believed="There are never more queries than keys.",
        says="With more queries than keys, your mask has fewer than q rows. If you cut it from a "
        "square of k rows: that holds no rows for the queries that sit before every key.",
        hints=(
            "Which shape has your mask for q = 5 and k = 3?",
            "Which keys are open to a query that sits before every key?",
            "Begin with a square as large as the larger of the two numbers, or compare positions.",
        ),
    ),
    Misconception(
        name="negative-end",
        answer=negative_end,
        kind="corner",
        believed="A slice that ends before 0 is empty.",
        says="With more queries than keys, some of your first rows have open keys. If you use a "
        "slice: a negative end counts from the end, so [:-1] holds all but the last.",
        hints=(
            "Which keys does query 0 see with q = 4 and k = 2?",
            "What is [1, 2, 3][:-1]?",
            "End the slice at max(0, ...).",
        ),
    ),
    Misconception(
        name="own-position-only",
        answer=own_position_only,
        believed="A query attends to its own position.",
        says="In your mask each query attends to its own position only. It may attend to all "
        "before it, too.",
        hints=(
            "How many keys are open to the last query?",
            "Which comparison of positions is true on the diagonal alone?",
            "Compare with <= in place of ==.",
        ),
    ),
)
