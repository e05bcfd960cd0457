"""Tests that name scores but overlook some property."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

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


def largest_above(limit: float, query_length: float, key_length: float) -> Callable[[Box], str]:
    """Return an answer that calls a box hard if one of two weights is above a limit."""

    def name(attention: Box) -> str:
        query, key = torch.zeros(1, 4), torch.zeros(2, 4)
        query[0, 0], key[0, 1], key[1, 0] = query_length, 1.0, key_length
        weights = attention(query, key)[0]
        if weights.max() > limit:
            return "hard"
        dots = query[0] @ key.T
        known = {"dot": dots, "scaled dot": dots / 2, "cosine": torch.tensor([0.0, 1.0])}
        for name, scores in known.items():
            if torch.allclose(torch.softmax(scores.double(), dim=0), weights, atol=1e-6):
                return name
        return "additive"

    return name


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


def called(
    attention: Box,
    dot: str = "dot",
    scaled: str = "scaled dot",
    cosine: str = "cosine",
    additive: str = "additive",
    hard: str = "hard",
) -> str:
    """Return the name given to each kind of box."""
    found = difference(attention, 6.0)
    if found == math.inf:
        return hard
    for name, expected in ((dot, 6.0), (scaled, 3.0), (cosine, 1.0)):
        if abs(found - expected) < 1e-3:
            return name
    return additive


def called_by(attention: Box, names: dict[str, str]) -> str:
    """Give each kind of box its name in a table."""
    return called(attention, **names)
