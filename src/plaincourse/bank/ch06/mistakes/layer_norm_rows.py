"""How 06.layer_norm_rows goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def no_eps(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / centred.square().mean(dim=-1, keepdim=True).sqrt() * gain + shift


def eps_outside(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (torch.sqrt(variance) + eps) * gain + shift


def unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps) * gain + shift


def no_root(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def over_tokens(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=0, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=0, keepdim=True) + eps) * gain + shift


def over_everything(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean()
    return centred / torch.sqrt(centred.square().mean() + eps) * gain + shift


def not_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def no_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)


def shift_first(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    return (y + shift) * gain


MISCONCEPTIONS = (
    Misconception(
        name="no-eps",
        answer=no_eps,
        believed="eps is so small that it can be left out.",
        says="Your output does not depend on eps: call it with eps=1.0 and with eps=0.0. A token "
        "of equal numbers has variance 0, and yours becomes nan.",
        hints=(
            "What is your output for the token [4, 4, 4]?",
            "One argument of your function is never used.",
            "It belongs to the variance. Before or after the root?",
        ),
    ),
    Misconception(
        name="eps-outside",
        answer=eps_outside,
        believed="eps is added to what one divides by.",
        says="You add eps to the standard deviation. At 1e-5 that hardly shows; with eps = 1 and "
        "variance 4 you divide by 3, where the root of 5 is asked for.",
        hints=(
            "By what do you divide a token of variance 4 when eps is 1? By what does the formula?",
            "Look at the order of two operations: adding eps and taking the root.",
            "Which of the two comes first in the formula?",
        ),
    ),
    Misconception(
        name="divisor-m-minus-1",
        answer=unbiased,
        believed="var() gives the variance of the formula.",
        says="Your numbers are too small by the root of (m - 1)/m: at width 2 by 0.71. torch.var "
        "divides the sum of squares by m - 1 unless told otherwise.",
        hints=(
            "What is the mean of the squares of your output?",
            "What does torch.var divide by? Look at its argument `correction`.",
            "The formula has the plain mean of the squares.",
        ),
    ),
    Misconception(
        name="no-root",
        answer=no_root,
        believed="One divides by the variance.",
        says="A token that is twice as far from its mean comes out half as large from you. You "
        "divide by the variance itself.",
        hints=(
            "What happens to your output when x is doubled?",
            "Variance has the unit of x squared. Which quantity has the unit of x?",
            "An operation is missing between the variance and the division.",
        ),
    ),
    Misconception(
        name="over-axis-0",
        answer=over_tokens,
        believed="A norm compares each feature across the tokens.",
        says="Your mean runs over axis 0, so tokens normalise each other, or sequences do. A token "
        "that stands alone becomes all zeros.",
        hints=(
            "What do you get for a single token?",
            "Which axis counts the features of one token, in (q, m) and in (b, q, m)?",
            "Count the axis from the end.",
        ),
    ),
    Misconception(
        name="over-everything",
        answer=over_everything,
        believed="There is one mean for the whole tensor.",
        says="You take one mean and one variance for all tokens together: with several tokens your "
        "rows do not have mean 0 each.",
        hints=(
            "What is the mean of each row of your output?",
            "x.mean() is one number. How many means are needed?",
            "A mean for each token: over the last axis, kept as an axis of length 1.",
        ),
    ),
    Misconception(
        name="not-centred",
        answer=not_centred,
        believed="A norm scales, and that is all.",
        says="Your rows keep their mean. You compute RMSNorm: adding 5 to all of x changes your "
        "output, and LayerNorm does not notice.",
        hints=(
            "What is the mean of your first row?",
            "What comes before the squares in LayerNorm?",
            "The mean is taken off above the fraction line and inside the variance.",
        ),
    ),
    Misconception(
        name="no-gain-no-shift",
        answer=no_gain,
        believed="The norm ends with variance 1.",
        says="Your output is right where gain is 1 and shift is 0. It does not change when they "
        "do: the learned part is missing.",
        hints=(
            "Which two arguments does your function not use?",
            "Each feature has a factor and a summand of its own.",
            "Which of the two comes first?",
        ),
    ),
    Misconception(
        name="shift-before-gain",
        answer=shift_first,
        believed="Order does not matter between gain and shift.",
        says="You add the shift first and then multiply, so your shift is multiplied by the gain. "
        "With gain 0 your output is 0, where it should be the shift.",
        hints=(
            "What should come out where the gain is 0?",
            "Two operations stand in the wrong order.",
            "Read the formula from the fraction outwards.",
        ),
    ),
)
