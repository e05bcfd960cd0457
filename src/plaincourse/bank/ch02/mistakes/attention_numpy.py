"""How 02.attention_numpy goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def sum_without_keepdims(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1) @ value


def key_t(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ key.T / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


def no_maximum(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    powers = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


def one_maximum_for_all(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=-1, keepdims=True) @ value


def no_scale(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


def root_of_len(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(len(query))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


def axis_0(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True) @ value


def over_queries(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return powers / powers.sum(axis=-2, keepdims=True) @ value


def star_for_product(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) * value


MISCONCEPTIONS = (
    Misconception(
        name="sum-without-keepdims",
        answer=sum_without_keepdims,
        believed="Dividing a matrix by the vector of its row sums divides each row.",
        says="The rows of your weights do not sum to 1, although you divide by row sums: NumPy "
        "lines up a vector of length q with the *columns*, so column j is divided by the sum of "
        "row j. Where q and k differ, shapes clash instead.",
        hints=(
            "What is the shape of powers.sum(axis=-1)? How does it broadcast against (q, k)?",
            "The sum must be a column, of shape (q, 1).",
            "Give the sum keepdims=True.",
        ),
    ),
    Misconception(
        name="key-t",
        answer=key_t,
        believed=".T swaps the last two axes.",
        says="Your output is right for matrices and wrong with a batch: .T reverses all axes of "
        "the keys, so that (2, 3, 4) becomes (4, 3, 2).",
        hints=(
            "Print key.T.shape for a key of shape (2, 3, 4).",
            "Batch axes stay where they are. Only the last two change places.",
            "np.swapaxes(key, -2, -1) swaps the last two axes.",
        ),
    ),
    Misconception(
        name="no-maximum",
        answer=no_maximum,
        believed="exp works for any score.",
        says="Your output is right for small scores and nan for large ones: np.exp(1000) is inf, "
        "and inf / inf is nan.",
        hints=(
            "What does np.exp give for 1000? And for -1000?",
            "Softmax does not change when a row loses the same number everywhere.",
            "Before exp, subtract scores.max(axis=-1, keepdims=True).",
        ),
    ),
    Misconception(
        name="one-maximum-for-all",
        answer=one_maximum_for_all,
        believed="One maximum for the whole array is enough.",
        says="A query whose scores all lie far below those of another query gets nan from you: "
        "after your subtraction every exp of its row is 0, and 0 / 0 is nan.",
        hints=(
            "What do you give for the two rows of scores [0, 1] and [-1000, -999]?",
            "scores.max() is a single number. How many do you need?",
            "Take the maximum of each row: axis=-1, keepdims=True.",
        ),
    ),
    Misconception(
        name="no-scale",
        answer=no_scale,
        believed="Softmax of the raw dot products is the attention.",
        says="Your outputs are averages of the values, but lean too far towards the best key: your "
        "scores are the raw dot products.",
        hints=(
            "Which step stands between the dot products and the softmax?",
            "Dot products grow with the width of the vectors. What takes this out?",
            "Divide the scores by the root of query.shape[-1].",
        ),
    ),
    Misconception(
        name="root-of-len",
        answer=root_of_len,
        believed="len(query) is the width of a query.",
        says="Your scale changes with the number of queries, or with the batch: len of an array is "
        "the size of its *first* axis.",
        hints=(
            "What is len(np.zeros((5, 16)))?",
            "The width is the size of the last axis.",
            "Use query.shape[-1] under the root.",
        ),
    ),
    Misconception(
        name="axis-0",
        answer=axis_0,
        believed="axis=0 runs along a row.",
        says="With a single query all your weights are 1, and your output is the *sum* of the "
        "values: your softmax runs over axis 0, which is the queries of a matrix and the batch of "
        "a stack.",
        hints=(
            "Sum your weights over the last axis. What should you get?",
            "axis=0 is the one that disappears in x.sum(axis=0). Which one should it be?",
            "Use axis=-1 in the maximum and in the sum.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=over_queries,
        believed="axis=-2 is the axis of the keys.",
        says="This is what attention gives when softmax runs over the queries: with a single query "
        "all your weights are 1, so your output is the *sum* of all values.",
        hints=(
            "With one query and two equal keys, what should the output be? Yours is twice that.",
            "In scores of shape (q, k), which axis counts the keys?",
            "Use axis=-1 in the maximum and in the sum.",
        ),
    ),
    Misconception(
        name="star-for-product",
        answer=star_for_product,
        believed="* multiplies matrices.",
        says="You multiply weights and values entry by entry; nothing is summed over the keys. "
        "Shapes agree only by chance, where q = k = e.",
        hints=(
            "Weights are (q, k), values (k, e). Which axis should disappear?",
            "A weighted average sums over the keys. Which operator sums?",
            "Use weights @ value.",
        ),
    ),
)
