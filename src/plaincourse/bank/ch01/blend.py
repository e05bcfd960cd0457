"""Exercise 01.blend: the attention of one query, with a temperature."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math

import numpy as np
from torch import Generator

from plaincourse.bank.ch01.laws import among_the_values, array
from plaincourse.bank.ch01.mistakes.blend import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, k: int, d: int, e: int, temperature: float) -> Inputs:
    """Draw one query, keys whose scores lie a few units apart, and values."""
    query = np.sign(array(g, d))
    steps = np.linspace(-1, 1, k)[:, None] + 0.3 * array(g, k, 1).clip(-1, 1)
    key = 1.2 * steps * query + 0.1 * array(g, k, d)
    return {
        "query": query,
        "key": key,
        "value": 3 * array(g, k, e) + 2,
        "temperature": temperature,
    }


def two_cards(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 1, 1, 1.0), draw(g, 2, 2, 2, 1.0)]


def more_cards(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 3, 3, 1.0), draw(g, 5, 2, 4, 1.0), draw(g, 1, 3, 2, 1.0)]


def temperatures(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 1, 2, 2.0), draw(g, 3, 3, 3, 0.5), draw(g, 4, 2, 1, 7.0)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 7, 5, 3, 3.0), draw(g, 4, 1, 6, 0.25), draw(g, 6, 6, 6, 1.5)]


def reference(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    """Score, cool, share, blend."""
    powers = np.exp(key @ query / temperature)
    return powers / powers.sum() @ value


def card_by_card(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = [math.exp(sum(k * query) / temperature) for k in key]
    return np.array(sum(p * v for p, v in zip(powers, value, strict=True)) / sum(powers))


def query_cooled_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = np.einsum("kd,d->k", key, query / temperature)
    weights = np.exp(scores - np.log(np.exp(scores).sum()))
    return (weights[:, None] * value).sum(axis=0)


def largest_taken_off(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = np.dot(key, query) / temperature
    weights = np.exp(scores - scores.max())
    return np.average(value, axis=0, weights=weights)


TASK = Exercise(
    id="01.blend",
    title="A blend for one query",
    level="warm-up",
    minutes=10,
    concepts=(
        "single-query-attention",
        "weights-as-distribution",
        "temperature",
        "query-key-value",
        "fuzzy-lookup",
        "dot-score",
        "keys-are-not-values",
        "root-d-as-temperature",
    ),
    reference=reference,
    rungs=(
        Rung(name="two cards, temperature 1", points=1.0, draw=two_cards, law=among_the_values),
        Rung(
            name="any number of cards, values of any width",
            points=1.0,
            draw=more_cards,
            law=among_the_values,
        ),
        Rung(
            name="scores are divided by the temperature",
            points=1.0,
            draw=temperatures,
            law=among_the_values,
        ),
        Rung(name="the whole, at awkward sizes", points=1.0, draw=awkward, law=among_the_values),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="card by card", answer=card_by_card),
        Alternative(name="the query cooled first", answer=query_cooled_first),
        Alternative(name="the largest score taken off", answer=largest_taken_off),
    ),
    hints=(
        "Which two of the three arrays decide the weights, and which one is averaged?",
        "Three steps: a score for each key, weights that sum to 1, an average. Where does the "
        "temperature enter, before the exponential or after it?",
        "You have k weights and k rows of values. Which product of the two has one number for each "
        "column of the values?",
    ),
    forbid=("scaled_dot_product_attention", "plainformer", "torch", "scipy", "softmax"),
)
