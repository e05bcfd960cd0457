"""How 01.additive_scores goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def no_tanh(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return pairs @ w


def tanh_outside(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs @ w)


def tanh_of_each(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = np.tanh(query @ w_query.T)[:, None] + np.tanh(key @ w_key.T)[None, :]
    return pairs @ w


def multiplied(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] * (key @ w_key.T)[None, :]
    return np.tanh(pairs) @ w


def not_transposed(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query)[:, None] + (key @ w_key)[None, :]
    return np.tanh(pairs) @ w


def without_w(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs).sum(axis=-1)


def matrices_swapped(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_key.T)[:, None] + (key @ w_query.T)[None, :]
    return np.tanh(pairs) @ w


def rows_are_keys(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[None, :] + (key @ w_key.T)[:, None]
    return np.tanh(pairs) @ w


def rows_are_keys_reshaped(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return rows_are_keys(query, key, w_query, w_key, w).reshape(len(query), len(key))


def in_step(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = query @ w_query.T + key @ w_key.T
    return np.tanh(pairs) @ w


def softmax_as_well(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    powers = np.exp(np.tanh(pairs) @ w)
    return powers / powers.sum(axis=1, keepdims=True)


def differences(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] - (key @ w_key.T)[None, :]
    return np.tanh(pairs) @ w


def mean_of_hidden(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs).mean(axis=2)


def sigmoid(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return (1 / (1 + np.exp(-pairs))) @ w


def scaled_by_width(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs) @ w / np.sqrt(len(w))


def w_inside(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs * w).sum(axis=2)


def relu(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.maximum(pairs, 0) @ w


def mean_of_products(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs) @ w / len(w)


def tanh_twice(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(np.tanh(pairs) @ w)


def tanhs_multiplied(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return np.tanh(query @ w_query.T) * w @ np.tanh(key @ w_key.T).T


def projections_compared(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return (query @ w_query.T) @ (key @ w_key.T).T


def products_weighed(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return (query @ w_query.T * w) @ (key @ w_key.T).T


def products_weighed_and_bent(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    return np.tanh(products_weighed(query, key, w_query, w_key, w))


MISCONCEPTIONS = (
    Misconception(
        name="no-tanh",
        answer=no_tanh,
        believed="The hidden layer is linear.",
        says="Your score is a sum of one number for the query and one for the key. The query's "
        "number is the same for all keys, so it cancels in the softmax.",
        hints=(
            "Does the order of the keys by your score depend on the query?",
            "Something between the sum and w must bend.",
            "The tanh acts on each hidden number, before w.",
        ),
    ),
    Misconception(
        name="tanh-outside",
        answer=tanh_outside,
        variants=(tanh_twice,),
        believed="The tanh is taken of the score.",
        says="All your scores lie between -1 and 1: you take the tanh of the finished number.",
        hints=(
            "How many numbers go into the tanh for one pair?",
            "w comes after the tanh.",
            "Take the tanh of the hidden vector, then the dot product with w.",
        ),
    ),
    Misconception(
        name="tanh-of-each",
        answer=tanh_of_each,
        believed="Each projection has its own tanh.",
        says="Your scores are a sum of one part for the query and one for the key: the two "
        "meet only after the tanh.",
        hints=(
            "In which order are the plus and the tanh in the formula?",
            "Query and key must meet inside the tanh.",
            "Add first, then bend.",
        ),
    ),
    Misconception(
        name="multiplied",
        answer=multiplied,
        variants=(
            tanhs_multiplied,
            projections_compared,
            products_weighed,
            products_weighed_and_bent,
        ),
        believed="Query and key are multiplied.",
        says="With a query of zeros all your scores are 0, whatever the keys are: you multiply "
        "the projections.",
        hints=(
            "Why is this score called additive?",
            "The two projections have the same width, hidden. What is done with them?",
            "Replace the product of the projections.",
        ),
    ),
    Misconception(
        name="not-transposed",
        answer=not_transposed,
        believed="A projection is always x @ W.",
        says="Your code runs only where the matrices are square: w_query has the shape (hidden, "
        "width of the query), so its rows belong to the hidden numbers.",
        hints=(
            "What shape has w_query, and which of its axes is as long as a query is wide?",
            "The formula has the matrix on the left of a column.",
            "With rows on the left, the matrix is transposed.",
        ),
    ),
    Misconception(
        name="without-w",
        answer=without_w,
        believed="The hidden numbers are added up.",
        says="Your scores do not change when w changes.",
        hints=(
            "Which argument does your function never use?",
            "w is the factor of each hidden number.",
            "Use a dot product in place of the sum.",
        ),
    ),
    Misconception(
        name="matrices-swapped",
        answer=matrices_swapped,
        believed="Either matrix may project either side.",
        says="Your queries go through w_key and your keys through w_query. It runs only where "
        "both are equally wide.",
        hints=(
            "Which matrix has as many columns as a query is wide?",
            "Try a query of width 2 and keys of width 4.",
            "Each side has its own matrix.",
        ),
    ),
    Misconception(
        name="rows-are-keys",
        answer=rows_are_keys,
        believed="It makes no difference which axis comes first.",
        says="Your scores are transposed: your entry [0, 1] belongs to query 1 and key 0.",
        hints=(
            "How many rows should 3 queries and 2 keys have?",
            "Rows are queries, columns are keys.",
            "Which of the two projections gets the new axis in front?",
        ),
    ),
    Misconception(
        name="rows-are-keys-reshaped",
        answer=rows_are_keys_reshaped,
        believed="A reshape to (q, k) is a transpose.",
        says="Your scores have the right shape and the wrong order. They come in the order of the "
        "keys, for each key those of all queries, in rows of length k: your entry [0, 1] belongs "
        "to query 1 and key 0.",
        hints=(
            "Which pair of a query and a key does your second number belong to?",
            "A reshape never moves numbers.",
            "Let the queries be the outer of the two, or transpose.",
        ),
    ),
    Misconception(
        name="in-step",
        answer=in_step,
        believed="Query i is compared with key i.",
        says="You add query 0 to key 0, query 1 to key 1: one score for each place. There "
        "should be one for each pair.",
        hints=(
            "How many numbers do you return for 3 queries and 3 keys?",
            "Every query meets every key.",
            "Give one of the projections an axis of length 1, so that NumPy repeats it.",
        ),
    ),
    Misconception(
        name="softmax-as-well",
        answer=softmax_as_well,
        believed="A score is a weight.",
        says="Your rows sum to 1: you return weights. The task asks for the scores, before any "
        "softmax.",
        hints=(
            "Which sign can a score have? And yours?",
            "The formula ends with the product with w.",
            "Leave the softmax out.",
        ),
    ),
    Misconception(
        name="differences",
        answer=differences,
        believed="Likeness is a small difference.",
        says="You take the projected key off the projected query. The two are added.",
        hints=(
            "Change the sign of all keys. What should happen to the scores, and what does?",
            "Where the key is 0 your scores are right.",
            "Add.",
        ),
    ),
    Misconception(
        name="mean-for-w",
        answer=mean_of_hidden,
        believed="The hidden numbers are averaged.",
        says="You average the hidden numbers after the tanh. The score is a sum, in which each "
        "hidden number is multiplied by its entry of w.",
        hints=(
            "What does your score do when w becomes twice as large?",
            "Each hidden number has a weight of its own in w.",
            "Take the product with w.",
        ),
    ),
    Misconception(
        name="mean-of-the-products",
        answer=mean_of_products,
        believed="The hidden numbers are averaged with w.",
        says="Your scores are the right ones divided by the number of hidden numbers: you take a "
        "mean where the formula has a sum.",
        hints=(
            "What happens to your scores when every hidden number occurs twice?",
            "A dot product with w adds up.",
            "Take the sum in place of the mean.",
        ),
    ),
    Misconception(
        name="sigmoid",
        answer=sigmoid,
        believed="Any squashing function will do.",
        says="With a query and a key of zeros your scores are not 0: you squash with the "
        "sigmoid, which is 1/2 at 0. tanh(0) is 0.",
        hints=(
            "What is your score of two vectors of zeros?",
            "tanh runs from -1 to 1, the sigmoid from 0 to 1.",
            "Use np.tanh.",
        ),
    ),
    Misconception(
        name="scaled-by-the-width",
        answer=scaled_by_width,
        believed="Scores are divided by the root of the width.",
        says="Your scores are divided by the root of the hidden width. The additive score has "
        "no such factor.",
        hints=(
            "With one hidden number your scores are right. What is 1 there?",
            "tanh bounds each hidden number already.",
            "Leave the root out.",
        ),
    ),
    Misconception(
        name="w-inside",
        answer=w_inside,
        believed="w weighs the hidden numbers before tanh.",
        says="You multiply by w before the tanh, so no part of your score exceeds 1, however "
        "large w is.",
        hints=(
            "Make w ten times as large. By how much should the scores grow?",
            "w is multiplied by the tanh.",
            "Take tanh first.",
        ),
    ),
    Misconception(
        name="relu",
        answer=relu,
        believed="A hidden layer cuts below 0.",
        says="Your hidden numbers are cut at 0 and grow without bound above it. The formula "
        "has tanh.",
        hints=(
            "What is your hidden number where the sum is -1?",
            "tanh keeps the sign.",
            "Use np.tanh.",
        ),
    ),
)
