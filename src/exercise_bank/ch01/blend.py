"""Exercise 01.blend: the attention of one query, with a temperature."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math
from typing import Any

import numpy as np
from torch import Generator

from exercise_bank.ch01.laws import among_the_values, array
from exercise_bank.ch01.mistakes.blend import MISCONCEPTIONS
from exercise_bank.ch01.mistakes.blend_more import MORE
from exercise_bank.draws import stretched
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import USUAL


def draw(g: Generator, k: int, d: int, e: int, temperature: float) -> Inputs:
    """Draw one query, keys whose scores are a few units apart, and values."""
    query = np.sign(array(g, d))
    steps = np.linspace(-1, 1, k)[:, None] + 0.3 * array(g, k, 1).clip(-1, 1)
    key = 1.2 * steps * query + 0.1 * array(g, k, d)
    return {
        "query": query,
        "key": key,
        "value": 3 * array(g, k, e) + 2,
        "temperature": temperature,
    }


def equal_scores(g: Generator) -> list[Inputs]:
    """Draw queries of zeros, which score every key 0."""
    drawn = [draw(g, 2, 2, 1, 1.0), draw(g, 5, 3, 4, 3.0), draw(g, 1, 2, 3, 0.5)]
    return [{**inputs, "query": np.zeros_like(inputs["query"])} for inputs in drawn]


def width_1(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 1, 1, 1.0), draw(g, 3, 1, 3, 1.0), draw(g, 5, 1, 2, 1.0)]


def any_width(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 2, 1.0), draw(g, 2, 3, 3, 1.0), draw(g, 5, 7, 4, 1.0)]


def own_values(g: Generator) -> list[Inputs]:
    """Draw keys of width 1 that are their own values, at temperatures below and above 1."""
    drawn = [draw(g, k, 1, 1, tau) for k, tau in ((2, 2.0), (3, 0.5), (4, 7.0))]
    return [{**inputs, "value": inputs["key"].copy()} for inputs in drawn]


def shown_weights(g: Generator) -> list[Inputs]:
    """Draw values that show the weights one by one."""
    drawn = [draw(g, k, d, k, tau) for k, d, tau in ((2, 2, 2.0), (3, 4, 0.5), (5, 3, 1.5))]
    return [{**inputs, "value": np.eye(len(inputs["key"]))} for inputs in drawn]


def positive_scores(g: Generator) -> list[Inputs]:
    """Draw visible weights for keys in shuffled order that all point in the query's direction."""
    found: list[Inputs] = []
    for k, d, tau, best in ((3, 1, 1.0, 1), (4, 2, 2.0, 3), (5, 3, 1.0, 2)):
        k, d = stretched(g, k, d)
        inputs = draw(g, k, d, k, tau)
        order = np.roll(np.arange(k), best + 1)
        key = (inputs["key"] + 2.5 * inputs["query"])[order]
        found.append({**inputs, "key": key, "value": np.eye(k)})
    return found


def awkward(g: Generator) -> list[Inputs]:
    example = {
        "query": np.array([math.log(3.0), 0.0]),
        "key": np.array([[2.0, 5.0], [0.0, -1.0]]),
        "value": np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]]),
        "temperature": 2.0,
    }
    drawn = [draw(g, 7, 5, 3, 3.0), draw(g, 4, 1, 6, 0.25), draw(g, 6, 6, 6, 1.5)]
    low = draw(g, 4, 3, 2, 0.5)
    far = low["key"] - 4 * low["query"]  # scores of about -24, and all powers are tiny
    return [example, *drawn, draw(g, 1, 3, 2, 4.0), {**low, "key": far}]


def the_blend(inputs: Inputs, output: Any) -> str | None:
    """Report numbers that differ from the right blend, in an array or a list."""
    got = as_array(output)
    said = among_the_values(inputs, got)
    return said or difference(reference(**inputs), got, USUAL, dtype="kind") or None


def an_array(inputs: Inputs, output: Any) -> str | None:
    if isinstance(output, np.ndarray):
        return None
    return f"expected a NumPy array, your output is a {type(output).__name__}"


def as_array(output: Any) -> Any:
    return output if isinstance(output, np.ndarray) else np.asarray(output, dtype=float)


def the_best_first(inputs: Inputs, output: Any) -> str | None:
    """Report a key that matches best but does not have the largest weight."""
    n = len(inputs["value"])
    output = as_array(output)
    if output.shape != (n,):
        return f"the values are the rows of an identity matrix, so {n} weights should come out"
    best = int((inputs["key"] @ inputs["query"]).argmax())
    if output[best] > np.delete(output, best).max():
        return None
    return f"key {best} matches best, with the weight {output[best]:.4g}; your weights are {output}"


def right_ratios(inputs: Inputs, output: Any) -> str | None:
    """Report two weights whose ratio is wrong; their sum is ignored."""
    n = len(inputs["value"])
    output = as_array(output)
    if output.shape != (n,) or not (output > 0).all():
        return f"expected {n} weights above 0"
    scores = inputs["key"] @ inputs["query"] / inputs["temperature"]
    found = np.log(output)
    off = np.abs((found - found[0]) - (scores - scores[0]))
    if off.max() < 1e-4:
        return None
    j = int(off.argmax())
    return (
        f"the scores of keys {j} and 0, divided by the temperature, differ by "
        f"{scores[j] - scores[0]:.4g}; the logarithms of your weights by {found[j] - found[0]:.4g}"
    )


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
        Rung(
            name="temperature 1, keys of width 1",
            points=0.5,
            idea="the query meets the keys",
            draw=width_1,
            law=the_blend,
            compare=False,
        ),
        Rung(
            name="equal scores: every value counts alike",
            points=0.5,
            idea="a softmax shares out one whole",
            draw=equal_scores,
            law=the_blend,
            compare=False,
        ),
        Rung(
            name="the best match counts most",
            points=0.25,
            idea="the query meets the keys",
            draw=positive_scores,
            law=the_best_first,
            compare=False,
        ),
        Rung(
            name="temperature 1, keys of any width: nothing else is scaled",
            points=0.5,
            idea="the query meets the keys",
            draw=any_width,
            law=the_blend,
            compare=False,
        ),
        Rung(
            name="any temperature, keys of width 1 that are their own values",
            points=0.75,
            idea="temperature divides the scores",
            draw=own_values,
            law=the_blend,
            compare=False,
        ),
        Rung(
            name="a weight grows with the exponential of its score, divided by the temperature",
            points=0.5,
            idea="temperature divides the scores",
            draw=shown_weights,
            law=right_ratios,
            compare=False,
        ),
        Rung(
            name="the whole, at awkward sizes",
            points=0.75,
            draw=awkward,
            law=the_blend,
            compare=False,
        ),
        Rung(
            name="the blend is a NumPy array",
            points=0.25,
            draw=width_1,
            law=an_array,
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
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
