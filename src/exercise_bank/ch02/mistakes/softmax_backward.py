"""How 02.softmax_backward goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def weight_times_gradient(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * gradient


def diagonal_only(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (1 - weights) * gradient


def plain_mean(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - gradient.mean(axis=-1, keepdims=True))


def plain_sum(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - gradient.sum(axis=-1, keepdims=True))


def own_weight_for_all(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - weights * gradient.sum(axis=-1, keepdims=True))


def over_queries(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).sum(axis=-2, keepdims=True))


def over_everything(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).sum())


def turned_round(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * ((weights * gradient).sum(axis=-1, keepdims=True) - gradient)


def no_outer_weight(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient - (weights * gradient).sum(axis=-1, keepdims=True)


def without_keepdims(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).sum(axis=-1))


def average_once_more(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * gradient - (weights * gradient).sum(axis=-1, keepdims=True)


def softmax_of_the_gradient(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    powers = np.exp(gradient - gradient.max(axis=-1, keepdims=True))
    return weights - powers / powers.sum(axis=-1, keepdims=True)


def always_float64(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    weights = weights.astype(np.float64)
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average)


def weights_squared(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights**2 * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average)


def bracket_divided(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return (gradient - average) / np.maximum(weights, 1e-12)


def jacobian_of_g(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return gradient * (weights - average)


def largest_taken_off(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - gradient.max(axis=-1, keepdims=True))


def average_added(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient + average)


def mean_of_products(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).mean(axis=-1, keepdims=True))


MISCONCEPTIONS = (
    Misconception(
        name="weight-times-gradient",
        answer=weight_times_gradient,
        believed="The derivative of a weight by its score is the weight itself, as with exp.",
        says="You return weight times gradient, as if you had differentiated exp and left out the "
        "sum below it. Raise all scores of a row together: no weight moves, so a right row of your "
        "result sums to 0, and yours need not.",
        hints=(
            "When score j rises, which weights change: only weight j?",
            "Every weight has the sum of all exponentials below it. What does that term add?",
            "Look at the row sums: by how much must each row be lowered, and in "
            "proportion to which numbers, so that it sums to 0?",
        ),
    ),
    Misconception(
        name="diagonal-only",
        answer=diagonal_only,
        believed="A score changes its own weight and no other.",
        says="You use a_j (1 - a_j) alone, the diagonal of the Jacobian. When score j rises, "
        "weight j grows and all others shrink. The gradient that comes through the others is "
        "missing, and your rows do not sum to 0.",
        hints=(
            "With two keys, what happens to the first weight when the second score rises?",
            "Write the chain rule for one score j. Over what does it sum?",
            "The terms with i other than j carry the factor -a_i a_j. Put them back in and look "
            "for a factor that all terms share.",
        ),
    ),
    Misconception(
        name="plain-mean",
        answer=plain_mean,
        believed="The average of the gradient is subtracted, in which each key counts the same.",
        says="You subtract the plain average of each row of the gradient, in which every key "
        "counts the same. The average is to be weighted: each entry counts by its weight.",
        hints=(
            "For which weights is your result right, and for which is it not?",
            "The average that is subtracted comes from the factors a_i a_j. Which keys does it "
            "hear most?",
            "It is an average under the weights, not a plain one.",
        ),
    ),
    Misconception(
        name="mean-of-the-products",
        answer=mean_of_products,
        believed="The weighted average is the mean of weight times gradient.",
        says="You take the mean of weights times gradient. The weights sum to 1 already, so the "
        "weighted average is the sum of these products: yours is too small by the number of keys.",
        hints=(
            "What must come out when all entries of the gradient are equal? What do you return?",
            "What do the weights of a row sum to?",
            "Take the sum over the last axis.",
        ),
    ),
    Misconception(
        name="plain-sum",
        answer=plain_sum,
        believed="The sum of the gradient is subtracted.",
        says="You subtract the plain sum of each row of the gradient. Give every weight the same "
        "gradient, 1: nothing is to be gained from moving attention about, so the result should "
        "be 0, and yours is not.",
        hints=(
            "What must come out when all entries of the gradient are equal? What do you return?",
            "In the chain rule each entry of the gradient meets a factor a_i. Where is it in your "
            "sum?",
            "The entries are weighted before they are added up.",
        ),
    ),
    Misconception(
        name="own-weight-for-all",
        answer=own_weight_for_all,
        believed="The slope of weight i by score j is -a_j a_j.",
        says="You weigh the gradients of all keys with one and the same weight, that of the key "
        "whose score moves. Each belongs to its own weight: the slope of weight i by score j is "
        "-a_i a_j.",
        hints=(
            "With a gradient of 2 everywhere, do your gradients vanish?",
            "Which of the two indices does the sum run over?",
            "Sum weights * gradient, and take that off.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=over_queries,
        believed="axis=-2 is the axis of the keys.",
        says="You add up over the queries. The weights of a query depend on its own scores only, "
        "so the sum belongs to its own row.",
        hints=(
            "Does the score of query 0 have any effect on the weights of query 1?",
            "Which axis did the softmax run over?",
            "The sum runs along a row, like the softmax that it is the derivative of.",
        ),
    ),
    Misconception(
        name="over-everything",
        answer=over_everything,
        believed="A sum needs no axis.",
        says="Your sum runs over all queries, and over the batch as well, as one without an axis "
        "does. These have nothing to do with each other: each row needs a sum of its own.",
        hints=(
            "How many numbers does your sum give for 3 queries, and how many should it give?",
            "Each query needs a number of its own.",
            "Name the axis, and keep it, so that the shapes still fit.",
        ),
    ),
    Misconception(
        name="turned-round",
        answer=turned_round,
        believed="The order of a difference does not matter.",
        says="Your numbers have the right size and the wrong sign: a key with a larger gradient "
        "than average gets a negative entry from you, so descent would raise the loss.",
        hints=(
            "Two keys, equal weights, gradient (1, 0). Raising score 0 raises weight 0. Does that "
            "raise or lower the loss?",
            "In a_i(δ_ij - a_j), which of the two terms is positive?",
            "Look at the order of the two terms in your bracket.",
        ),
    ),
    Misconception(
        name="no-outer-weight",
        answer=no_outer_weight,
        believed="The gradient less its average is all there is.",
        says="You return the gradient less its average, and do not multiply by the weights. In a "
        "row with the weights (1, 0) the second score should get 0.",
        hints=(
            "What should a key whose weight is 0 receive?",
            "Every entry of the Jacobian has a certain factor in it. Which?",
            "One more factor, of the same shape as the gradient, is missing outside the bracket.",
        ),
    ),
    Misconception(
        name="without-keepdims",
        answer=without_keepdims,
        believed="A vector of row sums lines up with the rows.",
        says="Your row sums have lost their last axis. With as many queries as keys, NumPy aligns "
        "them with the columns, so key j loses the average of query j; with other sizes, shapes "
        "clash.",
        hints=(
            "What is the shape of your sum, and how does it broadcast against (q, k)?",
            "It should be a column: one number for each row.",
            "sum has an option that keeps the axis it summed over.",
        ),
    ),
    Misconception(
        name="average-once-more",
        answer=average_once_more,
        believed="The average is subtracted at the end.",
        says="You subtract the weighted average from each entry alike, whatever its weight. A key "
        "with weight 0 should receive 0; from you it receives minus the average.",
        hints=(
            "What should a key whose weight is 0 receive? What do you give it?",
            "Multiply out a_j (g_j - average). Which factor does the second term have?",
            "The weight belongs in front of both terms.",
        ),
    ),
    Misconception(
        name="softmax-of-the-gradient",
        answer=softmax_of_the_gradient,
        believed="The gradient of a softmax is softmax minus target.",
        says="You return weights minus a softmax of the gradient. Softmax minus target is the "
        "gradient of one certain loss, the cross-entropy. Here the loss is unknown, and you "
        "are given its gradient by the weights: twice the gradient should give twice the "
        "result, and yours does not.",
        hints=(
            "Double the gradient. What should your result do? What does it do?",
            "A chain rule is linear in the incoming gradient.",
            "Start from the Jacobian: entry (i, j) times gradient i, added up over i.",
        ),
    ),
    Misconception(
        name="always-float64",
        kind="form",
        answer=always_float64,
        believed="NumPy computes in float64.",
        says="Your output is float64 for every input. A float32 gradient is to stay float32.",
        hints=(
            "Print the dtype of the gradient and of your result.",
            "Where do you make a new array? It is float64 unless you say otherwise.",
            "Compute with the arrays that you are given.",
        ),
    ),
    Misconception(
        name="weights-squared",
        answer=weights_squared,
        believed="The average is weighted twice.",
        says="You subtract an average with squared weights. Where every weight gains the "
        "same, the scores still get a gradient from you.",
        hints=(
            "With a gradient of 2 everywhere, what is your average?",
            "The weights of an average sum to 1.",
            "Use weights * gradient once.",
        ),
    ),
    Misconception(
        name="bracket-divided",
        answer=bracket_divided,
        believed="A weight cancels on the way.",
        says="You divide the bracket by the weight where it is to be multiplied: the smallest "
        "weights get the largest gradients.",
        hints=(
            "How much can a weight near 0 move?",
            "The slope of a weight is in proportion to the weight.",
            "Multiply by the weight.",
        ),
    ),
    Misconception(
        name="jacobian-of-the-gradient",
        answer=jacobian_of_g,
        believed="The roles of weights and gradient are alike.",
        says="You exchange weights and gradient: the bracket is to be multiplied by the weight, "
        "and the gradient is inside it.",
        hints=(
            "Which of the two sums to 1 in each row?",
            "g is averaged with the weights.",
            "weights · (gradient less its average).",
        ),
    ),
    Misconception(
        name="largest-taken-off",
        answer=largest_taken_off,
        believed="The largest gradient is subtracted.",
        says="You subtract the row's largest gradient, not its average, so none of your gradients "
        "is positive.",
        hints=(
            "With a gradient of 2 and 0 and equal weights, which score goes up?",
            "What counts is more or less than the average.",
            "Take the average by the weights.",
        ),
    ),
    Misconception(
        name="average-added",
        answer=average_added,
        believed="The gradients are added up.",
        says="You add the row's average, which is to be subtracted. When all gradients of a row "
        "are equal, your output is not 0.",
        hints=(
            "With a gradient of 2 everywhere, what should come out?",
            "The same added to all scores changes nothing.",
            "Take the average off.",
        ),
    ),
)
