"""How 02.attention_weights goes wrong."""

import math

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def no_scale(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1), dim=-1)


def divided_by_d(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1], dim=-1)


def times_root_d(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) * math.sqrt(query.shape[-1]), dim=-1)


def root_of_the_number_of_keys(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2]), dim=-1)


def scaled_after_softmax(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1), dim=-1) / math.sqrt(query.shape[-1])


def over_queries(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]), dim=-2)


def axis_1(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]), dim=1)


def whole_matrix(query: Tensor, key: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores.flatten(), dim=0).reshape(scores.shape)


def scores_returned(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def no_maximum(query: Tensor, key: Tensor) -> Tensor:
    powers = torch.exp(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]))
    return powers / powers.sum(dim=-1, keepdim=True)


MISCONCEPTIONS = (
    Misconception(
        name="no-scale",
        answer=no_scale,
        believed="Softmax of the raw dot products is the attention.",
        says="Your rows sum to 1, but they are too peaked: this is the softmax of the raw dot "
        "products. Widen the vectors and your weights crowd onto one key, though nothing else has "
        "changed.",
        hints=(
            "Take query [1, 1, 1, 1] and keys [1, 1, 1, 1] and [0, 0, 0, 0]. The first weight "
            "should be about 0.88. What is yours?",
            "Something must happen to the scores between the dot product and the softmax.",
            "Divide the scores by the root of the width d of queries and keys.",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=divided_by_d,
        believed="The scores are divided by d.",
        says="Your rows sum to 1, but they are too flat: the spread of your scores shrinks as d "
        "grows, so wide vectors end in nearly uniform weights.",
        hints=(
            "The dot product of random vectors of width d has variance d. What is its standard "
            "deviation?",
            "By what must you divide a number of variance d to get variance 1?",
            "Divide by the root of d, not by d.",
        ),
    ),
    Misconception(
        name="times-root-d",
        answer=times_root_d,
        believed="Scaling by the root of d means multiplying by it.",
        says="Your rows sum to 1, but almost all of each lies on one key: your scores have been "
        "made larger, and the wider the vectors, the more so.",
        hints=(
            "Should the scale make the softmax sharper or softer?",
            "Dot products grow with the width; the scale takes this growth out again.",
            "Divide by the root of d where you multiply.",
        ),
    ),
    Misconception(
        name="root-of-the-number-of-keys",
        answer=root_of_the_number_of_keys,
        believed="The scale is the length of the key sequence.",
        says="Your scale depends on how many keys there are: add a key, and the ratio of the "
        "weights of two *other* keys changes. In attention that ratio depends on these two alone.",
        hints=(
            "A dot product is a sum. Of how many terms: as many as there are keys?",
            "Which axis of query is summed over in a dot product?",
            "Divide by the root of query.shape[-1], not of shape[-2] of the keys.",
        ),
    ),
    Misconception(
        name="scaled-after-softmax",
        answer=scaled_after_softmax,
        believed="It does not matter whether one scales before or after the softmax.",
        says="Each of your rows sums to 1 / √d instead of 1: you divide the weights, not the "
        "scores.",
        hints=(
            "With d = 4 your rows sum to 0.5. Which step took the other half away?",
            "What should come last, so that rows sum to 1?",
            "Divide the scores first, then take the softmax.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=over_queries,
        believed="Softmax runs over the queries.",
        says="This is what attention gives when softmax runs over the queries: your columns sum "
        "to 1, your rows do not.",
        hints=(
            "Sum your result over dim=-1 and over dim=-2. Which gives ones? Which should?",
            "Each query shares out its attention among the keys. Which axis counts the keys?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=axis_1,
        believed="The keys are axis 1.",
        says="Your rows sum to 1 without a batch and no longer do with one: for scores of shape "
        "(b, q, k), axis 1 is the queries, and with heads it is the heads.",
        hints=(
            "What is axis 1 of a tensor of shape (b, h, q, k)?",
            "The keys are always the last axis. How is the last axis written?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="whole-matrix",
        answer=whole_matrix,
        believed="All weights together sum to 1.",
        says="All your weights together sum to 1, so that the queries share one budget. Each row "
        "should sum to 1 by itself.",
        hints=(
            "What does your first row sum to?",
            "Softmax needs to know which numbers compete. All of them, or those of a row?",
            "Leave the scores in their shape and use softmax with dim=-1.",
        ),
    ),
    Misconception(
        name="scores-returned",
        answer=scores_returned,
        believed="The scaled scores are the weights.",
        says="Some of your weights are negative: these are the scaled scores, and they are right "
        "as such.",
        hints=(
            "Sum a row of your result. What should it be?",
            "You have scored and scaled. One step is left.",
            "Return the softmax of what you return now, over the last axis.",
        ),
    ),
    Misconception(
        name="no-maximum",
        answer=no_maximum,
        believed="exp divided by its sum is all that softmax is.",
        says="Your weights are right for small scores and nan for large ones: exp overflows to inf "
        "above about 709 in float64 (88 in float32), and inf / inf is nan.",
        hints=(
            "What does your function give for a score of 1000?",
            "Subtracting a number from a whole row of scores does not change its softmax.",
            "Subtract the largest score of each row before exp, or call torch.softmax.",
        ),
    ),
)
