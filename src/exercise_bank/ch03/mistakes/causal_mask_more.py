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


MORE = (
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
