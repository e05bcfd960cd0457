"""How 07.mean_of_real goes wrong."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception

Mean = Callable[[Tensor, Tensor], Tensor]


def zeros_not_counted(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / (kept != 0).any(dim=-1).sum(dim=1, keepdim=True).clamp_min(1)


def over_everything(hidden: Tensor, real: Tensor) -> Tensor:
    return hidden.mean(dim=1)


def divided_by_the_length(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.mean(dim=1)


def by_multiplying(hidden: Tensor, real: Tensor) -> Tensor:
    kept = hidden * real[..., None]
    return kept.sum(dim=1) / real.sum(dim=1, keepdim=True).clamp_min(1)


def nothing_is_nan(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / real.sum(dim=1, keepdim=True)


def first_ones(hidden: Tensor, real: Tensor) -> Tensor:
    rows = [h[: int(r.sum())].mean(dim=0) for h, r in zip(hidden, real, strict=True)]
    return torch.stack(rows).nan_to_num(0.0)


def one_count_for_all(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / real.sum().clamp_min(1)


def upside_down(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], 0.0, hidden)
    return kept.sum(dim=1) / (~real).sum(dim=1, keepdim=True).clamp_min(1)


def a_sum(hidden: Tensor, real: Tensor) -> Tensor:
    return torch.where(real[..., None], hidden, 0.0).sum(dim=1)


def first_token(hidden: Tensor, real: Tensor) -> Tensor:
    place = real.int().argmax(dim=1)
    picked = hidden[torch.arange(len(hidden)), place]
    return torch.where(real.any(dim=1, keepdim=True), picked, 0.0)


def last_real(hidden: Tensor, real: Tensor) -> Tensor:
    place = (real * torch.arange(1, real.shape[1] + 1)).argmax(dim=1)
    picked = hidden[torch.arange(len(hidden)), place]
    return torch.where(real.any(dim=1, keepdim=True), picked, 0.0)


def largest(hidden: Tensor, real: Tensor) -> Tensor:
    top = hidden.where(real[..., None], -torch.inf).amax(dim=1)
    return torch.where(real.any(dim=1, keepdim=True), top, 0.0)


def over_the_batch(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=(0, 1)).expand(len(hidden), -1) / real.sum().clamp_min(1)


def one_more(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / (real.sum(dim=1, keepdim=True) + 1)


def count_of_the_longest(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / real.sum(dim=1).max().clamp_min(1)


def last_place(hidden: Tensor, real: Tensor) -> Tensor:
    kept = torch.where(real[..., None], hidden, 0.0)
    place = (real * torch.arange(1, real.shape[1] + 1)).amax(dim=1, keepdim=True)
    return kept.sum(dim=1) / place.clamp_min(1)


def last_place_or_nan(hidden: Tensor, real: Tensor) -> Tensor:
    return torch.where(real.any(dim=1, keepdim=True), last_place(hidden, real), torch.nan)


def reach(hidden: Tensor, real: Tensor) -> Tensor:
    places = torch.arange(real.shape[1])
    first = torch.where(real, places, real.shape[1]).amin(dim=1, keepdim=True)
    last = torch.where(real, places, -1).amax(dim=1, keepdim=True)
    kept = torch.where(real[..., None], hidden, 0.0)
    return kept.sum(dim=1) / (last - first + 1).clamp_min(1)


def nan_set_to_0(hidden: Tensor, real: Tensor, least: int = 0) -> Tensor:
    """Multiply padding by 0, and replace any nan by 0 at the very end."""
    count = real.sum(dim=1, keepdim=True).clamp_min(least)
    return ((hidden * real[..., None]).sum(dim=1) / count).nan_to_num(0.0)


def multiplied_by_0(hidden: Tensor, real: Tensor, way: Mean) -> Tensor:
    kept = hidden * real[..., None]
    spoilt = (~kept.isfinite()).any(dim=1)
    return torch.where(spoilt, torch.nan, way(kept.nan_to_num(0.0, 0.0, 0.0), real))


def multiplying(way: Mean) -> Mean:
    """Return a function that multiplies padding by 0 and then continues like another."""
    return partial(multiplied_by_0, way=way)


MISCONCEPTIONS = (
    Misconception(
        name="over-everything",
        answer=over_everything,
        believed="Padding is masked in attention already, so its vectors do no harm.",
        says="You return the plain mean over all positions. The vectors at padded places are not "
        "zero, and the more padding there is, the more they count in your mean.",
        hints=(
            "Append ten padded positions to a sequence. Should its mean change?",
            "Leave out the positions where real is False, in the sum and in the count.",
        ),
    ),
    Misconception(
        name="divided-by-the-length",
        answer=divided_by_the_length,
        believed="With the padding set to 0, mean does the rest.",
        says="Your padding is counted, even if it adds nothing to the sum: with one real token out "
        "of three, your mean is a third of that token's vector.",
        hints=(
            "By which number does mean(dim=1) divide?",
            "Divide the sum by the number of real tokens of that sequence.",
        ),
        variants=(multiplying(divided_by_the_length),),
    ),
    Misconception(
        name="by-multiplying",
        answer=by_multiplying,
        believed="A product with 0 leaves a vector out.",
        says="You multiply padding by 0. 0 · nan is nan and 0 · inf is nan, so one padded vector "
        "that is not finite makes your mean nan.",
        hints=(
            "Compute 0.0 * float('nan').",
            "Choose the vectors instead of multiplying them, with torch.where or masked_fill.",
        ),
        kind="corner",
    ),
    said(
        "nan-set-to-0-at-the-end",
        nan_set_to_0,
        "nan at the end comes from sequences without a real token alone.",
        "You set nan to 0 in the mean. But padding that is not finite, multiplied by 0, makes the "
        "sum nan, so the real tokens of such a sequence are lost with it.",
        "Compute 0.0 * float('nan'), and add 2 to it.",
        "Choose the vectors before you add them, with torch.where or masked_fill.",
        variants=(partial(nan_set_to_0, least=1),),
        kind="corner",
    ),
    Misconception(
        name="nothing-is-nan",
        answer=nothing_is_nan,
        believed="Every sequence has a token.",
        says="A sequence without a real token is 0 / 0 in your result, which is nan.",
        hints=(
            "Which count can be 0?",
            "The sum is already 0 there. How large must the divisor be at least?",
        ),
        kind="corner",
    ),
    said(
        "nan-in-two-ways",
        multiplying(nothing_is_nan),
        "Times 0 is the same as left out, and every sequence has a token.",
        "Your result is nan in two cases. You multiply padding by 0, and 0 · nan and 0 · inf are "
        "nan. A sequence without a real token is 0 / 0, which is nan, too.",
        "How much is 0.0 * float('nan')? And 0.0 / 0.0 in torch?",
        "Choose instead of multiplying, and divide by 1 at least: torch.where and clamp_min.",
        kind="form",
    ),
    Misconception(
        name="first-ones",
        answer=first_ones,
        believed="All padding comes after the tokens.",
        says="You count the real vectors and average that number of vectors from the start. If "
        "padding is in front of real tokens or between them, your mean includes padding.",
        hints=(
            "Where is the padding in a batch that is padded on the left?",
            "real marks the positions that count. Use its entries, not only their sum.",
        ),
    ),
    Misconception(
        name="one-count-for-all",
        answer=one_count_for_all,
        believed="The count is the number of True in real.",
        says="You divide every sequence by the number of real tokens of the whole batch: a second "
        "sequence makes the vector of the first one shorter.",
        hints=(
            "Should the mean of a sequence depend on the other sequences in the batch?",
            "Along which axis do you count?",
        ),
        variants=(multiplying(one_count_for_all),),
    ),
    said(
        "count-of-the-longest",
        count_of_the_longest,
        "All sequences have the same number of real tokens.",
        "You divide every sequence by the same count, that of its longest one. A sequence with "
        "half the number of real tokens gets half its mean.",
        "By which number do you divide for a sequence with one real token?",
        "Leave out the max(): each sequence has its own count.",
        variants=(multiplying(count_of_the_longest),),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks padding.",
        says="You average the padding and leave out the real tokens: True means real here.",
        hints=(
            "With real = [True, True, False], which vectors are in your mean?",
            "torch.where takes its second argument where the first is True.",
        ),
    ),
    Misconception(
        name="a-sum",
        answer=a_sum,
        believed="The sum of the real vectors represents the sequence.",
        says="You return the sum of the real vectors, so for a sequence of two equal tokens you "
        "return twice the vector of one.",
        hints=(
            "What is the mean of two equal vectors?",
            "Divide by the number of real tokens.",
        ),
        variants=(multiplying(a_sum),),
    ),
    said(
        "first-real-token",
        first_token,
        "The first token represents the sequence.",
        "You return the first real vector of each sequence. The task asks for the mean of all.",
        "What changes in your result when the second token changes?",
        "Add up all real vectors.",
    ),
    said(
        "last-real-token",
        last_real,
        "The last token attends to all others.",
        "You return the last real vector of each sequence, as is usual with a decoder. The task "
        "asks for the mean of all.",
        "What changes in your result when the first token changes?",
        "Add up all real vectors.",
    ),
    said(
        "the-largest",
        largest,
        "Pooling takes the largest.",
        "You take the largest number of each feature. That is max pooling; the task asks for the "
        "mean.",
        "What is the mean of 1 and 3?",
        "Add up the vectors and divide.",
    ),
    said(
        "over-the-batch",
        over_the_batch,
        "There is one mean.",
        "All your sequences get one and the same vector: you average over the whole batch.",
        "How many means does a batch of two sequences have?",
        "Sum over axis 1 only.",
    ),
    said(
        "one-too-many",
        one_more,
        "Adding 1 to the count avoids a division by 0.",
        "You divide by the count plus 1. That avoids a division by 0, but makes every mean too "
        "small.",
        "What is your mean of a single vector?",
        "Use clamp_min(1), which changes only a count of 0.",
        variants=(multiplying(one_more),),
    ),
    said(
        "padding-before-it-counted",
        last_place,
        "A sequence is as long as the place of its last token.",
        "Your sum is divided by the place of the last real token, counted from 1, so padding in "
        "front of real tokens or between them is counted.",
        "By which number do you divide if one padded position comes first, and then one real "
        "token?",
        "Divide by the number of True in the row of `real`.",
        variants=(
            last_place_or_nan,
            multiplying(last_place),
            multiplying(last_place_or_nan),
        ),
    ),
    said(
        "vectors-of-zeros-not-counted",
        zeros_not_counted,
        "A vector of zeros is padding.",
        "You count the vectors that are not all zeros. A real vector may be all zeros, and it "
        "counts as well.",
        "By which number do you divide if one of two real vectors is all zeros?",
        "Count the True in the row of `real`.",
        kind="form",
    ),
    said(
        "padding-between-counted",
        reach,
        "The length of a sequence is the distance from its first token to its last.",
        "You divide by the number of positions from the first real token to the last, so padding "
        "between them is counted.",
        "By which number do you divide if padding is between two real tokens?",
        "Divide by the number of True in the row of `real`.",
        variants=(multiplying(reach),),
    ),
)
