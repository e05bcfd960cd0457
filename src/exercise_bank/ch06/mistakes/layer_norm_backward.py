"""How 06.layer_norm_backward goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
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


def diagonal(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    return gradient * (1 - (1 + y.square()) / x.shape[-1]) / spread


def by_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return no_division(x, gradient, eps) / spread.square()


def unbiased(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    spread = torch.sqrt(x.var(dim=-1, keepdim=True) + eps)
    y = (x - x.mean(dim=-1, keepdim=True)) / spread
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def twice_the_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = 2 * (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def over_axis_0(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=0, keepdim=True)
    spread = torch.sqrt(centred.square().mean(dim=0, keepdim=True) + eps)
    y = centred / spread
    along_y = (gradient * y).mean(dim=0, keepdim=True)
    return (gradient - gradient.mean(dim=0, keepdim=True) - y * along_y) / spread


def eps_in_y_only(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    spread = x.std(dim=-1, keepdim=True, correction=0)
    return no_division(x, gradient, eps) / spread


def eps_left_out_along_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    along = centred * (gradient * centred).mean(dim=-1, keepdim=True) / variance
    return (gradient - gradient.mean(dim=-1, keepdim=True) - along) / torch.sqrt(variance + eps)


def eps_left_out_of_the_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    direct = (gradient - gradient.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps)
    return direct - centred * (gradient * centred).mean(dim=-1, keepdim=True) / variance**1.5


def eps_left_out_of_one_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    bare, _ = parts(x, 0.0)
    along = bare * (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - along) / spread


def multiplied(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return no_division(x, gradient, eps) * spread


def forward(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return parts(x, eps)[0] * gradient


def eps_outside(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    spread = centred.square().mean(dim=-1, keepdim=True).sqrt() + eps
    y = centred / spread
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def combined(x: Tensor, gradient: Tensor, eps: float, *, mean: float = 1, y: float = 1) -> Tensor:
    """Return the gradient with these factors before the mean and before the part along y."""
    unit, spread = parts(x, eps)
    along_y = (gradient * unit).mean(dim=-1, keepdim=True)
    taken = mean * gradient.mean(dim=-1, keepdim=True) + y * unit * along_y
    return (gradient - taken) / spread


def no_mean_and_a_sum(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=x.shape[-1])


def no_mean_and_plus(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=-1)


def no_mean_and_twice(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=2)


def no_mean_and_centred(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - y * along * spread.square()) / spread


def sum_for_the_mean(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=x.shape[-1])


def sum_along_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, y=x.shape[-1])


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
        variants=(no_mean_and_a_sum, no_mean_and_plus, no_mean_and_centred, no_mean_and_twice),
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
        says="Your result still has a part along y. But making x longer changes nothing in the "
        "output (with eps = 0), so the gradient cannot point that way.",
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
        says="You sum over the features where the 1/m of mean or variance makes an average, so a "
        "correction of yours is m times too large.",
        variants=(sum_for_the_mean, sum_along_y),
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
        says="Your result is too large by the factor of the spread: it does not change when x is "
        "ten times as large. A norm that shrinks x shrinks the gradient, too.",
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
        "the spread differs, and so does y.",
        hints=(
            "Which of your arguments is never used?",
            "eps is a part of the spread wherever the spread is used.",
            "Compute y and spread with eps, as in the forward pass.",
        ),
    ),
    Misconception(
        name="mean-over-all-tokens",
        answer=over_tokens,
        believed="The mean of the gradient is one number.",
        says="Your first correction averages the gradient over all tokens. With several tokens, "
        "the gradient of one then changes your result for another.",
        hints=(
            "Change the gradient of token 1. Does your result for token 0 move?",
            "gradient.mean() is one number for all tokens.",
            "Average over the features alone, and keep the axis.",
        ),
    ),
    said(
        "only-the-diagonal",
        diagonal,
        "The derivative of y_i by x_i is all there is.",
        "You multiply each entry of the gradient by the derivative of y_i by its own x_i. But x_i "
        "moves the mean and the spread, and so every y_j.",
        "How much does y_0 move when x_1 grows?",
        "dL/dx_i is a sum over all j.",
        "The parts that all j share become averages over the features.",
    ),
    said(
        "divided-by-the-variance",
        by_variance,
        "The spread and the variance are the same.",
        "Your direction is right. You divide by the variance plus eps where its root belongs.",
        "If x is ten times as large, by what is your result divided? By what should it be?",
        "y is centred over which quantity?",
        "Divide by the root.",
    ),
    said(
        "divisor-m-minus-1",
        unbiased,
        "var() gives the variance of LayerNorm.",
        "Your spread divides the sum of squares by m - 1, as torch.var does by default. LayerNorm "
        "divides by m.",
        "What does `correction` do in torch.var?",
        "Take the plain mean of the squares.",
    ),
    said(
        "variance-counted-twice",
        twice_the_variance,
        "The 2 of the square stays.",
        "Your part along y is twice too large. The 2 from the square meets the half from the root.",
        "What is the derivative of the root of v by v?",
        "Take eps near 0 and the gradient y itself. The result should be 0; yours is -y over the "
        "spread.",
        "Half of your second correction is right.",
    ),
    said(
        "over-axis-0",
        over_axis_0,
        "Means run over the tokens.",
        "Your means run over axis 0, so tokens normalise each other. A token alone gets "
        "the gradient 0.",
        "What do you get for a single token?",
        "Count the axis from the end.",
    ),
    said(
        "eps-left-out-of-the-division",
        eps_in_y_only,
        "eps is part of y, but not of its derivative.",
        "Your y holds eps, and what you divide by at the end does not.",
        "By what is centred divided in the forward pass?",
        "The same quantity divides the gradient.",
    ),
    said(
        "eps-left-out-along-y",
        eps_left_out_along_y,
        "The two spreads in the part along y make a variance.",
        "Your part along y leaves eps out, wholly or in part. The root of the variance plus eps "
        "divides it three times: once in each of its two y, and once as a whole.",
        "Write y as centred over the spread, in both places. What is the square of the spread?",
        "Compute y once, with eps, and use it twice.",
        variants=(eps_left_out_of_the_variance, eps_left_out_of_one_y),
    ),
    said(
        "multiplied-by-the-spread",
        multiplied,
        "The backward pass multiplies by what the forward pass divides by.",
        "You multiply by the spread. If x is ten times as large, y moves a tenth as much, and your "
        "result grows.",
        "What is the derivative of x / s by x?",
        "It is divided in both directions.",
    ),
    said(
        "gradient-times-y",
        forward,
        "The gradient is multiplied by the output of the layer.",
        "You multiply the gradient by y. That is the gradient of a gain; the task asks for that "
        "of x.",
        "Whose derivative is y? Write y = gain * norm(x).",
        "Differentiate the norm by x.",
    ),
    said(
        "eps-outside",
        eps_outside,
        "eps is added to the divisor.",
        "You add eps to the standard deviation. It belongs inside the root: with variance 1 and "
        "eps 3, LayerNorm divides by 2.",
        "What is your spread for (1, 3) with eps = 3?",
        "Which comes first, adding eps or the root?",
    ),
)
