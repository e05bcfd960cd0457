"""More ways that 01.temperature_slope goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def mean_of_the_products(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * ((weights * scores).mean() - scores) / temperature**2


def weight_squared(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights**2 * (weights @ scores - scores) / temperature**2


def sum_for_the_average(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (scores.sum() - scores) / temperature**2


def weights_of_scores_times_tau(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores * temperature)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores) / temperature**2


def powers_of_products(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores * temperature)
    weights = powers / powers.sum()
    return weights * (scores - weights @ scores)


def not_normalised(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    return -powers * scores / temperature**2


def twice_too_large(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp((scores - scores.max()) / temperature)
    weights = powers / powers.sum()
    return 2 * weights * (weights @ scores - scores) / temperature**2


def change_not_divided(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return weights(temperature + 1e-3) - weights(temperature)


def change_over_both_sides(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return weights(temperature + 1e-3) - weights(temperature - 1e-3)


def change_of_a_hundredth(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return weights(temperature + 1e-2) - weights(temperature)


def step_too_large(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return (weights(temperature + 1e-2) - weights(temperature)) / 1e-2


def step_of_a_thousandth(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return (weights(temperature + 1e-3) - weights(temperature)) / 1e-3


def step_of_a_tenth(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return (weights(temperature + 0.1) - weights(temperature)) / 0.1


def backwards(scores: np.ndarray, temperature: float) -> np.ndarray:
    exact = scores.astype(np.float64)

    def weights(tau: float) -> np.ndarray:
        powers = np.exp((exact - exact.max()) / tau)
        return powers / powers.sum()

    return (weights(temperature) - weights(temperature - 1e-3)) / 1e-3


def half_a_slope(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * (weights @ scores - scores) / temperature**2 / 2


def size_of_the_slope(scores: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.exp(scores / temperature)
    weights = powers / powers.sum()
    return weights * np.abs(weights @ scores - scores) / temperature**2


MORE = (
    Misconception(
        name="twice-too-large",
        answer=twice_too_large,
        believed="A step of h to both sides is a step of h.",
        says="Your slopes are twice the right ones. If you take the difference of the weights at "
        "τ + h and at τ - h: these lie 2h apart.",
        hints=(
            "How far apart are your two temperatures?",
            "By what do you divide the difference of the weights?",
            "Divide by 2h.",
        ),
    ),
    Misconception(
        name="mean-of-the-products",
        answer=mean_of_the_products,
        believed="The weighted average is the mean of weights times scores.",
        says="Your weighted average is too small: you divide by the number of keys, and the "
        "weights sum to 1 already. So your slopes do not sum to 0.",
        hints=(
            "What is your average if all scores are 1?",
            "By what is a weighted average divided?",
            "Use weights @ scores.",
        ),
    ),
    Misconception(
        name="weight-squared",
        answer=weight_squared,
        believed="The weight comes in twice.",
        says="Your slope has the square of the weight in place of the weight, so your slopes do "
        "not sum to 0.",
        hints=(
            "What do your slopes sum to?",
            "How often is the weight of key j in the derivative of its own exponential?",
            "Multiply by the weight once.",
        ),
    ),
    Misconception(
        name="sum-for-the-average",
        answer=sum_for_the_average,
        believed="Each score is compared with the sum.",
        says="You compare each score with the sum of the scores. Your slopes do not sum to 0.",
        hints=(
            "What do your slopes sum to if all scores are 1?",
            "Which number do the weights of a softmax average to?",
            "Compare with weights @ scores.",
        ),
    ),
    Misconception(
        name="weights-of-scores-times-tau",
        answer=weights_of_scores_times_tau,
        variants=(powers_of_products,),
        believed="A temperature multiplies the scores.",
        says="Your weights are those of scores that are multiplied by the temperature. The "
        "temperature divides the scores.",
        hints=(
            "Which way do the weights move as it gets warmer?",
            "What is in the exponent, and what does your code have there?",
            "Divide the scores by the temperature.",
        ),
    ),
    Misconception(
        name="not-normalised",
        answer=not_normalised,
        believed="The weight is its exponential.",
        says="You take the slope of the exponential, and the weight is the exponential divided by "
        "the sum. The sum moves with the temperature, too.",
        hints=(
            "What do your slopes sum to?",
            "A weight is a quotient. Which rule gives its slope?",
            "Derive the sum below as well.",
        ),
    ),
    Misconception(
        name="change-not-divided",
        answer=change_not_divided,
        variants=(
            change_over_both_sides,
            change_of_a_hundredth,
        ),
        believed="A small change of the weights is the slope.",
        says="Your slopes are much too small, each by the same factor. If you subtract the weights"
        " of two temperatures: divide by the difference of the temperatures.",
        hints=(
            "By which factor are your numbers off?",
            "What is a slope, in terms of two points?",
            "Divide by the step.",
        ),
    ),
    Misconception(
        name="step-too-large",
        answer=step_too_large,
        variants=(
            step_of_a_thousandth,
            step_of_a_tenth,
            backwards,
        ),
        believed="A step of a hundredth is small.",
        says="Your slopes are nearly right and not exact enough. If you take the difference of two"
        " temperatures: your step is too large, or you step to one side only.",
        hints=(
            "How many digits of your slopes are right?",
            "What does a smaller step change, and what a step to both sides?",
            "Step to both sides by 1e-5, or use the formula.",
        ),
    ),
    Misconception(
        name="half-a-slope",
        answer=half_a_slope,
        believed="The slope is a mean of two.",
        says="All your slopes are half as large as they should be.",
        hints=(
            "By which factor are your numbers off?",
            "If you take differences: how wide is the whole step?",
            "Look for a factor of 2.",
        ),
    ),
    Misconception(
        name="size-of-the-slope",
        answer=size_of_the_slope,
        believed="A slope is a size.",
        says="None of your slopes is negative, so they cannot sum to 0. Some weights fall as it "
        "gets warmer.",
        hints=(
            "What do your slopes sum to?",
            "Which weights fall as it gets warmer?",
            "Keep the sign of the difference.",
        ),
    ),
)
