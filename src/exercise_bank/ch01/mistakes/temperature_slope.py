"""How 01.temperature_slope goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from plaincourse.exercise import Misconception


def wrong_sign(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (scores - weights @ scores) / temperature**2


def not_centred(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return -weights * scores / temperature**2


def not_centred_at_1(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores)
    return -powers / powers.sum() * scores / temperature**2


def plain_mean(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (scores.mean() - scores) / temperature**2


def divided_once(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores) / temperature


def not_divided(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores)


def weights_at_1(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores) / temperature**2


def own_slope_only(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return -weights * (1 - weights) * scores / temperature**2


def without_the_weight(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return (weights @ scores - scores) / temperature**2


def cubed(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    scaled = scores / temperature
    return weights * (weights @ scaled - scaled) / temperature**2


def slope_of_beta(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (scores - weights @ scores)


def diagonal_only(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (1 - weights)


def from_the_best(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (scores.max() - scores) / temperature**2


def slope(
    scores: np.ndarray,
    temperature: float,
    sign: float = 1.0,
    at: float | None = None,
    power: int = 2,
    average: str = "weighted",
    weighed: bool = True,
) -> np.ndarray:
    """Compute the slopes with any of the slips below, one for each argument."""
    powers = np.exp(scores / (at or temperature))
    weights = powers / powers.sum()
    averages = {"weighted": weights @ scores, "plain": scores.mean(), "none": 0.0}
    centred = averages[average] - scores
    return sign * (weights if weighed else 1.0) * centred / temperature**power


SLIPS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("wrong-sign", {"sign": -1.0}, "Your slopes have the wrong sign."),
    ("at-1", {"at": 1.0}, "Your weights are those of temperature 1, whatever the temperature is."),
    ("divided-once", {"power": 1}, "You divide by τ once, and the slope of s/τ is -s/τ²."),
    ("not-divided", {"power": 0}, "You do not divide by τ², and the slope of s/τ is -s/τ²."),
    (
        "plain-mean",
        {"average": "plain"},
        "You compare each score with the plain mean, and not with the weighted one.",
    ),
    ("not-centred", {"average": "none"}, "You compare no score with the average of all."),
    ("no-weight", {"weighed": False}, "You leave out the factor a, the weight itself."),
)
#: Pairs of slips that one of the mistakes below already describes.
TREATED = ({"wrong-sign", "not-divided"}, {"at-1", "not-centred"})

MISCONCEPTIONS = (
    Misconception(
        name="wrong-sign",
        answer=wrong_sign,
        believed="Heat makes the best match stronger.",
        says="Your slopes have the wrong sign: according to them the largest weight grows with the "
        "temperature.",
        hints=(
            "What are the weights at temperature 100?",
            "Heat takes from those above the average score and gives to those below.",
            "What is the derivative of 1/τ?",
        ),
    ),
    Misconception(
        name="not-centred",
        answer=not_centred,
        variants=(not_centred_at_1,),
        believed="A weight depends on its own score alone.",
        says="Your slopes do not sum to 0, and they change when the same number is added to all "
        "scores, although the weights stay as they are. The sum below the fraction line depends on "
        "the temperature as well.",
        hints=(
            "The denominator of softmax depends on the temperature, too.",
            "What average of the scores comes out of its derivative?",
            "Each score counts by how far it lies from the weighted average of all.",
        ),
    ),
    Misconception(
        name="plain-mean",
        answer=plain_mean,
        believed="Scores are compared with their mean.",
        says="You compare each score with the plain mean of the scores; your slopes do not sum "
        "to 0.",
        hints=(
            "Which average makes the slopes sum to 0?",
            "The derivative of the denominator weighs each score by its exponential.",
            "The scores are averaged with the weights themselves.",
        ),
    ),
    Misconception(
        name="divided-once",
        answer=divided_once,
        believed="Dividing by τ divides the slope by τ.",
        says="You divide by τ once. The slope of s/τ is -s/τ², so your slopes are wrong by the "
        "factor τ.",
        hints=(
            "What is the derivative of s/τ by τ?",
            "Check with a small difference at temperature 2.",
            "The power of τ in the derivative of 1/τ is not 1.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=not_divided,
        believed="The temperature enters only through the weights.",
        says="You do not divide by τ². The slope of s/τ is -s/τ², so your slopes are wrong by "
        "that factor.",
        hints=(
            "What is the derivative of s/τ by τ?",
            "Check with a small difference at temperature 2.",
            "The chain rule has an inner derivative. Where is it?",
        ),
    ),
    Misconception(
        name="weights-at-1",
        answer=weights_at_1,
        believed="The weights are the softmax of the scores.",
        says="Your weights are those of temperature 1, whatever the temperature is.",
        hints=(
            "At which temperature is the slope asked for?",
            "Print your weights inside the function.",
            "The weights in the formula are those at the given temperature.",
        ),
    ),
    Misconception(
        name="own-slope-only",
        answer=own_slope_only,
        believed="Only the diagonal of the Jacobian counts.",
        says="Your slopes do not sum to 0: you let each weight react to its own score only, "
        "while the temperature moves all scores at once.",
        hints=(
            "How many of the s/τ change when τ changes?",
            "A weight also reacts to the scores of the others.",
            "Add the share of each of the others: minus its weight times yours, times its change.",
        ),
    ),
    Misconception(
        name="without-the-weight",
        answer=without_the_weight,
        believed="The slope is the distance of a score from the average.",
        says="Your slopes are too large, most of all for cards of small weight: a weight near 0 "
        "can hardly move.",
        hints=(
            "How fast can a weight of 0.001 fall?",
            "The slope of exp(u) has exp(u) in it.",
            "Each slope is proportional to its own weight.",
        ),
    ),
    Misconception(
        name="divided-three-times",
        answer=cubed,
        believed="Each τ of the formula counts.",
        says="You divide by τ³. If you average s/τ: one τ is divided out there already, and only "
        "one more is missing.",
        hints=(
            "What is the derivative of s/τ?",
            "Either average s and divide by τ², or average s/τ and divide by τ.",
            "Count the τ of your formula.",
        ),
    ),
    Misconception(
        name="slope-in-one-over-tau",
        answer=slope_of_beta,
        believed="The slope is in 1/τ.",
        says="Yours are the slopes by 1/τ: they have the wrong sign, and the factor 1/τ² is "
        "missing.",
        hints=(
            "When τ grows, what does 1/τ do?",
            "The chain rule brings in the derivative of 1/τ.",
            "Multiply by -1/τ².",
        ),
    ),
    Misconception(
        name="diagonal-of-the-jacobian",
        answer=diagonal_only,
        believed="A softmax has the derivative a(1 - a).",
        says="Your slopes do not sum to 0: a(1 - a) is how a weight reacts to its own score. "
        "Here all scores divided by τ move at once.",
        hints=(
            "Add up your slopes. What should come out?",
            "Every score moves when τ does.",
            "Sum over the effects of all scores, with the derivative of s/τ.",
        ),
    ),
    Misconception(
        name="score-of-the-best",
        answer=from_the_best,
        believed="What counts is the distance from the best score.",
        says="You compare each score with the largest one; your slopes do not sum to 0, and no "
        "weight falls.",
        hints=(
            "Which weights fall when it gets warmer?",
            "A weight grows if its score lies below the weighted average.",
            "Use the average instead of the largest score.",
        ),
    ),
    *(
        Misconception(
            name=f"{one}-and-{other}",
            answer=partial(slope, **left, **right),
            believed="Each part of the derivative can be written down by itself.",
            says=f"{says} {adds}",
            hints=(
                "Compare with a small difference at temperature 2: (a(2.001) - a(2)) / 0.001.",
                "Write down a = exp(s/τ) / Z, and derive numerator and Z by τ in turn.",
                "The slope is a (Σ a s - s) / τ², with the weights a at the given temperature.",
            ),
        )
        for (one, left, says), (other, right, adds) in combinations(SLIPS, 2)
        if not left.keys() & right.keys() and {one, other} not in TREATED
    ),
)
