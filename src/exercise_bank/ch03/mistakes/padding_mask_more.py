"""More ways that 03.padding_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def full_length_hidden(lengths: Tensor, k: int) -> Tensor:
    mask = torch.ones(len(lengths), 1, 1, k, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        mask[b, ..., -(k - length) :] = False
    return mask


def last_token_only(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) == lengths[:, None] - 1)[:, None, None, :]


MORE = (
    Misconception(
        name="full-length-hidden",
        answer=full_length_hidden,
        believed="A slice from minus the number of filler holds the filler.",
        says="You hide a sequence of full length as a whole. A slice that begins at -0 holds "
        "everything.",
        hints=(
            "Which keys are open to a sequence of length k?",
            "What is [1, 2, 3][-0:]?",
            "Begin the slice at the length.",
        ),
    ),
    Misconception(
        name="last-token-only",
        answer=last_token_only,
        believed="The length points at a token.",
        says="Your mask opens the last real token only. All real tokens are to be open.",
        hints=(
            "How many keys are open to a sequence of 3 tokens?",
            "Which comparison is true at one place alone?",
            "Compare with < lengths.",
        ),
    ),
)
