"""Exercise 01.best_few: between the blend and the choice."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math
from typing import Any

import numpy as np
from torch import Generator

from exercise_bank.ch01.laws import among_the_values, array
from exercise_bank.ch01.mistakes.best_few import MISCONCEPTIONS
from exercise_bank.ch01.mistakes.best_few_more import MORE
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, k: int, d: int, e: int, n: int, offset: float = 0.0) -> Inputs:
    """Draw keys with well-separated scores, in shuffled order, around an offset."""
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


def all_of_them(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 2, 3), draw(g, 1, 1, 1, 1), draw(g, 5, 3, 2, 5, -2.0)]


def the_best(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 2, 1), draw(g, 5, 1, 3, 1, 3.0), draw(g, 4, 3, 2, 1, -5.0)]


def shown_weights(g: Generator) -> list[Inputs]:
    """Draw values that show each weight; scores of both signs, and of one sign."""
    sizes = ((3, 1, 2, 0.0), (4, 3, 2, -4.0), (6, 2, 4, 0.4), (7, 4, 3, 5.0))
    return [{**draw(g, k, d, k, n, offset), "value": np.eye(k)} for k, d, n, offset in sizes]


def awkward(g: Generator) -> list[Inputs]:
    example = {
        "query": np.array([1.0]),
        "key": np.array([[-5.0], [math.log(3.0)], [0.0]]),
        "value": np.array([[900.0], [4.0], [8.0]]),
        "n": 2,
    }
    drawn = [draw(g, 9, 5, 3, 4), draw(g, 7, 1, 6, 5, 1.0), draw(g, 6, 6, 6, 2, -6.0)]
    return [example, *drawn, draw(g, 5, 3, 3, 3, 5.0), draw(g, 4, 2, 2, 4)]


def the_chosen(inputs: Inputs, output: Any) -> str | None:
    """Report a key that is wrongly included or left out; the sizes of the weights are ignored."""
    if said := unfit(inputs, output):
        return said
    best = reference(**inputs) > 0
    wrong = np.flatnonzero(best != (np.abs(output) > 1e-9))
    if not len(wrong):
        return None
    j = int(wrong[0])
    order = np.argsort(-(inputs["key"] @ inputs["query"]))
    rank = int(np.flatnonzero(order == j)[0])
    return (
        f"key {j} has the score number {rank + 1} in size of {len(order)}, so with n = "
        f"{inputs['n']} it {'takes part' if best[j] else 'has the weight 0'}; you give it "
        f"{output[j]:.4g}"
    )


def right_ratios(inputs: Inputs, output: Any) -> str | None:
    """Report two weights whose ratio is wrong; the choice of keys is ignored."""
    if said := unfit(inputs, output):
        return said
    part = np.flatnonzero(np.abs(output) > 1e-9)
    if len(part) < 2 or (output < 0).any():
        return f"with n = {inputs['n']} several keys have weights above 0; yours are {show(output)}"
    scores = (inputs["key"] @ inputs["query"])[part]
    found = np.log(output[part])
    off = np.abs((found - found[0]) - (scores - scores[0]))
    if off.max() < 1e-4:
        return None
    j = int(off.argmax())
    return (
        f"the scores of keys {part[j]} and {part[0]} differ by {scores[j] - scores[0]:.4g}; the "
        f"logarithms of your weights by {found[j] - found[0]:.4g}"
    )


def unfit(inputs: Inputs, output: Any) -> str | None:
    k = len(inputs["value"])
    if isinstance(output, np.ndarray) and output.shape == (k,) and np.isfinite(output).all():
        return None
    return f"the values are the rows of an identity matrix, so {k} weights should come out"


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
        Rung(
            name="n is the number of keys: all take part",
            points=0.75,
            idea="shares by exponentials",
            draw=all_of_them,
            law=among_the_values,
        ),
        Rung(
            name="n is 1: the best alone",
            points=0.75,
            idea="the chosen share one whole",
            draw=the_best,
            law=among_the_values,
        ),
        Rung(
            name="the n best take part, and no other",
            points=1.0,
            idea="the n best, no other",
            draw=shown_weights,
            law=the_chosen,
            compare=False,
        ),
        Rung(
            name="who takes part gets a share by the exponential of its score",
            points=1.0,
            idea="shares by exponentials",
            draw=shown_weights,
            law=right_ratios,
            compare=False,
        ),
        Rung(
            name="the whole, at awkward sizes",
            points=1.5,
            idea="the chosen share one whole",
            draw=awkward,
            law=among_the_values,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
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
