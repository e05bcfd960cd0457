"""More ways that 02.attention goes wrong."""

from functools import partial

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def axis_0(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=0) @ value


def axis_1(query: Tensor, key: Tensor, value: Tensor, power: float = 1.0) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** power
    return torch.softmax(scores, dim=1) @ value


def keys_with_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = key @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def mean_of_the_weighted_values(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ value / key.shape[-2]


def constant_divisor(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / 8
    return torch.softmax(scores, dim=-1) @ value


def axes_all_reversed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.T / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def axes_1_and_2(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def sigmoids_for_weights(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.sigmoid(scores) @ value


def returns_the_weights(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def fourth_root(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.25
    return torch.softmax(scores, dim=-1) @ value


def softmax_twice(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return torch.softmax(weights, dim=-1) @ value


def root_of_twice_the_width(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / (2 * query.shape[-1]) ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def one_maximum_for_all(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum(dim=-1, keepdim=True) @ value


def keys_reshaped(query: Tensor, key: Tensor, value: Tensor, power: float = 0.5) -> Tensor:
    keys = key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return torch.softmax(query @ keys / query.shape[-1] ** power, dim=-1) @ value


def over_queries(
    query: Tensor, key: Tensor, value: Tensor, power: float = 0.0, late: float = 0.0
) -> Tensor:
    d = query.shape[-1]
    weights = torch.softmax(query @ key.transpose(-2, -1) / d**power, dim=-2)
    return weights @ value / d**late


MORE = (
    Misconception(
        name="keys-reshaped",
        answer=keys_reshaped,
        variants=(partial(keys_reshaped, power=0.0), partial(keys_reshaped, power=1.0)),
        believed="A reshape to (d, k) is a transpose.",
        says="With equal keys your weights are not equal, as if you had reshaped the keys to "
        "(d, k). A reshape reads the numbers in the order in which they are stored, so each column "
        "mixes the numbers of several keys.",
        hints=(
            "Reshape [[1, 2], [3, 4], [5, 6]] to (2, 3). Which keys are the columns?",
            "Which operation makes rows into columns?",
            "Use key.mT, which swaps the last two axes.",
        ),
    ),
    Misconception(
        name="over-queries-and-another-divisor",
        answer=over_queries,
        variants=(
            partial(over_queries, late=0.5),
            partial(over_queries, power=1.0),
            partial(over_queries, power=-0.5),
        ),
        believed="The queries share each key, and the scale comes later or not at all.",
        says="In your weights the columns have equal sums, and the rows do not: your softmax runs "
        "over the queries. Besides, you do not divide your scores by √d.",
        hints=(
            "Return the weights for once. What does each row sum to?",
            "Which axis of the scores holds the keys, and what divides the scores?",
            "Divide the scores by query.shape[-1] ** 0.5, then use a softmax with dim=-1.",
        ),
    ),
    Misconception(
        name="axis-1-and-another-divisor",
        answer=axis_1,
        variants=(partial(axis_1, power=0.0), partial(axis_1, power=-0.5)),
        believed="The keys are axis 1, and the divisor is not the root of d.",
        says="Your softmax runs over axis 1. In the scores of a single sequence that is the keys; "
        "with axes in front it is the queries, or the heads. Besides, you do not divide your "
        "scores by √d.",
        hints=(
            "What is axis 1 of a tensor of shape (b, h, q, k)?",
            "By what do you divide the scores where d is 4, and where it is 9?",
            "Divide the scores by query.shape[-1] ** 0.5, then use a softmax with dim=-1.",
        ),
    ),
    Misconception(
        name="axis-0",
        answer=axis_0,
        believed="Axis 0 is the first axis of the scores.",
        says="Your softmax runs over axis 0. In a single matrix that is the queries, and with axes"
        " in front it is the first of them. The keys are the last axis.",
        hints=(
            "What do the weights of one query sum to?",
            "Which axis of the scores holds the keys, whatever is in front?",
            "Use dim=-1.",
        ),
    ),
    Misconception(
        name="keys-with-keys",
        answer=keys_with_keys,
        believed="Keys are compared with each other.",
        says="Your output does not change with the queries: you compare the keys with themselves.",
        hints=(
            "Which argument does your function never use?",
            "How many rows should your output have, and how many has it?",
            "The queries are on the left of the first product.",
        ),
    ),
    Misconception(
        name="mean-of-the-weighted-values",
        answer=mean_of_the_weighted_values,
        believed="An average is divided by the number of keys.",
        says="Your output is divided by the number of keys once more. The weights sum to 1 "
        "already.",
        hints=(
            "With equal values, what should a query get, and what does it get?",
            "By what are weights divided so that they sum to 1?",
            "Add the weighted values up, without a mean.",
        ),
    ),
    Misconception(
        name="constant-divisor",
        answer=constant_divisor,
        believed="√d is 8, as in the paper.",
        says="You divide the scores by the same number at every width. The divisor is the root of "
        "the width of query and key.",
        hints=(
            "Which width has the divisor that you use?",
            "Which size of query gives d?",
            "Take the width from the last size of `query`, and divide by its root.",
        ),
    ),
    Misconception(
        name="axes-all-reversed",
        answer=axes_all_reversed,
        believed="key.T exchanges the last two axes.",
        says="With axes in front your keys are in the wrong order: .T reverses all axes of a "
        "tensor, and only the last two are to be exchanged.",
        hints=(
            "What is the shape of key.T for a key of shape (2, 3, 5)?",
            "Which two axes should change places?",
            "Use key.mT, which swaps the last two axes.",
        ),
    ),
    Misconception(
        name="axes-1-and-2",
        answer=axes_1_and_2,
        believed="The last two axes are axes 1 and 2.",
        says="You exchange axes 1 and 2 of the keys. These are the last two only if there is one "
        "axis in front: a single matrix has no axis 2.",
        hints=(
            "Which axes has a single matrix?",
            "Which two axes should change places, counted from the end?",
            "Count both axes from the end, and swap the last two.",
        ),
    ),
    Misconception(
        name="sigmoids-for-weights",
        answer=sigmoids_for_weights,
        believed="A sigmoid turns scores into weights.",
        says="Your weights do not sum to 1: with one token its value does not come back as it is. "
        "You take a function of each score by itself, such as a sigmoid.",
        hints=(
            "With one key, what is its weight?",
            "What does a softmax do that a sigmoid does not?",
            "Use a softmax over the keys.",
        ),
    ),
    Misconception(
        name="returns-the-weights",
        answer=returns_the_weights,
        believed="The weights are the output.",
        says="You return the weights. The output is the average of the values: weights times "
        "values.",
        hints=(
            "Which argument does your function never use?",
            "How wide should the output be?",
            "Multiply the weights by the values.",
        ),
    ),
    Misconception(
        name="fourth-root",
        answer=fourth_root,
        believed="Query and key each get a part of the root.",
        says="You divide the scores by the fourth root of d. If you scale query or key by it: both"
        " must be scaled, so that the score is divided by √d.",
        hints=(
            "By what is a score divided if one of the two vectors is divided by the fourth root?",
            "What must the two divisors multiply to?",
            "Divide the scores by √d.",
        ),
    ),
    Misconception(
        name="softmax-twice",
        answer=softmax_twice,
        believed="A second softmax makes sure of the sum.",
        says="You apply a softmax to weights. Weights lie between 0 and 1, so the second softmax "
        "makes them nearly equal.",
        hints=(
            "When one score is far above the others, how large is its weight?",
            "What do the weights sum to after the first softmax?",
            "Use the weights of the first softmax.",
        ),
    ),
    Misconception(
        name="root-of-twice-the-width",
        answer=root_of_twice_the_width,
        believed="Query and key together have the width 2d.",
        says="You divide the scores by √(2d). The number under the root is d, the width of one of "
        "them.",
        hints=(
            "How many products does one dot product add up?",
            "Which number is under your root?",
            "Use query.shape[-1].",
        ),
    ),
    Misconception(
        name="one-maximum-for-all",
        answer=one_maximum_for_all,
        kind="corner",
        believed="One maximum for the whole tensor is enough.",
        says="A row of scores that lies far below the largest one of another row comes out as nan:"
        " every exp in it is 0, and 0 / 0 is nan.",
        hints=(
            "What is exp(-1000), and what is a sum of such numbers?",
            "Which maximum makes the largest exponent of each row 0?",
            "Subtract each row's own maximum, or use torch.softmax.",
        ),
    ),
)
