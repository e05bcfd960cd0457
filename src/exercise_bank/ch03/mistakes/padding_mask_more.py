"""More ways that 03.padding_mask goes wrong."""

from functools import partial

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


def upside_down_and_one_off(lengths: Tensor, k: int, by: int = 1) -> Tensor:
    return (torch.arange(k) >= lengths[:, None] + by)[:, None, None, :]


def padding_first_and_upside_down(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < k - lengths[:, None])[:, None, None, :]


def batch_behind(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None])[None, :, None, :]


def one_key_at_least(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None].clamp(min=1))[:, None, None, :]


MORE = (
    Misconception(
        name="batch-on-axis-1",
        answer=batch_behind,
        believed="Any two axes of size 1 will do.",
        says="Your mask has the shape (1, b, 1, k). Against scores of shape (b, h, q, k) your b "
        "would meet h, the heads.",
        hints=(
            "Which shape has your mask for two sequences?",
            "Which axis of the scores is the batch?",
            "Index with None at the places of the heads and of the queries.",
        ),
    ),
    Misconception(
        name="one-key-at-least",
        answer=one_key_at_least,
        kind="form",
        believed="Every row needs a key.",
        says="In a sequence of length 0 your mask opens key 0. All keys of such a sequence are "
        "padding, so all are to be hidden.",
        hints=(
            "How many keys are open to a sequence of length 0?",
            "Does the task leave an exception for it?",
            "Compare with the lengths as they are.",
        ),
    ),
    Misconception(
        name="upside-down-and-one-off",
        answer=upside_down_and_one_off,
        variants=(partial(upside_down_and_one_off, by=-1),),
        believed="True marks the padding, which begins one place off.",
        says="Your mask is True where the padding is, and it should be True where the real tokens "
        "are. Besides, it changes one place too early or too late: a sequence of n tokens fills "
        "the places 0 to n - 1.",
        hints=(
            "What does your mask hold for length 1 and k = 3? What should it hold?",
            "Here True means 'open'. Places count from 0.",
            "A key is visible if its position is less than the length.",
        ),
    ),
    Misconception(
        name="padding-first-and-upside-down",
        answer=padding_first_and_upside_down,
        believed="The padding comes first, and True marks it.",
        says="Your mask is True on as many places as there is padding, and it begins with them. "
        "Here the tokens come first, and True marks the tokens.",
        hints=(
            "What does your mask hold for length 1 and k = 3? What should it hold?",
            "The real tokens are at positions 0 … length - 1.",
            "A key is visible if its position is less than the length.",
        ),
    ),
    Misconception(
        name="full-length-hidden",
        answer=full_length_hidden,
        believed="A slice from minus the number of filler holds the filler.",
        says="You hide a sequence of full length as a whole. If you use a slice: one that begins "
        "at -0 holds everything.",
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
