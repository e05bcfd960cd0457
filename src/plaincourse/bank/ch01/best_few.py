"""Exercise 01.best_few: between the blend and the choice."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np
from torch import Generator

from plaincourse.bank.ch01.laws import among_the_values, array
from plaincourse.bank.ch01.mistakes.best_few import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, k: int, d: int, e: int, n: int, offset: float = 0.0) -> Inputs:
    """Draw keys whose scores lie apart, in shuffled order, around an offset."""
    query = np.sign(array(g, d))
    order = np.argsort(array(g, k))
    wanted = 0.7 * (order - (k - 1) / 2 + 0.2 * array(g, k).clip(-1, 1)) + offset
    sideways = array(g, k, d)
    sideways -= np.outer(sideways @ query, query) / d
    return {
        "query": query,
        "key": np.outer(wanted, query) / d + sideways,
        "value": 3 * array(g, k, e) + 5,
        "n": n,
    }


def two_of_three(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 1, 2), draw(g, 3, 1, 2, 2), draw(g, 3, 2, 2, 2)]


def one_or_all(g: Generator) -> list[Inputs]:
    return [draw(g, 4, 2, 2, 1), draw(g, 4, 2, 2, 4), draw(g, 1, 1, 1, 1)]


def all_negative(g: Generator) -> list[Inputs]:
    return [draw(g, 4, 2, 2, 2, -4.0), draw(g, 5, 3, 3, 3, -6.0), draw(g, 5, 3, 1, 2, 4.0)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 9, 5, 3, 4), draw(g, 7, 1, 6, 5, 1.0), draw(g, 6, 6, 6, 2, -1.0)]


def reference(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    """Let the n keys with the largest scores share the weight."""
    scores = key @ query
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def the_rest_hidden(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    scores = np.where(scores >= np.sort(scores)[-n], scores, -np.inf)
    weights = np.exp(scores)
    return weights @ value / weights.sum()


def renormalised(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    weights = np.exp(key @ query)
    weights = weights / weights.sum()
    weights[np.argsort(weights)[: len(weights) - n]] = 0
    return (weights / weights.sum()) @ value


def sorted_cards(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    cards = sorted(zip(key @ query, value, strict=True), key=lambda card: -card[0])[:n]
    total = sum(np.exp(score) for score, _ in cards)
    return np.array(sum(np.exp(score) / total * v for score, v in cards))


TASK = Exercise(
    id="01.best_few",
    title="Only the best few",
    level="medium",
    minutes=15,
    concepts=("soft-against-hard", "weights-as-distribution", "keys-are-not-values"),
    reference=reference,
    rungs=(
        Rung(name="the best two of three", points=1.5, draw=two_of_three, law=among_the_values),
        Rung(
            name="the best alone, or all of them", points=1.0, draw=one_or_all, law=among_the_values
        ),
        Rung(
            name="scores that are all negative, or all positive",
            points=1.0,
            draw=all_negative,
            law=among_the_values,
        ),
        Rung(name="the whole, at awkward sizes", points=1.5, draw=awkward, law=among_the_values),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="the rest hidden by minus infinity", answer=the_rest_hidden),
        Alternative(name="removed after softmax and divided again", answer=renormalised),
        Alternative(name="cards sorted", answer=sorted_cards),
    ),
    hints=(
        "With n = 1 your function is a hard choice. What is it with n = k?",
        "np.argsort gives places in ascending order of the scores. Which end do you need?",
        "The chosen keys have a softmax of their own. Which rows of the values go with it?",
    ),
    forbid=("plainformer", "torch", "scipy", "softmax"),
)
