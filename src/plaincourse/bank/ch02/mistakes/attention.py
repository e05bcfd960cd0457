"""How 02.attention goes wrong."""

import math

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def no_scale(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1), dim=-1) @ value


def divided_by_d(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1], dim=-1) @ value


def root_of_the_value_width(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def root_of_the_number_of_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2])
    return torch.softmax(scores, dim=-1) @ value


def scaled_after_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value


def over_queries(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-2) @ value


def axis_1(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=1) @ value


def average_of_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ key


def no_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) @ value


def weights_transposed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1).transpose(-2, -1) @ value


def best_key_only(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    best = (query @ key.transpose(-2, -1)).argmax(dim=-1, keepdim=True)
    return torch.take_along_dim(value, best, dim=-2)


MISCONCEPTIONS = (
    Misconception(
        name="no-scale",
        answer=no_scale,
        believed="Softmax of the raw dot products is the attention.",
        says="Your outputs are averages of the values, but lean too far towards the best key: your "
        "scores are the raw dot products, which spread wider the wider the vectors are.",
        hints=(
            "What is the spread of the dot product of two random vectors of width 64?",
            "Between the dot product and the softmax a step is missing.",
            "Divide the scores by the root of query.shape[-1].",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=divided_by_d,
        believed="The scores are divided by d.",
        says="Your outputs are averages of the values, but too close to the plain average: you "
        "divide the scores by d, and so flatten the weights more, the wider the vectors are.",
        hints=(
            "The dot product of random vectors of width d has variance d. Its standard deviation?",
            "What must you divide by, so that variance d becomes variance 1?",
            "Divide by the root of d.",
        ),
    ),
    Misconception(
        name="root-of-the-value-width",
        answer=root_of_the_value_width,
        believed="The d under the root is the width of the values.",
        says="Your output is right when values are as wide as keys, and wrong otherwise. Add a "
        "feature to the values and your *weights* change, though the scores know nothing of the "
        "values.",
        hints=(
            "A dot product is a sum over how many terms?",
            "Values take no part in the scores. Which tensors do?",
            "The width under the root is query.shape[-1], which is also key.shape[-1].",
        ),
    ),
    Misconception(
        name="root-of-the-number-of-keys",
        answer=root_of_the_number_of_keys,
        believed="The d under the root is the length of the sequence.",
        says="Your output is right when there are as many keys as features (k = d), and wrong "
        "otherwise: your scale grows with the sequence.",
        hints=(
            "Does one dot product know how many other keys there are?",
            "You take a size of axis -2. Which axis do query and key share?",
            "The width under the root is query.shape[-1].",
        ),
    ),
    Misconception(
        name="scaled-after-softmax",
        answer=scaled_after_softmax,
        believed="It does not matter whether one scales before or after the softmax.",
        says="With one token, whose weight is 1, your output is the value divided by √d: your "
        "weights sum to 1 / √d.",
        hints=(
            "With one key, what is its weight? What do you multiply its value by?",
            "The root of d belongs to the scores. Where do you divide?",
            "Divide before the softmax, and leave the weights as the softmax gives them.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=over_queries,
        believed="Softmax runs over the queries.",
        says="This is what attention gives when softmax runs over the queries: with a single query "
        "all your weights are 1, so your output is the *sum* of all values.",
        hints=(
            "With one query and two equal keys, what should the output be? Yours is twice that.",
            "Print weights.sum(dim=-1). It should be all ones. Along which axis is yours one?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=axis_1,
        believed="The keys are axis 1.",
        says="Your output is right without a batch and wrong with one: then axis 1 of the scores "
        "is the queries, or the heads.",
        hints=(
            "What is axis 1 of a tensor of shape (b, h, q, k)?",
            "Which number names the last axis, however many there are?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="average-of-keys",
        answer=average_of_keys,
        believed="A query gets an average of the keys that it matches.",
        says="With one token your output equals its key, not its value: you never use the values.",
        hints=(
            "Which of your three arguments does your code not use?",
            "Keys say how a position is found. What does it pass on?",
            "The last product is weights @ value.",
        ),
    ),
    Misconception(
        name="no-softmax",
        answer=no_softmax,
        believed="The scaled scores are the weights.",
        says="With one token your output is not its value but the value times the score: your "
        "weights may be negative, and they do not sum to 1.",
        hints=(
            "With a single key, what must its weight be, whatever its score?",
            "Between scaling and averaging a step is missing.",
            "Take the softmax of the scores over the last axis, then multiply by the values.",
        ),
    ),
    Misconception(
        name="weights-transposed",
        answer=weights_transposed,
        believed="The weights must be transposed to meet the values.",
        says="Where there are as many queries as keys, you average with *columns* of the weights, "
        "which do not sum to 1; where there are not, shapes clash.",
        hints=(
            "Weights (q, k) times values (k, e): which axes meet?",
            "Output i should use row i of the weights.",
            "Leave out the transpose in the last product.",
        ),
    ),
    Misconception(
        name="best-key-only",
        answer=best_key_only,
        believed="A query gets the value of its best key.",
        says="Each row of your output is exactly one of the values. With two equal keys you return "
        "the first value, not the average of the two.",
        hints=(
            "Two keys match equally well. Should the second be ignored?",
            "A choice cannot be trained by gradients. What is the soft form of a choice?",
            "Take the softmax of the scaled scores and multiply it by the values.",
        ),
    ),
)
