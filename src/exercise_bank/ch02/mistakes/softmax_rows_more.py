"""More ways that 02.softmax_rows goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def divided_by_the_sum_of_all(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum()


def softened_sum(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / (powers.sum(dim=-1, keepdim=True) + 1e-3)


def scaled_too(scores: Tensor) -> Tensor:
    scaled = scores / scores.shape[-1] ** 0.5
    powers = torch.exp(scaled - scaled.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def scaled_by_the_number(scores: Tensor) -> Tensor:
    scaled = scores / scores.shape[-1]
    powers = torch.exp(scaled - scaled.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def logarithms_of_the_weights(scores: Tensor) -> Tensor:
    return scores - torch.logsumexp(scores, dim=-1, keepdim=True)


def maximum_in_one_place(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return torch.exp(scores) / powers.sum(dim=-1, keepdim=True)


def maximum_above_only(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / torch.exp(scores).sum(dim=-1, keepdim=True)


def divided_by_the_mean_of_the_row(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.mean(dim=-1, keepdim=True)


def another_number_of_the_row(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores[..., :1])
    return powers / powers.sum(dim=-1, keepdim=True)


def half_of_the_largest(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True) / 2)
    return powers / powers.sum(dim=-1, keepdim=True)


def last_of_the_row(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores[..., -1:])
    return powers / powers.sum(dim=-1, keepdim=True)


def far_scores_lifted(scores: Tensor) -> Tensor:
    below = (scores - scores.amax(dim=-1, keepdim=True)).clamp(min=-5)
    powers = torch.exp(below)
    return powers / powers.sum(dim=-1, keepdim=True)


def far_scores_lifted_to_ten(scores: Tensor) -> Tensor:
    below = (scores - scores.amax(dim=-1, keepdim=True)).clamp(min=-10)
    powers = torch.exp(below)
    return powers / powers.sum(dim=-1, keepdim=True)


def constant_taken_off(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - 1000)
    return powers / powers.sum(dim=-1, keepdim=True)


def half_precision_inside(scores: Tensor) -> Tensor:
    exact = scores.half()
    powers = torch.exp(exact - exact.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def half_precision_and_back(scores: Tensor) -> Tensor:
    exact = scores.half()
    powers = torch.exp(exact - exact.amax(dim=-1, keepdim=True))
    return (powers / powers.sum(dim=-1, keepdim=True)).to(scores.dtype)


def brain_precision(scores: Tensor) -> Tensor:
    exact = scores.bfloat16()
    powers = torch.exp(exact - exact.amax(dim=-1, keepdim=True))
    return (powers / powers.sum(dim=-1, keepdim=True)).to(scores.dtype)


def one_maximum_in_float32(scores: Tensor) -> Tensor:
    exact = scores.float()
    powers = torch.exp(exact - exact.max())
    return powers / powers.sum(dim=-1, keepdim=True)


def columns_divided(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-2, keepdim=True)


def columns_divided_and_no_maximum(scores: Tensor) -> Tensor:
    powers = torch.exp(scores)
    return powers / powers.sum(dim=-2, keepdim=True)


MORE = (
    Misconception(
        name="divided-by-the-sum-of-a-column",
        answer=columns_divided,
        variants=(columns_divided_and_no_maximum,),
        believed="dim=-2 is the axis of the keys.",
        says="You divide by the sum over the queries, so your columns sum to 1. Each row is to be "
        "divided by its own sum, over the keys.",
        hints=(
            "What do your rows sum to, and what your columns?",
            "Which of the last two axes is that of the keys?",
            "Sum over dim=-1, with keepdim=True.",
        ),
    ),
    Misconception(
        name="divided-by-the-sum-of-all",
        answer=divided_by_the_sum_of_all,
        believed="All weights together sum to 1.",
        says="You divide by the sum over all rows, so your weights sum to 1 all together and not "
        "in each row.",
        hints=(
            "What does a row of your output sum to?",
            "Over which axis do you sum?",
            "Sum with dim=-1 and keepdim=True.",
        ),
    ),
    Misconception(
        name="softened-sum",
        answer=softened_sum,
        believed="A small number keeps the sum from being 0.",
        says="Your rows sum to less than 1. If you add a number to the sum below: it is not "
        "needed, since the sum is at least 1 after the largest score is taken off.",
        hints=(
            "What do your rows sum to?",
            "How small can the sum of your exponentials be?",
            "Leave the small number out.",
        ),
    ),
    Misconception(
        name="scaled-too",
        answer=scaled_too,
        variants=(scaled_by_the_number,),
        believed="Scores are divided by a root before the softmax.",
        says="You divide the scores by a number before the exponential. The task takes the scores "
        "as they are.",
        hints=(
            "The scores 0 and ln 3 get the weights 1/4 and 3/4. Which weights do you give?",
            "Which step belongs to attention and not to the softmax?",
            "Leave the division out.",
        ),
    ),
    Misconception(
        name="logarithms-of-the-weights",
        answer=logarithms_of_the_weights,
        believed="Scores less their logsumexp are the weights.",
        says="You return the logarithms of the weights: none is above 0. The weights are e to "
        "these numbers.",
        hints=(
            "What is the sum of a row of your output?",
            "Which step undoes the logarithm?",
            "Take exp of the result.",
        ),
    ),
    Misconception(
        name="maximum-in-one-place",
        answer=maximum_in_one_place,
        variants=(maximum_above_only,),
        believed="The largest score is taken off where it overflows.",
        says="You subtract the largest score in one place only, so your rows do not sum to 1. It "
        "cancels only if it is taken off above and below the line.",
        hints=(
            "What do your rows sum to?",
            "How often is the exponential in a softmax?",
            "Use the same exponentials in both places.",
        ),
    ),
    Misconception(
        name="divided-by-the-mean-of-the-row",
        answer=divided_by_the_mean_of_the_row,
        believed="A mean keeps the sizes right.",
        says="You divide by the mean of the exponentials, so your rows sum to the number of keys.",
        hints=(
            "What do your rows sum to?",
            "By what must numbers be divided so that they sum to 1?",
            "Replace the mean by a sum.",
        ),
    ),
    Misconception(
        name="another-number-of-the-row",
        answer=another_number_of_the_row,
        variants=(
            half_of_the_largest,
            last_of_the_row,
        ),
        believed="Any number of the row may be subtracted.",
        says="You subtract a number that can be far below the row's largest score. When a score "
        "lies far above it, its exp is inf, and inf / inf is nan.",
        hints=(
            "Which is the largest exponent after your subtraction?",
            "Any number cancels; only one makes the largest exponent 0.",
            "Subtract the maximum.",
        ),
    ),
    Misconception(
        name="far-scores-lifted",
        answer=far_scores_lifted,
        variants=(far_scores_lifted_to_ten,),
        believed="A score far below the largest is as good as a limit.",
        says="Scores far below the row's largest one get too large a weight. If you clamp the "
        "differences: exp of a very negative number is 0 and does no harm.",
        hints=(
            "What is exp(-1000)?",
            "Which weight do you give to a score that is 100 below the largest?",
            "Leave the clamp out.",
        ),
    ),
    Misconception(
        name="constant-taken-off",
        answer=constant_taken_off,
        believed="Scores are at most 1000, so 1000 may be taken off.",
        says="You subtract the same number from all scores, whatever they are. In a row of small "
        "scores every exp is then 0, and 0 / 0 is nan.",
        hints=(
            "What is exp(-1000)?",
            "Which number of the row makes the largest exponent 0?",
            "Subtract the row's own maximum.",
        ),
    ),
    Misconception(
        name="half-precision-inside",
        answer=half_precision_inside,
        variants=(
            half_precision_and_back,
            brain_precision,
        ),
        believed="Half precision is exact enough.",
        says="You compute in a half-precision type, which has two or three digits and rounds "
        "neighbouring scores near 1000 to one number.",
        hints=(
            "How many digits has a float16?",
            "To which number does a float16 round 999.3?",
            "Compute in the dtype of the scores.",
        ),
    ),
    Misconception(
        name="one-maximum-in-float32",
        answer=one_maximum_in_float32,
        believed="One maximum is enough, and so is float32.",
        says="A row that lies far below the largest score of another row comes out as nan: you "
        "subtract one maximum from all rows, and then every exp in it is 0. And you return "
        "float32 for scores in float64.",
        hints=(
            "What does your function give for the rows [0, 1] and [-1000, -999]?",
            "Each row needs its own maximum.",
            "Use amax with dim=-1 and keepdim=True, and keep the dtype.",
        ),
    ),
)
