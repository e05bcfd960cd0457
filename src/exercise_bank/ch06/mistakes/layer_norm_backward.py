"""How 06.layer_norm_backward goes wrong."""

from functools import partial

from exercise_bank.ch06.mistakes import layer_norm_backward_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="only-the-spread",
        answer=code.only_spread,
        believed="Mean and spread are constants.",
        says="Your result is the gradient divided by the spread, because you treat mean and "
        "variance as constants. They depend on x, and for a gradient of equal numbers the result "
        "should be 0.",
        hints=(
            "How does y change when all of x grows by 1? What must your result then sum to?",
            "Mean and spread are functions of x.",
            "Their derivatives give two further terms.",
        ),
    ),
    Misconception(
        name="no-mean-term",
        answer=code.no_mean_term,
        believed="The mean is a constant.",
        says="Your result does not sum to 0 over the features. That is right for RMSNorm, but in "
        "LayerNorm the mean depends on x as well.",
        variants=(
            code.no_mean_and_a_sum,
            code.no_mean_and_plus,
            code.no_mean_and_centred,
            code.no_mean_and_twice,
        ),
        hints=(
            "What does your result sum to over the features?",
            "When x_i grows by 1, by how much does the mean grow?",
            "A term is missing that does not depend on y.",
        ),
    ),
    Misconception(
        name="no-variance-term",
        answer=code.no_variance_term,
        believed="The spread is a constant.",
        says="Your result still has a part along y, because the derivative of the variance is "
        "missing. With eps = 0 a longer x does not change the output, so the gradient has no part "
        "along y.",
        hints=(
            "With eps = 0 and the gradient y itself, what should the result be?",
            "When x_i grows, the spread grows too.",
            "A term along y is missing.",
        ),
    ),
    Misconception(
        name="sums-for-means",
        answer=code.sums_for_means,
        believed="The chain rule gives sums.",
        says="You sum over the features, but mean and variance contain 1/m, which makes the sum an "
        "average. So one of your corrections, or both, are m times too large.",
        variants=(code.sum_for_the_mean, code.sum_along_y),
        hints=(
            "What is the derivative of the mean with respect to x_i?",
            "Mean and variance each contain a division by m.",
            "Replace sums by averages.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=code.no_division,
        believed="The gradient of a norm does not depend on the size of x.",
        says="Your result is too large by a factor of the spread, so it does not change when x is "
        "ten times as large. A norm that shrinks x also shrinks the gradient.",
        hints=(
            "If x is ten times as large, how much does y change when x_i changes by 1?",
            "What is the derivative of centred / spread with respect to centred, if spread is "
            "constant?",
            "A factor that all terms share is missing.",
        ),
    ),
    Misconception(
        name="wrong-sign",
        answer=code.plus_for_minus,
        believed="The variance adds to the gradient.",
        says="Your term along y has the wrong sign. A longer x makes the spread larger and y "
        "smaller.",
        hints=(
            "With eps = 0 and the gradient y itself, you get 2 y divided by the spread. What "
            "should the result be?",
            "The spread is in the denominator.",
            "One sign has to change.",
        ),
    ),
    Misconception(
        name="centred-for-y",
        answer=code.with_centred,
        believed="The correction is along the centred x.",
        says="Your correction contains the centred x instead of y. That is right only if the "
        "spread happens to be 1.",
        hints=(
            "If you make x ten times as large, by which factor does each of your terms change?",
            "The derivative of the spread with respect to x_i is centred_i / (m spread).",
            "Two further divisions by the spread turn centred into y.",
        ),
    ),
    Misconception(
        name="eps-dropped",
        answer=code.eps_dropped,
        believed="eps can be left out of a derivative.",
        says="Your result does not depend on eps. With eps = 1e-6 that hardly makes a difference, "
        "but eps = 1 changes the spread, and so also y.",
        hints=(
            "Which of your arguments do you not use?",
            "eps is a part of the spread wherever the spread is used.",
            "Compute y and spread with eps, as in the forward pass.",
        ),
    ),
    Misconception(
        name="mean-over-all-tokens",
        answer=code.over_tokens,
        believed="The mean of the gradient is one number.",
        says="Your first correction averages the gradient over all tokens. With several tokens, "
        "the gradient of one then changes your result for another.",
        hints=(
            "Change the gradient of token 1. Does your result for token 0 change?",
            "gradient.mean() is one number for all tokens.",
            "Average over the features only, and keep the axis.",
        ),
    ),
    said(
        "only-the-diagonal",
        code.diagonal,
        "Only the derivative of y_i with respect to x_i matters.",
        "You multiply each entry of the gradient by the derivative of y_i with respect to its own "
        "x_i. But x_i changes the mean and the spread, and through them every y_j.",
        "How much does y_0 change when x_1 grows?",
        "dL/dx_i is a sum over all j.",
        "The parts that all j share become averages over the features.",
    ),
    said(
        "divided-by-the-variance",
        code.by_variance,
        "The spread and the variance are the same.",
        "Your direction is right, but you divide by the variance plus eps instead of its root.",
        "If x is ten times as large, by which factor does your result shrink, and by which should "
        "it?",
        "y is centred divided by which quantity?",
        "Divide by the root.",
    ),
    said(
        "divisor-m-minus-1",
        code.unbiased,
        "var() gives the variance of LayerNorm.",
        "Your spread divides the sum of squares by m - 1, as torch.var does by default, but "
        "LayerNorm divides by m.",
        "Which number does the argument `correction` of torch.var change?",
        "Take the plain mean of the squares.",
    ),
    said(
        "variance-counted-twice",
        code.twice_the_variance,
        "The derivative of the square leaves a factor of 2.",
        "Your part along y is twice as large as it should be. The 2 from the square cancels the "
        "half from the root.",
        "What is the derivative of the root of v with respect to v?",
        "With eps near 0 and the gradient y itself, the result should be 0, but yours is -y "
        "divided by the spread.",
        "Take half of your second correction.",
    ),
    said(
        "over-axis-0",
        code.over_axis_0,
        "Means run over the tokens.",
        "Your result for a single token is 0. It is so if your means run over axis 0, where they "
        "mix tokens.",
        "What is your result for a single token?",
        "Count the axis from the end.",
    ),
    said(
        "eps-left-out-of-the-division",
        code.eps_in_y_only,
        "eps is part of y, but not of its derivative.",
        "Your y contains eps, but your divisor at the end does not.",
        "By which number is centred divided in the forward pass?",
        "The gradient is divided by the same number.",
    ),
    said(
        "eps-left-out-along-y",
        code.eps_left_out_along_y,
        "The two spreads in the part along y make a variance.",
        "In your part along y, eps is missing, wholly or in part. This part is y times the mean of "
        "gradient times y, divided by the spread. Each y and the spread contain eps.",
        "Write y as centred divided by the spread, in both places. What is the square of the "
        "spread?",
        "Compute y once, with eps, and use it twice.",
        variants=(code.eps_left_out_of_the_variance, code.eps_left_out_of_one_y),
    ),
    said(
        "multiplied-by-the-spread",
        code.multiplied,
        "The forward pass divides by the spread, so the backward pass multiplies by it.",
        "You multiply by the spread. If x is ten times as large, the same step in x changes y by a "
        "tenth of the old amount, so the result should shrink. Yours grows.",
        "What is the derivative of x / s with respect to x?",
        "Both the forward and the backward pass divide by the spread.",
    ),
    said(
        "gradient-times-y",
        code.forward,
        "The gradient is multiplied by the output of the layer.",
        "You multiply the gradient by y. That is the gradient of a gain, but the task asks for the "
        "gradient of x.",
        "In gain * norm(x), which derivative is norm(x)?",
        "Differentiate the norm with respect to x.",
    ),
    said(
        "eps-outside",
        code.eps_outside,
        "eps is added to the divisor.",
        "You add eps to the standard deviation, but it belongs inside the root. With variance 1 "
        "and eps 3, LayerNorm divides by 2.",
        "What is your spread for (1, 3) with eps = 3?",
        "Which comes first, adding eps or taking the root?",
    ),
    said(
        "both-parts-added",
        partial(code.along, part="added"),
        "The other two paths are added.",
        "You add two parts that should be subtracted: the mean of the gradient, and its part along "
        "y.",
        "If you add the same number to all of x, y does not change. What should the gradient in "
        "that direction be?",
        "Change both signs.",
    ),
    said(
        "x-for-y",
        partial(code.along, part="x"),
        "The part from the variance is along x.",
        "In the part that comes from the variance, you multiply by x itself. The derivative of the "
        "variance contains x minus its mean.",
        "If you add 100 to all of x, how should the gradient change?",
        "Multiply by y, the normalised token.",
    ),
    said(
        "no-y-in-the-part",
        partial(code.along, part="no y"),
        "The part along y is a number.",
        "You subtract the mean of gradient times y, the same number from every feature. It should "
        "first be multiplied by y.",
        "A change of which features changes the variance most?",
        "Multiply that mean by y.",
    ),
    said(
        "half-of-the-part",
        partial(code.along, part="half"),
        "The derivative of a root leaves a half.",
        "You subtract half of the part along y. The half from the derivative of the root cancels "
        "the 2 from the derivative of the square.",
        "What is the derivative of the square of x with respect to x?",
        "The product of the two factors is 1.",
    ),
)
