"""More ways that 02.softmax_backward goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def by_logarithms(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    scores = np.log(weights.astype(np.float64))
    scores = scores - scores.mean(axis=-1, keepdims=True)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    average = (shares * gradient).sum(axis=-1, keepdims=True)
    return (shares * (gradient - average)).astype(gradient.dtype)


def axis_1(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=1, keepdims=True)
    return weights * (gradient - average)


def weights_squared_outside(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights**2 * (gradient - average)


def divided_besides(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average) / weights.shape[-1]


def divided_by_the_root(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average) / weights.shape[-1] ** 0.5


def weights_less_gradient(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights - gradient


def gradient_less_weights(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient - weights


def divided_by_the_weights(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient / weights


def divided_by_the_weights_and_centred(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return (gradient - average) / weights


def own_term_left_out(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * weights * gradient - weights * average


def softmax_of_the_weights(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    average = (shares * gradient).sum(axis=-1, keepdims=True)
    return shares * (gradient - average)


def log_softmax(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient - weights * gradient.sum(axis=-1, keepdims=True)


def always_float32(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    weights, gradient = weights.astype(np.float32), gradient.astype(np.float32)
    average = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - average)


def one_axis_in_front(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    out = np.zeros_like(weights)
    for i in range(len(weights)):
        out[i] = weights[i] * (gradient[i] - weights[i] @ gradient[i])
    return out


def jacobian_of_each_entry(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    out = np.zeros_like(weights)
    for i in range(len(weights)):
        out[i] = (np.diag(weights[i]) - np.outer(weights[i], weights[i])) @ gradient[i]
    return out


def over_queries_and_no_weight(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient - (weights * gradient).sum(axis=-2, keepdims=True)


def mean_over_queries_and_no_weight(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return gradient - gradient.mean(axis=-2, keepdims=True)


def over_queries_and_one_term(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - gradient.sum(axis=-2, keepdims=True))


def over_queries_and_plain_mean(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - gradient.mean(axis=-2, keepdims=True))


MORE = (
    Misconception(
        name="over-queries-and-no-outer-weight",
        answer=over_queries_and_no_weight,
        variants=(mean_over_queries_and_no_weight,),
        believed="The average over the queries is taken off, and that is all.",
        says="The number that you subtract is an average or a sum over the queries: it should be "
        "taken over the keys of one row. And you do not multiply the difference by the weight.",
        hints=(
            "What do your rows sum to?",
            "Which axis holds the keys of one row? Which factor do both terms have?",
            "Sum over axis=-1, and multiply the bracket by the weights.",
        ),
    ),
    Misconception(
        name="over-queries-and-unweighted",
        answer=over_queries_and_one_term,
        variants=(over_queries_and_plain_mean,),
        believed="The gradients of a column are centred.",
        says="The number that you subtract is a plain sum or mean over the queries. It should be "
        "an average over the keys of one row, with their weights.",
        hints=(
            "What do your rows sum to?",
            "Which axis holds the keys of one row?",
            "Sum weights * gradient over axis=-1.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=axis_1,
        believed="Axis 1 is the axis of the keys.",
        says="You sum over axis 1. In a single matrix that is the keys; with an axis in front it "
        "is the queries, and your rows do not sum to 0.",
        hints=(
            "What do the rows of your output sum to if there is a batch?",
            "Which axis holds the keys, whatever is in front?",
            "Use axis=-1.",
        ),
    ),
    Misconception(
        name="weights-squared-outside",
        answer=weights_squared_outside,
        believed="The weight comes in twice.",
        says="You multiply by the square of the weights. One weight is enough.",
        hints=(
            "What do your rows sum to?",
            "How often can a weight be pulled out of both terms?",
            "Multiply by the weights once.",
        ),
    ),
    Misconception(
        name="divided-besides",
        answer=divided_besides,
        variants=(divided_by_the_root,),
        believed="The gradient is a mean over the keys.",
        says="Your gradients have the right proportions and are too small. The derivative of the "
        "softmax has no further divisor.",
        hints=(
            "By which factor are your numbers off?",
            "Does the factor change with the number of keys?",
            "Leave the division out.",
        ),
    ),
    Misconception(
        name="weights-less-gradient",
        answer=weights_less_gradient,
        variants=(gradient_less_weights,),
        believed="As in the cross-entropy, the gradient is a difference.",
        says="You return the difference of the two arguments. That is the gradient of a cross-"
        "entropy, which has another loss behind it; here any loss may be.",
        hints=(
            "Which loss has the gradient a - y by its scores?",
            "Write the chain rule with the Jacobian of the softmax.",
            "The result is weights * (gradient - one number for the row).",
        ),
    ),
    Misconception(
        name="divided-by-the-weights",
        answer=divided_by_the_weights,
        variants=(divided_by_the_weights_and_centred,),
        believed="The softmax is undone by its weights.",
        says="You divide by the weights. The slope of a weight by its score is larger, the larger "
        "the weight is, up to one half.",
        hints=(
            "What should a score with the weight 0 get?",
            "What is the slope of a weight by its own score?",
            "Multiply by the weights.",
        ),
    ),
    Misconception(
        name="own-term-left-out",
        answer=own_term_left_out,
        believed="A score moves the other weights only.",
        says="You leave out one of the two terms of a weight's slope by its own score, a(1 - a): "
        "your sum runs over the other keys, or a product is missing.",
        hints=(
            "What is the slope of a weight by its own score?",
            "What do your rows sum to?",
            "Add the term of the key itself.",
        ),
    ),
    Misconception(
        name="softmax-of-the-weights",
        answer=softmax_of_the_weights,
        believed="The first argument holds scores.",
        says="You apply a softmax to the weights. The first argument holds weights already.",
        hints=(
            "What do the rows of the first argument sum to?",
            "With the weights (1, 0), what should the second score get?",
            "Use the weights as they are.",
        ),
    ),
    Misconception(
        name="log-softmax",
        answer=log_softmax,
        believed="The gradient of the log-softmax is that of the softmax.",
        says="You return the gradient less the weights times the sum of the gradients. That is the"
        " gradient of the logarithms of the weights; here g is the gradient by the weights "
        "themselves.",
        hints=(
            "With the weights (1, 0), what should the second score get?",
            "What is the slope of ln a by the scores, and what is that of a?",
            "Multiply by the weights, and sum weights times gradient.",
        ),
    ),
    Misconception(
        name="always-float32",
        answer=always_float32,
        kind="form",
        believed="float32 is exact enough.",
        says="You turn float64 into float32: your output has the wrong dtype and seven digits.",
        hints=(
            "What is the dtype of your output for a float64 input?",
            "Where does your code change the dtype?",
            "Leave the dtype as it is.",
        ),
    ),
    Misconception(
        name="scores-from-logarithms",
        answer=by_logarithms,
        kind="corner",
        believed="A weight has a logarithm.",
        says="You return nan where a weight is exactly 0. If you take logarithms of the weights: "
        "that of 0 is minus infinity, and with it further steps give nan.",
        hints=(
            "Print np.log(0.0), and the mean of a row that contains it.",
            "Which of your steps first gives nan for the weights (1, 0, 0)?",
            "No logarithm is needed: the gradient needs the weights alone.",
        ),
    ),
    Misconception(
        name="one-axis-in-front",
        answer=one_axis_in_front,
        variants=(jacobian_of_each_entry,),
        believed="The first axis holds the rows.",
        says="Your function is right for a single matrix, and not with axes in front. If you loop "
        "over the first axis: with axes in front each of its entries is a whole matrix.",
        hints=(
            "What is weights[0] if the input has three axes?",
            "Which axis holds the numbers of one row?",
            "Sum over the last axis, with keepdims=True.",
        ),
    ),
)
