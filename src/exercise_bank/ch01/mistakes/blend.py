"""How 01.blend goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def multiplies(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query * temperature)
    return powers / powers.sum() @ value


def ignores_temperature(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query)
    return powers / powers.sum() @ value


def cools_the_weights(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query)
    return powers / powers.sum() / temperature @ value


def cools_twice(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp((key / temperature) @ (query / temperature))
    return powers / powers.sum() @ value


def no_exponential(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query / temperature
    return scores / scores.sum() @ value


def not_divided(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    return np.exp(key @ query / temperature) @ value


def takes_the_best(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    return value[(key @ query / temperature).argmax()]


def averages_the_keys(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / powers.sum() @ key


def compares_the_values(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(value @ query / temperature)
    return powers / powers.sum() @ value


def scaled_as_well(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / (temperature * np.sqrt(len(query))))
    return powers / powers.sum() @ value


def divided_by_the_largest(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query / temperature
    return np.exp(scores - scores.max()) @ value


def root_of_temperature(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / np.sqrt(temperature))
    return powers / powers.sum() @ value


def at_least_1(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / max(temperature, 1.0))
    return powers / powers.sum() @ value


def angles(query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float) -> np.ndarray:
    lengths = np.linalg.norm(key, axis=1) * np.linalg.norm(query) + 1e-12
    powers = np.exp(key @ query / lengths / temperature)
    return powers / powers.sum() @ value


def distances(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(-((key - query) ** 2).sum(axis=1) / temperature)
    return powers / powers.sum() @ value


def scores_for_weights(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query / temperature
    return scores @ value


def powers_of_two(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = 2.0 ** (key @ query / temperature)
    return powers / powers.sum() @ value


def divided_by_the_mean(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / powers.mean() @ value


def as_a_list(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> list[float]:
    powers = np.exp(key @ query / temperature)
    blended: list[float] = (powers / powers.sum() @ value).tolist()
    return blended


MISCONCEPTIONS = (
    Misconception(
        name="multiplies",
        answer=multiplies,
        believed="A higher temperature makes the weights sharper.",
        says="At temperature 1 your answer is right; at a higher one it leans further towards the "
        "best match, where it should lean less.",
        hints=(
            "At a very high temperature the blend should be the plain average. Is yours?",
            "Look at what you do to the scores before np.exp.",
            "Differences of scores must become smaller as the temperature grows.",
        ),
    ),
    Misconception(
        name="ignores-temperature",
        answer=ignores_temperature,
        believed="The temperature is only for sampling.",
        says="Your answer is the same at every temperature: it is left out, or cancels when the "
        "exponentials are divided by their sum.",
        hints=(
            "Call your function with temperature=0.1 and temperature=100. What should differ?",
            "The temperature acts on the scores.",
            "It acts before the exponential, on all scores alike.",
        ),
    ),
    Misconception(
        name="cools-the-weights",
        answer=cools_the_weights,
        believed="The weights are divided by the temperature.",
        says="Your weights sum to 1 divided by the temperature, so your blend is too short at "
        "temperatures above 1 and too long below.",
        hints=(
            "What do your weights sum to at temperature 2?",
            "Whatever is divided before the softmax leaves the sum at 1.",
            "Move the temperature in front of np.exp.",
        ),
    ),
    Misconception(
        name="cools-twice",
        answer=cools_twice,
        believed="Query and key are both divided by the temperature.",
        says="At temperature 1 your answer is right; elsewhere it is that of the temperature "
        "squared.",
        hints=(
            "By how much does the dot product shrink if both vectors are halved?",
            "The score should be divided once.",
            "Cool one of the two, or the score itself.",
        ),
    ),
    Misconception(
        name="no-exponential",
        answer=no_exponential,
        believed="Scores divided by their sum are weights.",
        says="Your weights are the scores divided by their sum. Scores of both signs make weights "
        "of both signs there, and the temperature cancels.",
        hints=(
            "Print your weights for scores 2 and -1.",
            "What makes any number positive and keeps the order?",
            "Raise e to the scores before you divide.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=not_divided,
        believed="np.exp makes weights.",
        says="Your exponentials are not divided by their sum: put ones into value, and the answer "
        "should be 1.",
        hints=(
            "What do your weights sum to?",
            "Softmax is two steps. Which is missing?",
            "Divide by the sum of the exponentials.",
        ),
    ),
    Misconception(
        name="takes-the-best",
        answer=takes_the_best,
        believed="The best match is the answer.",
        says="Your answer is one of the values as it stands, the one whose key matches best. A "
        "blend holds something of each.",
        hints=(
            "What does your function return if two keys are equal?",
            "Nothing is chosen. Everything is weighted.",
            "Replace argmax by weights.",
        ),
    ),
    Misconception(
        name="averages-the-keys",
        answer=averages_the_keys,
        believed="The keys are what is carried home.",
        says="Your answer has the width of the keys and does not change when the values change.",
        hints=(
            "Which argument does your function never use?",
            "Keys are found, values are read.",
            "Look at the right-hand side of your last product.",
        ),
    ),
    Misconception(
        name="compares-the-values",
        answer=compares_the_values,
        believed="The query is compared with the values.",
        says="Your weights do not change when the keys change: the query meets the values.",
        hints=(
            "Which argument does your function never use?",
            "The query speaks the words of the labels.",
            "Look at the first product.",
        ),
    ),
    Misconception(
        name="scaled-as-well",
        answer=scaled_as_well,
        believed="A dot product is always divided by the root of d.",
        says="With width 1 your answer is right; with width d your weights are those of a "
        "temperature that is √d times as high.",
        hints=(
            "What does the task divide the scores by?",
            "The root of d is a temperature. Here the temperature is given.",
            "Divide by the temperature and by nothing else.",
        ),
    ),
    Misconception(
        name="divided-by-the-largest",
        answer=divided_by_the_largest,
        believed="The best match has weight 1.",
        says="You take the largest score off and do not divide by the sum: your best key has "
        "the weight 1, and your weights sum to more than 1 wherever there is a second "
        "key.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Taking off the largest score changes no ratio; it does not make the sum 1.",
            "Divide by the sum of the exponentials.",
        ),
    ),
    Misconception(
        name="root-of-the-temperature",
        answer=root_of_temperature,
        believed="A temperature is a square.",
        says="At temperature 1 your answer is right; elsewhere you divide by its root.",
        hints=(
            "Which number do you divide by at temperature 4?",
            "The root belongs to the width, in another score.",
            "Divide by the temperature itself.",
        ),
    ),
    Misconception(
        name="at-least-1",
        answer=at_least_1,
        believed="A small temperature makes the exponentials overflow.",
        says="From temperature 1 upwards your answer is right; below it you compute with 1. A "
        "temperature below 1 sharpens the weights.",
        hints=(
            "Call your function with temperature=0.1 and with temperature=1. What should differ?",
            "Every temperature above 0 is allowed.",
            "Divide by the temperature that is given; take the largest score off if exp overflows.",
        ),
    ),
    Misconception(
        name="angles",
        answer=angles,
        believed="Likeness is the cosine.",
        says="Your weights do not change when a key becomes twice as long: you score by the "
        "angle. The dot product is asked.",
        hints=(
            "Make a key twice as long. Does its weight change?",
            "A dot product grows with both lengths.",
            "Leave the lengths in.",
        ),
    ),
    Misconception(
        name="distances",
        answer=distances,
        believed="The nearest key matches best.",
        says="Your best key is the one nearest to the query. With a dot product a longer key "
        "in the same direction scores higher.",
        hints=(
            "Which key wins for the query (1): 1 or 2?",
            "The dot product is key @ query.",
            "Score by the dot product.",
        ),
    ),
    Misconception(
        name="scores-for-weights",
        answer=scores_for_weights,
        believed="Scores are weights.",
        says="You average with the scores themselves: they are not above 0, nor do they sum to 1.",
        hints=(
            "What should the answer be if all values are equal?",
            "Which two steps make weights of scores?",
            "Take exponentials, and divide by their sum.",
        ),
    ),
    Misconception(
        name="powers-of-two",
        answer=powers_of_two,
        believed="Any base will do.",
        says="Your weights stand in the ratio of powers of 2. A softmax takes powers of e.",
        hints=(
            "With scores 0 and 1, how many times as much should the second get?",
            "np.exp is e to the power.",
        ),
    ),
    Misconception(
        name="divided-by-the-mean",
        answer=divided_by_the_mean,
        believed="Weights are 1 on average.",
        says="You divide by the mean of the exponentials, so your weights sum to the number of "
        "keys.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Weights sum to 1.",
            "Divide by the sum.",
        ),
    ),
    Misconception(
        name="a-list",
        kind="form",
        answer=as_a_list,
        believed="A list of numbers is an array.",
        says="Your numbers are right, in a list. A NumPy array is asked.",
        hints=(
            "What is the type of your result?",
            "Leave out tolist(), or use np.array.",
        ),
    ),
)
