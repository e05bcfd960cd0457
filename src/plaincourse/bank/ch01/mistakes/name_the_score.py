"""How 01.name_the_score goes wrong."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Box = Callable[[Tensor, Tensor], Tensor]


def difference(attention: Box, length: float) -> float:
    query = torch.tensor([[length, 0, 0, 0]])
    key = torch.tensor([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    match, nothing = attention(query, key)[0].tolist()
    return math.log(match / nothing) if nothing > 0 else math.inf


def unit_vectors(attention: Box) -> str:
    found = difference(attention, 1.0)
    if found == math.inf:
        return "hard"
    if abs(found - 1) < 1e-3:
        return "dot"
    return "scaled dot" if abs(found - 0.5) < 1e-3 else "additive"


def unit_vectors_cosine(attention: Box) -> str:
    found = difference(attention, 1.0)
    if found == math.inf:
        return "hard"
    if abs(found - 1) < 1e-3:
        return "cosine"
    return "scaled dot" if abs(found - 0.5) < 1e-3 else "additive"


def by_d(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    for name, expected in (("dot", 6.0), ("scaled dot", 1.5), ("cosine", 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "additive"


def no_logarithm(attention: Box) -> str:
    query = torch.tensor([[6.0, 0, 0, 0]])
    key = torch.tensor([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    match, nothing = attention(query, key)[0].tolist()
    if nothing == 0:
        return "hard"
    for name, expected in (("dot", 6.0), ("scaled dot", 3.0), ("cosine", 1.0)):
        if abs(match / nothing - expected) < 1e-3:
            return name
    return "additive"


def nearly_one_is_hard(attention: Box) -> str:
    found = difference(attention, 20.0)
    if found > 5:
        return "hard"
    return "cosine" if abs(found - 1) < 1e-3 else "additive"


def swapped(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    for name, expected in (("scaled dot", 6.0), ("dot", 3.0), ("cosine", 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "additive"


def no_additive(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    return "dot" if found > 4.5 else "scaled dot" if found > 2 else "cosine"


def one_key(attention: Box) -> str:
    weight = attention(torch.tensor([[6.0, 0, 0, 0]]), torch.tensor([[1.0, 0, 0, 0]]))[0, 0]
    return "hard" if weight == 1 else "dot"


MISCONCEPTIONS = (
    Misconception(
        name="unit-vectors",
        answer=unit_vectors,
        believed="Any probe will do.",
        says="You call a cosine box “dot”: your probe cannot tell them apart, since for vectors "
        "of length 1 the two scores are equal.",
        hints=(
            "For which vectors are dot and cosine the same number?",
            "What must change in the probe so that the two differ?",
            "Try a query of another length.",
        ),
    ),
    Misconception(
        name="unit-vectors-cosine",
        answer=unit_vectors_cosine,
        believed="A score of 1 means cosine.",
        says="You call a dot box “cosine”: for vectors of length 1 the dot product is the cosine, "
        "so your probe shows the same for both.",
        hints=(
            "For which vectors are dot and cosine the same number?",
            "What must change in the probe so that the two differ?",
            "Try a query of another length.",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=by_d,
        believed="The scaled dot product is divided by d.",
        says="You call a scaled dot box “additive”: you look for a dot product divided by 4, and "
        "at width 4 it is divided by 2.",
        hints=(
            "What is the root of 4?",
            "Compute the scaled dot product of your probe by hand.",
            "Expect half of the dot product, not a quarter.",
        ),
    ),
    Misconception(
        name="no-logarithm",
        answer=no_logarithm,
        believed="The ratio of two weights is a score.",
        says="You call every box that blends “additive”: you compare ratios of weights with "
        "scores, and a ratio of weights is e to the difference of the scores.",
        hints=(
            "Two scores differ by 1. What is the ratio of their weights?",
            "Which function undoes the exponential?",
            "Take the logarithm of the ratio.",
        ),
    ),
    Misconception(
        name="nearly-one-is-hard",
        answer=nearly_one_is_hard,
        believed="A weight of nearly 1 is a choice.",
        says="You call a dot box “hard”: your probe scores so high that its softmax is nearly, "
        "but not exactly, 0 and 1.",
        hints=(
            "Can softmax give a weight of exactly 0?",
            "Print both weights with all their digits.",
            "Use a smaller probe, or ask whether a weight is exactly 0.",
        ),
    ),
    Misconception(
        name="swapped",
        answer=swapped,
        believed="Scaling makes the scores larger.",
        says="You call the dot box “scaled dot” and the other way round.",
        hints=(
            "Which of the two is the larger number at width 4?",
            "Scaled means divided.",
            "Exchange the two numbers that you expect.",
        ),
    ),
    Misconception(
        name="no-additive",
        answer=no_additive,
        believed="What is none of the others is the nearest of them.",
        says="You never answer “additive”: you assign every box to the nearest of the three other "
        "scores.",
        hints=(
            "Which number would an additive score give for your probe?",
            "The three others give exact numbers.",
            "Accept a name only if the number is right to several digits.",
        ),
    ),
    Misconception(
        name="one-key",
        answer=one_key,
        believed="One key is enough to see the score.",
        says="You call every box “hard”: with a single key every softmax gives the weight 1.",
        hints=(
            "What can a query do with its unit of attention if there is one key?",
            "How many keys do you need to see a difference of scores?",
            "Add a second key whose score you know.",
        ),
    ),
)
