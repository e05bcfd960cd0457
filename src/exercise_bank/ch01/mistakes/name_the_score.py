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


def unit_vectors_by_size(attention: Box) -> str:
    found = difference(attention, 1.0)
    if found == math.inf:
        return "hard"
    return "dot" if found > 0.9 else "scaled dot" if found > 0.4 else "additive"


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


def rest_is_scaled(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    return "dot" if abs(found - 6) < 1e-3 else "scaled dot"


def one_key(attention: Box) -> str:
    weight = attention(torch.tensor([[6.0, 0, 0, 0]]), torch.tensor([[1.0, 0, 0, 0]]))[0, 0]
    return "hard" if weight == 1 else "dot"


def underscored(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    for name, expected in (("dot", 6.0), ("scaled_dot", 3.0), ("cosine", 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "additive"


def never_hard(attention: Box) -> str:
    found = difference(attention, 6.0)
    for name, expected in (("scaled dot", 3.0), ("cosine", 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "dot" if found > 5.9 else "additive"


def hard_is_the_rest(attention: Box) -> str:
    found = difference(attention, 6.0)
    for name, expected in (("dot", 6.0), ("scaled dot", 3.0), ("cosine", 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "additive"


def additive_by_symmetry(attention: Box) -> str:
    found = difference(attention, 6.0)
    if found == math.inf:
        return "hard"
    for name, expected in (("dot", 6.0), ("scaled dot", 3.0)):
        if abs(found - expected) < 1e-3:
            return name
    return "additive" if found < 1.5 else "cosine"


def additive_by_zero(attention: Box) -> str:
    zeros = torch.zeros(1, 4)
    found = difference(attention, 6.0)
    if attention(zeros, torch.zeros(2, 4))[0, 0] != 0.5 and found != math.inf:
        return "additive"
    if found == math.inf:
        return "hard"
    return "dot" if found > 5 else "cosine" if abs(found - 1) < 1e-3 else "scaled dot"


MISCONCEPTIONS = (
    Misconception(
        name="unit-vectors",
        answer=unit_vectors,
        variants=(unit_vectors_by_size,),
        believed="Any probe will do.",
        says="You call a cosine box “dot”. A probe with vectors of length 1 cannot tell them "
        "apart: there the two scores are equal.",
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
        says="You call a dot box “cosine”. A probe with vectors of length 1 cannot tell them "
        "apart: there the dot product is the cosine.",
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
        says="You call a scaled dot box “additive”, and the others by their names. At width 4 the "
        "scaled dot product is half of the dot product.",
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
        says="You call every box that blends “additive”. If you compare weights with scores: a "
        "ratio of weights is e to the difference of the scores.",
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
        says="You call a dot box “hard”. A softmax of scores far apart is nearly 0 and 1, and "
        "looks like a choice; of scores that lie close together, a choice is still 0 and 1.",
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
        says="You give an additive box the name of another score. The three others give exact "
        "numbers for a probe; an additive one does not.",
        hints=(
            "Which number would an additive score give for your probe?",
            "The three others give exact numbers.",
            "Accept a name only if the number is right to several digits.",
        ),
    ),
    Misconception(
        name="rest-is-scaled",
        answer=rest_is_scaled,
        believed="What is neither hard nor the dot product is the scaled dot product.",
        says="You call cosine boxes and additive boxes “scaled dot”. A box has the scaled dot "
        "product only if its scores are half of the dot products, for any query and keys.",
        hints=(
            "Which score would the scaled dot product give your probe, and a cosine?",
            "Work out all three known scores of your probe, with the lengths of both vectors.",
            "Say “scaled dot” only where the number is right; what fits none is additive.",
        ),
    ),
    Misconception(
        name="one-key",
        answer=one_key,
        believed="One key is enough to see the score.",
        says="You call every box “hard”. With a single key every softmax gives the weight 1, so it "
        "takes two to see a difference.",
        hints=(
            "What can a query do with its unit of attention if there is one key?",
            "How many keys do you need to see a difference of scores?",
            "Add a second key whose score you know.",
        ),
    ),
    Misconception(
        name="underscored",
        kind="form",
        answer=underscored,
        believed="A name is spelled as in code.",
        says="You return “scaled_dot”, which is none of the five: the name has a space.",
        hints=(
            "Which five names may be returned?",
            "Compare letter by letter.",
            "Return 'scaled dot'.",
        ),
    ),
    Misconception(
        name="never-hard",
        answer=never_hard,
        variants=(hard_is_the_rest,),
        believed="A choice is a very cold softmax.",
        says="You call the hard box by the name of a score. It gives weights of exactly 0 and "
        "1, which no softmax of these scores does.",
        hints=(
            "Which weights does the hard box give?",
            "A weight of exactly 0 has no logarithm.",
            "Ask for exact zeros first.",
        ),
    ),
    Misconception(
        name="cosine-and-additive-exchanged",
        answer=additive_by_symmetry,
        believed="A learned score is not symmetric, a cosine is.",
        says="You call a cosine box “additive” or an additive box “cosine”. The two are told "
        "apart by a number that you can work out: the cosine of your own probe.",
        hints=(
            "What is the cosine of your probe, worked out by hand?",
            "Cosine does not change when a key grows; an additive score does.",
            "Compare with the number, not with a shape.",
        ),
    ),
    Misconception(
        name="additive-by-zero",
        answer=additive_by_zero,
        believed="Zeros score 0 under every score but the additive one.",
        says="You give an additive box the name of another score. A key of zeros against a "
        "query of zeros scores 0 under it too.",
        hints=(
            "What is tanh(0)?",
            "Probe with vectors that are not 0.",
            "Work out what the three known scores give for your probe; what fits none is additive.",
        ),
    ),
)
