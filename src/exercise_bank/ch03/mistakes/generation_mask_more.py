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


def empty_is_full(lengths: Tensor, q: int, k: int) -> Tensor:
    mask = torch.ones(q, k, dtype=torch.bool).tril(k - q).repeat(len(lengths), 1, 1, 1)
    for b, length in enumerate(lengths.tolist()):
        if length < k:
            mask[b, :, :, :-length] = False
    return mask


def empty_is_full_but_causal(lengths: Tensor, q: int, k: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, q, k, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        mask[b, :, :, -length:] = True
    return mask & torch.ones(q, k, dtype=torch.bool).tril(k - q)


MORE = (
    Misconception(
        name="minus-zero",
        answer=empty_is_full,
        variants=(empty_is_full_but_causal,),
        believed="The last n places are [-n:], for every n.",
        says="A sequence of length 0 is all filler, and keys of yours are open in it. If you use a "
        "slice: -0 is 0, so [:-0] is empty, and [-0:] is everything.",
        hints=(
            "What are x[:-n] and x[-n:] for n = 0?",
            "Which sequence of the example has no real token?",
            "Write k - length in the slice.",
        ),
    ),
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
