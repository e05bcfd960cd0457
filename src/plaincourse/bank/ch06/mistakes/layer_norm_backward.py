"""How 06.layer_norm_backward goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def parts(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(dim=-1, keepdim=True)
    spread = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    return centred / spread, spread


def only_spread(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return gradient / spread


def no_mean_term(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    return (gradient - y * (gradient * y).mean(dim=-1, keepdim=True)) / spread


def no_variance_term(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return (gradient - gradient.mean(dim=-1, keepdim=True)) / spread


def sums_for_means(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).sum(dim=-1, keepdim=True)
    return (gradient - gradient.sum(dim=-1, keepdim=True) - y * along_y) / spread


def no_division(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, _ = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y


def plus_for_minus(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) + y * along_y) / spread


def with_centred(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    centred = y * spread
    along = (gradient * centred).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - centred * along) / spread


def eps_dropped(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, 0.0)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def over_tokens(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean() - y * along_y) / spread


MISCONCEPTIONS = (
    Misconception(
        name="only-the-spread",
        answer=only_spread,
        believed="Mean and spread are constants.",
        says="Your result is the gradient over the spread: you treat mean and variance as "
        "constants. They move with x, and an even gradient should come out as 0.",
        hints=(
            "What happens to y when all of x grows by 1? So what must your result sum to?",
            "Mean and spread are functions of x.",
            "Two further terms come from them.",
        ),
    ),
    Misconception(
        name="no-mean-term",
        answer=no_mean_term,
        believed="Subtracting the mean has no derivative.",
        says="Your result does not sum to 0 over the features. That is right for RMSNorm; here "
        "the mean moves with x as well.",
        hints=(
            "What does your result sum to over the features?",
            "When x_i grows by 1, by how much does the mean grow?",
            "A term is missing that does not depend on y.",
        ),
    ),
    Misconception(
        name="no-variance-term",
        answer=no_variance_term,
        believed="The spread is a constant.",
        says="Your result sums to 0, and still has a part along y. But making x longer changes "
        "nothing in the output (with eps = 0), so the gradient cannot point that way.",
        hints=(
            "Take eps = 0 and the gradient y itself. What should come out?",
            "When x_i grows, the spread grows too.",
            "A term along y is missing.",
        ),
    ),
    Misconception(
        name="sums-for-means",
        answer=sums_for_means,
        believed="The chain rule gives sums.",
        says="Your two corrections are m times too large: you sum over the features where the 1/m "
        "of mean and variance makes an average.",
        hints=(
            "What is the derivative of the mean by x_i?",
            "Each of the two detours passes through a division by m.",
            "Replace sums by averages.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=no_division,
        believed="The gradient of a norm does not depend on the size of x.",
        says="Your result is the right direction and too large by the spread: it does not change "
        "when x is ten times as large. A norm that shrinks x shrinks the gradient.",
        hints=(
            "If x is ten times as large, how much does y move when x_i moves by 1?",
            "Look at the derivative of centred / spread by centred.",
            "A factor is missing that all terms share.",
        ),
    ),
    Misconception(
        name="wrong-sign",
        answer=plus_for_minus,
        believed="The variance adds to the gradient.",
        says="Your term along y has the wrong sign: a longer x makes the spread larger and y "
        "smaller.",
        hints=(
            "Take eps = 0 and the gradient y itself: you get 2 y over the spread. Is it right?",
            "The spread stands below the fraction line.",
            "One sign has to change.",
        ),
    ),
    Misconception(
        name="centred-for-y",
        answer=with_centred,
        believed="The correction is along the centred x.",
        says="Your correction uses the centred x where y belongs. It is right only where the "
        "spread happens to be 1.",
        hints=(
            "Make x ten times as large. By what factor does each of your terms change?",
            "The derivative of the spread by x_i is centred_i / (m spread).",
            "Two further divisions by the spread turn centred into y.",
        ),
    ),
    Misconception(
        name="eps-dropped",
        answer=eps_dropped,
        believed="eps can be left out of a derivative.",
        says="Your result does not depend on eps. With eps = 1e-6 that hardly shows; with eps = 1 "
        "the spread is another one, and y too.",
        hints=(
            "Which of your arguments is never used?",
            "eps is a part of the spread wherever the spread stands.",
            "Compute y and spread with eps, as in the forward pass.",
        ),
    ),
    Misconception(
        name="mean-over-all-tokens",
        answer=over_tokens,
        believed="The mean of the gradient is one number.",
        says="Your first correction averages the gradient over all tokens. With a single token "
        "your result is right; with several, tokens that never met influence each other.",
        hints=(
            "Change the gradient of token 1. Does your result for token 0 move?",
            "gradient.mean() is one number for all tokens.",
            "Average over the features alone, and keep the axis.",
        ),
    ),
)
