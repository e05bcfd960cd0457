"""How 06.layer_norm_rows goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
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


def no_shift(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) * gain


def shift_alone(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) + shift


def about_zero(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def clamped(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True).clamp_min(eps)
    return centred / torch.sqrt(variance) * gain + shift


def mean_distance(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.abs().mean(dim=-1, keepdim=True) + eps) * gain + shift


def one_plus_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) * (1 + gain) + shift


def summed_squares(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().sum(dim=-1, keepdim=True) + eps) * gain + shift


def over_sequence(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    axes = tuple(range(1, x.ndim)) or (0,)
    centred = x - x.mean(dim=axes, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + eps) * gain + shift


def divided_by_the_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps) / gain + shift


def shift_subtracted(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps) * gain - shift


def eps_squared(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps**2) * gain + shift


def standardised(x: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)


def no_root_unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + eps) * gain + shift


def one_mean(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    spread = torch.sqrt(x.var(dim=-1, keepdim=True, correction=0) + eps)
    return (x - x.mean()) / spread * gain + shift


def one_spread(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(x.var(correction=0) + eps) * gain + shift


def one_spread_of_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean() + eps) * gain + shift


def gain_first(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x * gain, eps) + shift


def no_brackets(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
    return x - mean / torch.sqrt(variance + eps) * gain + shift


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
        kind="form",
    ),
    Misconception(
        name="eps-outside",
        answer=eps_outside,
        believed="eps is added to what one divides by.",
        says="You add eps to the standard deviation. At 1e-5 that hardly shows; with eps = 1 and "
        "variance 4 you divide by 3, and the formula divides by the root of 5.",
        hints=(
            "By what do you divide a token of variance 4 when eps is 1? By what does the formula?",
            "Look at the order of two operations: adding eps and taking the root.",
            "Which of the two comes first in the formula?",
        ),
        kind="form",
    ),
    Misconception(
        name="divisor-m-minus-1",
        answer=unbiased,
        believed="var() gives the variance of the formula.",
        says="Your numbers have a factor of the root of (m - 1)/m too much: 0.71 at width 2. By "
        "default, torch.var divides the sum of squares by m - 1.",
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
        variants=(no_root_unbiased,),
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
        says="Your mean runs over axis 0, so tokens normalise each other, or sequences do. A "
        "single token becomes all zeros.",
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
        says="Your output does not change when gain and shift do: the learned part is missing.",
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
            "Two operations are in the wrong order.",
            "Read the formula from the fraction outwards.",
        ),
    ),
    said(
        "shift-left-out",
        no_shift,
        "A norm has a gain only.",
        "Your output does not depend on `shift`. With gain 0 it is 0, and should be the shift.",
        "Which argument do you not use?",
        "It is added at the very end.",
    ),
    said(
        "gain-left-out",
        shift_alone,
        "A norm ends with variance 1.",
        "Your output does not depend on `gain`: each feature has the spread that the norm left.",
        "Which argument do you not use?",
        "It multiplies what the norm gives, before the shift is added.",
    ),
    said(
        "squares-not-centred",
        about_zero,
        "The mean is taken off once, above the fraction line.",
        "You take the mean away above the fraction line, and square x itself below it. A token far "
        "from 0, such as (101, 103), comes out nearly 0.",
        "What comes out for (1, 3), and for (101, 103)?",
        "The variance is the mean square of what?",
        "Square the centred numbers.",
    ),
    said(
        "eps-as-a-floor",
        clamped,
        "eps only matters where the variance is smaller.",
        "You take the larger of variance and eps. They are added: with variance 1 and eps 3 one "
        "divides by the root of 4.",
        "By what do you divide (1, 3) with eps = 3?",
        "Nothing is compared in the formula.",
        "Add eps to the variance, everywhere.",
        kind="form",
    ),
    said(
        "mean-distance",
        mean_distance,
        "The spread is the mean distance from the mean.",
        "You divide by the mean distance from the mean. The mean of your squares is then not 1.",
        "What is the mean square of your token?",
        "How is the variance defined?",
        "Square, average, add eps, take the root.",
    ),
    said(
        "one-plus-gain",
        one_plus_gain,
        "A gain is stored as its distance from 1.",
        "You multiply by 1 + gain. That is right for models that store the gain minus 1; here, "
        "with gain 0, your output still depends on x.",
        "What should come out where the gain is 0?",
        "Here the gain itself is the factor.",
    ),
    said(
        "sum-for-mean",
        summed_squares,
        "A norm makes a vector of length 1.",
        "You divide by the root of the sum of the squares, which gives length 1. Your numbers are "
        "too small by the root of m.",
        "What is the mean square of your token? And the sum?",
        "A variance is a mean.",
        "Divide the sum by m.",
    ),
    said(
        "over-each-sequence",
        over_sequence,
        "One sequence is normalised at a time.",
        "You take one mean for a whole sequence of a batch. If one token changes, your output then "
        "changes for the other tokens of its sequence.",
        "Change the last token of a sequence. Does your first one move?",
        "Which axis alone belongs to one token?",
        "Mean and variance run over the last axis, and no other.",
    ),
    said(
        "divided-by-the-gain",
        divided_by_the_gain,
        "A gain is a spread to divide by.",
        "You divide by the gain. A feature with twice the gain should come out twice as large.",
        "What should come out of a feature whose gain is 0?",
        "Multiply by the gain.",
    ),
    said(
        "shift-subtracted",
        shift_subtracted,
        "A shift is taken off, like the mean.",
        "You subtract the shift, and it is to be added.",
        "What should come out where the gain is 0?",
        "Change one sign.",
    ),
    said(
        "eps-squared",
        eps_squared,
        "eps is a spread.",
        "You add the square of eps to the variance. It is eps itself that is added, under the "
        "root.",
        "What do you divide by where the variance is 1 and eps is 3?",
        "Write variance + eps.",
        kind="form",
    ),
    said(
        "one-mean-for-all-tokens",
        one_mean,
        "The tokens share a mean.",
        "You subtract one mean from all tokens, and divide each by a spread of its own. Each token "
        "has its own mean, too.",
        "What is the mean of each of your tokens, with gain 1 and shift 0?",
        "Take the mean over the last axis, and keep that axis.",
    ),
    said(
        "one-spread-for-all-tokens",
        one_spread,
        "The tokens share a variance.",
        "You subtract the mean of each token, and divide all tokens by one spread. Each token has "
        "its own, so a loud token stays loud in yours.",
        "What is the variance of each of your tokens, with gain 1 and shift 0?",
        "Take the variance over the last axis, and keep that axis.",
        variants=(one_spread_of_centred,),
    ),
    said(
        "gain-before-the-norm",
        gain_first,
        "The gain scales what goes in.",
        "You multiply by the gain before the norm, which then changes mean and variance. The gain "
        "comes after the norm.",
        "With a gain of 2 for all features, does your output change?",
        "First standardise, then multiply by the gain, then add the shift.",
        kind="form",
    ),
    said(
        "brackets-missing",
        no_brackets,
        "x - mean / spread is read from left to right.",
        "You divide the mean by the spread and subtract the result from x. Python divides before "
        "it subtracts.",
        "What is 8 - 2 / 2 in Python?",
        "Put x - mean into brackets.",
    ),
)
