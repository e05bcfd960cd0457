"""How 03.masked_attention goes wrong."""

import math

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def scaled(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def no_mask(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scaled(query, key), dim=-1) @ value


def after_softmax(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return (torch.softmax(scaled(query, key), dim=-1) * mask) @ value


def upside_down(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = scaled(query, key).masked_fill(mask, -torch.inf)
    return torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value


def added_to_scores(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scaled(query, key) + mask, dim=-1) @ value


def no_scale(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = (query @ key.transpose(-2, -1)).masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value


def hidden_score_zero(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scaled(query, key).masked_fill(~mask, 0.0), dim=-1) @ value


def over_queries(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = scaled(query, key).masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-2).nan_to_num(0.0) @ value


def large_negative_number(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scaled(query, key).masked_fill(~mask, -1e9), dim=-1) @ value


def nan_outputs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scaled(query, key).masked_fill(~mask, -torch.inf), dim=-1) @ value


MISCONCEPTIONS = (
    Misconception(
        name="no-mask",
        answer=no_mask,
        believed="The mask needs no line of its own.",
        says="Your output is that of attention without a mask. Change a value that a query may not "
        "see, and its output moves.",
        hints=(
            "Where in your function does the mask appear, and is its result used?",
            "The mask acts on the scores.",
            "After scaling and before softmax: scores = scores.masked_fill(~mask, -inf).",
        ),
    ),
    Misconception(
        name="after-softmax",
        answer=after_softmax,
        believed="Hidden weights can be set to 0 after softmax.",
        says="Your outputs are too small: a query with one visible key should give exactly that "
        "key's value, and yours gives a fraction of it. Your weights no longer sum to 1.",
        hints=(
            "Sum the weights that you multiply with value, row by row.",
            "The hidden keys still took part in the softmax's sum.",
            "Fill the hidden scores with -inf before softmax.",
        ),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks what is hidden.",
        says="Your queries see exactly the keys that the mask forbids. With one visible key, yours "
        "averages all the others.",
        hints=(
            "With a causal mask, what does your last query see?",
            "masked_fill writes where its first argument is True; the mask is True where a query "
            "may look.",
            "Give masked_fill ~mask.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        answer=added_to_scores,
        believed="A mask is added to the scores.",
        says="You add True and False, that is 1 and 0, to the scores: a visible key is favoured by "
        "a factor of e, and a hidden one still counts.",
        hints=(
            "What is torch.tensor([0.5]) + torch.tensor([True])?",
            "The mask that papers add holds 0 and -inf. Yours holds 1 and 0.",
            "Use masked_fill(~mask, -inf), or turn the mask into 0 and -inf first.",
        ),
    ),
    Misconception(
        name="no-scale",
        answer=no_scale,
        believed="Under a mask the scale no longer matters.",
        says="Your mask is right. Your weights are too sharp: the dot products are not divided by "
        "√d.",
        hints=(
            "What does chapter 02 do to the scores before softmax?",
            "With width d the dot products spread like √d.",
            "Divide by math.sqrt(query.shape[-1]).",
        ),
    ),
    Misconception(
        name="hidden-score-zero",
        answer=hidden_score_zero,
        believed="A score of 0 means no attention.",
        says="Your hidden keys have score 0, and exp(0) is 1: they share in the weight like a key "
        "that is orthogonal to the query.",
        hints=(
            "Which weights does softmax give to the scores [0, 0]?",
            "Which score gives exp(score) = 0?",
            "Fill with -inf, not with 0.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=over_queries,
        believed="dim=-2 is the axis of the keys.",
        says="Your softmax runs over the queries: in your weights the columns sum to 1, the rows "
        "do not.",
        hints=(
            "In scores of shape (b, h, q, k), which axis counts the keys?",
            "Each query has a weight of 1 to give away.",
            "softmax(scores, dim=-1).",
        ),
    ),
    Misconception(
        name="large-negative-number",
        answer=large_negative_number,
        believed="-1e9 is as good as -inf.",
        says="Yours is right where a query sees something. A query that may look nowhere should "
        "give zeros; yours gives the plain average of all the values it may not see.",
        hints=(
            "What are the weights of a row whose scores are all -1e9?",
            "Softmax ignores a constant added to a row.",
            "Fill with -inf, then turn the nan rows into zeros.",
        ),
    ),
    Misconception(
        name="nan-outputs",
        answer=nan_outputs,
        believed="-inf takes care of every row.",
        says="Yours is right where a query sees something. A query that may look nowhere gives nan "
        "in yours, and nan spreads to everything computed from it.",
        hints=(
            "What is -inf - (-inf)? Softmax subtracts the row's maximum.",
            "Clean the weights before they meet the values: 0 times nan is nan.",
            "weights.nan_to_num(0.0), before @ value.",
        ),
    ),
)
