"""More ways that 01.additive_scores goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def tanh_of_one(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = np.tanh(query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return pairs @ w


def tanh_of_the_key(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + np.tanh(key @ w_key.T)[None, :]
    return pairs @ w


def sign_of_the_difference(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (key @ w_key.T)[None, :] - (query @ w_query.T)[:, None]
    return np.tanh(pairs) @ w


def distance(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = np.abs((query @ w_query.T)[:, None] - (key @ w_key.T)[None, :])
    return np.tanh(pairs) @ w


def softmax_over_queries(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    powers = np.exp(np.tanh(pairs) @ w)
    return powers / powers.sum(axis=0)


def exponentials(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.exp(np.tanh(pairs) @ w)


def key_left_out(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    scores = np.tanh(query @ w_query.T) @ w
    return np.repeat(scores[:, None], len(key), axis=1)


def query_left_out(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    scores = np.tanh(key @ w_key.T) @ w
    return np.repeat(scores[None], len(query), axis=0)


def dot_of_the_hidden(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return np.tanh(query @ w_query.T) @ np.tanh(key @ w_key.T).T


def half_of_the_sum(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs / 2) @ w


def w_twice(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return (np.tanh(pairs) * w) @ w


def largest_of_the_products(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return (np.tanh(pairs) * w).max(axis=-1)


def tanh_from_exp(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    powers = np.exp(2 * ((query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]))
    return (powers - 1) / (powers + 1) @ w


def tanh_from_two_exps(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    hidden = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    up, down = np.exp(hidden), np.exp(-hidden)
    return (up - down) / (up + down) @ w


MORE = (
    Misconception(
        name="tanh-from-exp",
        answer=tanh_from_exp,
        variants=(tanh_from_two_exps,),
        believed="A formula of tanh is tanh.",
        kind="form",
        says="Your tanh is made of exponentials. For a hidden number of about 1000 they are "
        "infinite, and inf / inf is nan. The tanh of such a number is 1.",
        hints=(
            "Print np.exp(1000.0) and np.tanh(1000.0).",
            "Which numbers reach your exponentials: the scores, or the hidden ones?",
            "Use np.tanh.",
        ),
    ),
    Misconception(
        name="tanh-of-one",
        answer=tanh_of_one,
        variants=(tanh_of_the_key,),
        believed="The tanh belongs to the projection.",
        says="You take the tanh of one of the two projections alone. The formula adds the two "
        "projections first, and takes the tanh of the sum.",
        hints=(
            "How many things are inside the tanh in the formula?",
            "Compare your first score with the formula, with a pocket calculator.",
            "Add first, then take the tanh.",
        ),
    ),
    Misconception(
        name="sign-of-the-difference",
        answer=sign_of_the_difference,
        believed="Query and key are compared by their difference.",
        says="You subtract the projection of the query from that of the key, and the formula adds "
        "the two.",
        hints=(
            "Where does your code have a minus, and the formula a plus?",
            "What is your score if the key is zeros?",
            "Add the two projections.",
        ),
    ),
    Misconception(
        name="distance",
        answer=distance,
        believed="Query and key are compared by their distance.",
        says="You take the size of the difference of the two projections, and the formula adds the"
        " two with their signs.",
        hints=(
            "Where does your code have a minus, and the formula a plus?",
            "Is a hidden number before the tanh ever negative in your code?",
            "Add the two projections.",
        ),
    ),
    Misconception(
        name="softmax-over-queries",
        answer=softmax_over_queries,
        believed="Scores are shared out.",
        says="You return weights: in your output each column sums to 1. The task asks for the "
        "scores, before any softmax.",
        hints=(
            "What does a column of your output sum to?",
            "Which function makes weights of scores?",
            "Leave the softmax out.",
        ),
    ),
    Misconception(
        name="exponentials",
        answer=exponentials,
        believed="A score is positive.",
        says="You return e to the score. The task asks for the score itself.",
        hints=(
            "Can a score be negative, and can yours?",
            "Which step belongs to the softmax and not to the score?",
            "Leave out np.exp.",
        ),
    ),
    Misconception(
        name="key-left-out",
        answer=key_left_out,
        believed="The score belongs to the query.",
        says="All scores in a row of yours are equal: the key is not used in them.",
        hints=(
            "Change the keys. Does your output change?",
            "Which of the two projections is in your tanh?",
            "Add the projection of the key.",
        ),
    ),
    Misconception(
        name="query-left-out",
        answer=query_left_out,
        believed="The score belongs to the key.",
        says="All scores in a column of yours are equal: the query is not used in them.",
        hints=(
            "Change the queries. Does your output change?",
            "Which of the two projections is in your tanh?",
            "Add the projection of the query.",
        ),
    ),
    Misconception(
        name="dot-of-the-hidden",
        answer=dot_of_the_hidden,
        believed="Hidden vectors are compared by a dot product.",
        says="Your score is a dot product of two hidden vectors, and w is not used. The formula "
        "adds the two projections, takes the tanh and multiplies by w.",
        hints=(
            "Which argument does your function never use?",
            "Where does the formula add, and where do you multiply?",
            "Add the projections for every pair first.",
        ),
    ),
    Misconception(
        name="half-of-the-sum",
        answer=half_of_the_sum,
        believed="Query and key are averaged.",
        says="You halve the sum of the two projections before the tanh.",
        hints=(
            "What does your code do to the sum before the tanh?",
            "Is it a sum or a mean in the formula?",
            "Leave out the division by 2.",
        ),
    ),
    Misconception(
        name="w-twice",
        answer=w_twice,
        believed="Each hidden number has a weight, and the sum has one.",
        says="You multiply by w twice: each hidden number is multiplied by the square of its entry"
        " of w.",
        hints=(
            "How often is w in the formula?",
            "With one hidden number and w = 3, what is your score over tanh?",
            "Sum after one multiplication.",
        ),
    ),
    Misconception(
        name="largest-of-the-products",
        answer=largest_of_the_products,
        believed="The strongest hidden number decides.",
        says="You take the largest of the products with w. The score is the sum of them.",
        hints=(
            "With one hidden number your score is right. And with two?",
            "What does a dot product with w do after multiplying?",
            "Replace the maximum by a sum.",
        ),
    ),
)
