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
        answer=code.no_mean_term,
        believed="Subtracting the mean has no derivative.",
        says="Your result does not sum to 0 over the features. That is right for RMSNorm; here "
        "the mean moves with x as well.",
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
        says="Your result still has a part along y: the derivative of the variance is missing. "
        "With eps = 0 a longer x does not change the output, so the gradient has no part along y.",
        hints=(
            "Take eps = 0 and the gradient y itself. What should come out?",
            "When x_i grows, the spread grows too.",
            "A term along y is missing.",
        ),
    ),
    Misconception(
        name="sums-for-means",
        answer=code.sums_for_means,
        believed="The chain rule gives sums.",
        says="You sum over the features where the 1/m of mean or variance makes an average, so a "
        "correction of yours is m times too large.",
        variants=(code.sum_for_the_mean, code.sum_along_y),
        hints=(
            "What is the derivative of the mean by x_i?",
            "Each of the two detours passes through a division by m.",
            "Replace sums by averages.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=code.no_division,
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
        answer=code.plus_for_minus,
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
        answer=code.with_centred,
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
        answer=code.eps_dropped,
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
        answer=code.over_tokens,
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
        code.diagonal,
        "The derivative of y_i by x_i is all there is.",
        "You multiply each entry of the gradient by the derivative of y_i by its own x_i. But x_i "
        "moves the mean and the spread, and so every y_j.",
        "How much does y_0 move when x_1 grows?",
        "dL/dx_i is a sum over all j.",
        "The parts that all j share become averages over the features.",
    ),
    said(
        "divided-by-the-variance",
        code.by_variance,
        "The spread and the variance are the same.",
        "Your direction is right. You divide by the variance plus eps where its root belongs.",
        "If x is ten times as large, by what is your result divided? By what should it be?",
        "y is centred over which quantity?",
        "Divide by the root.",
    ),
    said(
        "divisor-m-minus-1",
        code.unbiased,
        "var() gives the variance of LayerNorm.",
        "Your spread divides the sum of squares by m - 1, as torch.var does by default. LayerNorm "
        "divides by m.",
        "What does `correction` do in torch.var?",
        "Take the plain mean of the squares.",
    ),
    said(
        "variance-counted-twice",
        code.twice_the_variance,
        "The 2 of the square stays.",
        "Your part along y is twice too large. The 2 from the square meets the half from the root.",
        "What is the derivative of the root of v by v?",
        "Take eps near 0 and the gradient y itself. The result should be 0; yours is -y over the "
        "spread.",
        "Half of your second correction is right.",
    ),
    said(
        "over-axis-0",
        code.over_axis_0,
        "Means run over the tokens.",
        "Your means run over axis 0, so tokens normalise each other. A token alone gets "
        "the gradient 0.",
        "What do you get for a single token?",
        "Count the axis from the end.",
    ),
    said(
        "eps-left-out-of-the-division",
        code.eps_in_y_only,
        "eps is part of y, but not of its derivative.",
        "Your y holds eps, and what you divide by at the end does not.",
        "By what is centred divided in the forward pass?",
        "The same quantity divides the gradient.",
    ),
    said(
        "eps-left-out-along-y",
        code.eps_left_out_along_y,
        "The two spreads in the part along y make a variance.",
        "Your part along y leaves eps out, wholly or in part. This part is y times the mean of "
        "gradient times y, divided by the spread. Each y and the spread hold eps.",
        "Write y as centred over the spread, in both places. What is the square of the spread?",
        "Compute y once, with eps, and use it twice.",
        variants=(code.eps_left_out_of_the_variance, code.eps_left_out_of_one_y),
    ),
    said(
        "multiplied-by-the-spread",
        code.multiplied,
        "The backward pass multiplies by what the forward pass divides by.",
        "You multiply by the spread. If x is ten times as large, y moves a tenth as much, and your "
        "result grows.",
        "What is the derivative of x / s by x?",
        "It is divided in both directions.",
    ),
    said(
        "gradient-times-y",
        code.forward,
        "The gradient is multiplied by the output of the layer.",
        "You multiply the gradient by y. That is the gradient of a gain; the task asks for that "
        "of x.",
        "Whose derivative is y? Write y = gain * norm(x).",
        "Differentiate the norm by x.",
    ),
    said(
        "eps-outside",
        code.eps_outside,
        "eps is added to the divisor.",
        "You add eps to the standard deviation. It belongs inside the root: with variance 1 and "
        "eps 3, LayerNorm divides by 2.",
        "What is your spread for (1, 3) with eps = 3?",
        "Which comes first, adding eps or the root?",
    ),
    said(
        "both-parts-added",
        partial(code.along, part="added"),
        "What goes other ways is added.",
        "You add both parts that are to be subtracted: the mean of the gradient, and its part "
        "along y.",
        "Add the same number to all of x. What should the gradient in that direction be?",
        "Turn both signs.",
    ),
    said(
        "x-for-y",
        partial(code.along, part="x"),
        "The part is one along x.",
        "In the part that comes from the variance you multiply by x itself. The variance moves "
        "with x less its mean.",
        "Add 100 to all of x. What should happen to your gradient?",
        "Multiply by y, the normalised token.",
    ),
    said(
        "no-y-in-the-part",
        partial(code.along, part="no y"),
        "The part along y is a number.",
        "You subtract the mean of gradient times y from every feature alike. It is to be "
        "multiplied by y first.",
        "Which features change the variance most if they move?",
        "Multiply that mean by y.",
    ),
    said(
        "half-of-the-part",
        partial(code.along, part="half"),
        "The derivative of a root leaves a half.",
        "You subtract half of the part along y. The half of the root's derivative meets the 2 of "
        "the square's.",
        "What is the derivative of the square of x by x?",
        "Both factors together give 1.",
    ),
)
