"""More ways that 03.generation_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def filler_keys_open(lengths: Tensor, q: int, k: int) -> Tensor:
    place = torch.arange(k - q, k)[:, None]
    causal = torch.arange(k) <= place
    real = place >= k - lengths[:, None, None]
    return (causal & real)[:, None]


def keys_by_queries(lengths: Tensor, q: int, k: int) -> Tensor:
    causal = torch.arange(k) <= torch.arange(k - q, k)[:, None]
    real = torch.arange(k) >= k - lengths[:, None]
    return (causal & real[:, None, :]).transpose(1, 2)[:, None]


MORE = (
    Misconception(
        name="filler-keys-open",
        answer=filler_keys_open,
        believed="A query that is filler sees nothing, and that hides the filler.",
        says="You close the rows of queries that are filler, and leave filler keys open to the "
        "real queries after them.",
        hints=(
            "Which keys are open to the last query of a short sequence?",
            "Filler is hidden twice: as a query and as a key. Which of the two is missing?",
            "Compare the places of the keys with k - lengths, too.",
        ),
    ),
    Misconception(
        name="keys-by-queries",
        answer=keys_by_queries,
        believed="Rows are keys.",
        says="Your mask is transposed: it has a row for each key and a column for each query.",
        hints=(
            "Which axis of the scores is that of the keys?",
            "What is the shape of your mask with q = 2 and k = 3?",
            "Queries are rows and keys are columns.",
        ),
    ),
)
