"""Exercise 01.temperature_slope: a derivative of your own, checked numerically."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

from typing import Any

import numpy as np
from torch import Generator

from exercise_bank.ch01.laws import array
from exercise_bank.ch01.mistakes.temperature_slope import MISCONCEPTIONS
from exercise_bank.ch01.mistakes.temperature_slope_more import MORE
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import FINE


def draw(g: Generator, k: int, temperature: float, size: float = 1.5) -> Inputs:
    steps = np.linspace(-1, 1, k) if k > 1 else np.zeros(1)
    scores = size * (steps + 0.2 * array(g, k).clip(-1, 1)) + 0.8
    return {"scores": scores[np.argsort(array(g, k))], "temperature": temperature}


def balanced(g: Generator) -> list[Inputs]:
    """Draw scores whose average, weighted at temperature 1, is 0."""
    found: list[Inputs] = []
    for k in (2, 3, 5):
        scores = draw(g, k, 1.0)["scores"]
        powers = np.exp(scores)
        found.append({"scores": scores - powers @ scores / powers.sum(), "temperature": 1.0})
    return found


def at_1(g: Generator) -> list[Inputs]:
    example = {"scores": np.array([np.log(3.0), 0.0]), "temperature": 1.0}
    return [example, draw(g, 2, 1.0, 0.5), draw(g, 3, 1.0), draw(g, 5, 1.0)]


def any_temperature(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2.0), draw(g, 3, 0.5), draw(g, 4, 3.0)]


def awkward(g: Generator) -> list[Inputs]:
    equal = {"scores": np.full(4, 1.7), "temperature": 0.8}
    return [equal, draw(g, 7, 1.3, 4.0), draw(g, 1, 2.0), draw(g, 9, 5.0, 6.0)]


def the_slopes_sum_to_0(inputs: Inputs, slope: Any) -> str | None:
    """Report slopes that do not sum to 0, are of the wrong kind, or are all 0."""
    if said := unfit(inputs, slope):
        return said
    if abs(slope.sum()) > 1e-6:
        return (
            "the weights sum to 1 at every temperature, so their slopes sum to 0; yours sum to "
            f"{slope.sum():.4g}"
        )
    if not slope.any() and np.ptp(inputs["scores"]) > 0:
        return "the weights of unequal scores move with the temperature; all your slopes are 0"
    return None


def some_grow(inputs: Inputs, slope: Any) -> str | None:
    """Report a weight that grows or falls against the sign of its slope in the answer."""
    if said := unfit(inputs, slope):
        return said
    right = reference(**inputs)
    for j, (wanted, yours) in enumerate(zip(right, slope, strict=True)):
        if abs(wanted) > 1e-4 and not wanted * yours > 0:
            moves = "grows" if wanted > 0 else "falls"
            return f"weight {j} {moves} with the temperature; your slope is {yours:.4g}"
    return None


def in_proportion(inputs: Inputs, slope: Any) -> str | None:
    """Report slopes that are not a multiple of the right ones, whatever the sign and size."""
    if said := unfit(inputs, slope):
        return said
    right = reference(**inputs)
    factor = slope @ right / (right @ right)
    if factor != 0 and np.abs(slope - factor * right).max() < 1e-5 * np.abs(slope).max():
        return None
    j = int(np.abs(right).argmax())
    i = int(np.abs(slope / slope[j] - right / right[j]).argmax()) if slope[j] else j
    return (
        f"the slope of weight {i} should be {right[i] / right[j]:.4g} times that of weight {j}; "
        f"yours are {slope[i]:.4g} and {slope[j]:.4g}"
    )


def unfit(inputs: Inputs, slope: Any) -> str | None:
    if not isinstance(slope, np.ndarray):
        return f"expected a NumPy array, your output is a {type(slope).__name__}"
    if slope.shape != inputs["scores"].shape:
        return f"expected one slope for each score, {inputs['scores'].shape}; yours: {slope.shape}"
    return None


def reference(scores: np.ndarray, temperature: float) -> np.ndarray:
    """Return how fast each weight grows with the temperature."""
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores) / temperature**2


def by_differences(scores: np.ndarray, temperature: float) -> np.ndarray:
    weights = []
    for tau in (temperature - 1e-5, temperature + 1e-5):
        powers = np.exp(scores / tau)
        weights.append(powers / powers.sum())
    return (weights[1] - weights[0]) / 2e-5


def by_the_jacobian(scores: np.ndarray, temperature: float) -> np.ndarray:
    weights = np.exp(scores / temperature) / np.exp(scores / temperature).sum()
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return jacobian @ (-scores / temperature**2)


def by_the_quotient_rule(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    growth = -powers * scores / temperature**2
    total = powers.sum()
    return (growth * total - powers * growth.sum()) / total**2


TASK = Exercise(
    id="01.temperature_slope",
    title="How weights move with the temperature",
    level="hard",
    minutes=20,
    concepts=("temperature", "differentiable-lookup", "root-d-as-temperature"),
    extra=True,
    reference=reference,
    rungs=(
        Rung(
            name="the slopes sum to 0",
            points=0.5,
            idea="a softmax shares out one whole",
            draw=any_temperature,
            law=the_slopes_sum_to_0,
            compare=False,
        ),
        Rung(
            name="which weights grow, and which fall",
            points=1.0,
            idea="compared with the weighted average",
            draw=any_temperature,
            law=some_grow,
            compare=False,
        ),
        Rung(
            name="temperature 1, where the weighted average of the scores is 0",
            points=0.5,
            idea="a softmax shares out one whole",
            draw=balanced,
        ),
        Rung(
            name="any scores, at temperature 1",
            points=0.5,
            idea="compared with the weighted average",
            draw=at_1,
        ),
        Rung(
            name="slopes in the right proportions, at any temperature",
            points=0.75,
            idea="compared with the weighted average",
            draw=any_temperature,
            law=in_proportion,
            compare=False,
        ),
        Rung(
            name="any temperature",
            points=1.25,
            idea="the chain rule through s/τ",
            draw=any_temperature,
            law=the_slopes_sum_to_0,
        ),
        Rung(
            name="equal scores, one score, scores far apart",
            points=0.5,
            draw=awkward,
            law=the_slopes_sum_to_0,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="finite differences", answer=by_differences),
        Alternative(name="the Jacobian of softmax", answer=by_the_jacobian),
        Alternative(name="the quotient rule", answer=by_the_quotient_rule),
    ),
    hints=(
        "When it gets hotter, does the largest weight grow or fall? And the smallest?",
        "Call u = s/τ. How does the weight depend on u, and u on τ?",
        "du/dτ = -s/τ² for each score. The chapter derives how a blend moves with one score; a "
        "weight is a blend of zeros and a one.",
    ),
    precision=FINE,
    forbid=("plainformer", "torch", "scipy", "softmax", "autograd", "gradient"),
    equivalents=dict.fromkeys(
        (
            "temperature_slope: line 4: @ scores has its sides swapped",
            "reference reference: line 4: @ scores has its sides swapped",
        ),
        "a dot product of two vectors has no order",
    ),
)
