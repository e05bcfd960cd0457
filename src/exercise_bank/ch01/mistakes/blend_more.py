"""More ways that 01.blend goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

from functools import partial

import numpy as np

from plaincourse.exercise import Misconception


def mean_of_the_weighted_values(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    weights = powers / powers.sum()
    return (weights[:, None] * value).mean(axis=0)


def returns_the_weights(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / powers.sum()


def softmax_twice(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    powers = np.exp(powers / powers.sum())
    return powers / powers.sum() @ value


def softmax_twice_cooled_late(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query)
    powers = np.exp(powers / powers.sum() / temperature)
    return powers / powers.sum() @ value


def divided_by_the_width(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / len(query) / temperature)
    return powers / powers.sum() @ value


def plain_mean(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    return value.mean(axis=0)


def divided_by_the_number(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers @ value / len(key)


def root_of_the_number_of_keys(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / len(key) ** 0.5 / temperature)
    return powers / powers.sum() @ value


def number_of_keys(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / len(key) / temperature)
    return powers / powers.sum() @ value


def sigmoids(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query / temperature
    shares = 1 / (1 + np.exp(-scores))
    return shares / shares.sum() @ value


def query_of_length_1(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ (query / np.linalg.norm(query)) / temperature)
    return powers / powers.sum() @ value


def query_of_length_nearly_1(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    unit = query / (np.linalg.norm(query) + 1e-9)
    powers = np.exp(key @ unit / temperature)
    return powers / powers.sum() @ value


def keys_of_length_1(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    unit = key / np.linalg.norm(key, axis=1, keepdims=True)
    powers = np.exp(unit @ query / temperature)
    return powers / powers.sum() @ value


def standardised(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query
    scores = (scores - scores.mean()) / (scores.std() + 1e-9)
    powers = np.exp(scores / temperature)
    return powers / powers.sum() @ value


def standardised_without_care(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query
    scores = (scores - scores.mean()) / scores.std()
    powers = np.exp(scores / temperature)
    return powers / powers.sum() @ value


def divided_by_the_largest_score(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query
    powers = np.exp(scores / scores.max() / temperature)
    return powers / powers.sum() @ value


def cooled_before_and_after(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / powers.sum() / temperature @ value


def scaled_and_multiplied(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / len(query) ** 0.5 * temperature)
    return powers / powers.sum() @ value


def scaled_in_place_of_the_temperature(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / len(query) ** 0.5)
    return powers / powers.sum() @ value


def a_little_in_the_sum(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float, eps: float = 1e-8
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / (powers.sum() + eps) @ value


MORE = (
    Misconception(
        name="a-little-in-the-sum",
        answer=a_little_in_the_sum,
        variants=tuple(partial(a_little_in_the_sum, eps=eps) for eps in (1e-6, 1e-7, 1e-9, 1e-10)),
        believed="A sum gets a small number before one divides by it.",
        kind="form",
        says="You add a small number to the sum of the exponentials. Where all scores are far below"
        " 0, the exponentials are as small as this number, and your weights do not sum to 1.",
        hints=(
            "Put ones into value, and take scores of about -20. What is your answer?",
            "Can a sum of exponentials be 0 for scores such as these?",
            "Divide by the sum itself.",
        ),
    ),
    Misconception(
        name="mean-of-the-weighted-values",
        answer=mean_of_the_weighted_values,
        believed="A blend is a mean.",
        says="Your blend is divided by the number of keys once more, as in a mean of the weighted "
        "values. The weights sum to 1 already, so add the weighted values up.",
        hints=(
            "Put ones into value. What should the answer be, and what is yours?",
            "By what are weights divided so that they sum to 1?",
            "Replace the mean by a sum.",
        ),
    ),
    Misconception(
        name="returns-the-weights",
        answer=returns_the_weights,
        believed="The weights are the result.",
        says="You return a weight for each key. The task asks for the blend, which has a number "
        "for each column of the values.",
        hints=(
            "Which argument does your function never use?",
            "How long is your answer, and how wide is a value?",
            "Multiply the weights by the values.",
        ),
    ),
    Misconception(
        name="softmax-twice",
        answer=softmax_twice,
        variants=(softmax_twice_cooled_late,),
        believed="A second softmax makes sure that the weights sum to 1.",
        says="You apply a softmax to weights. Weights lie between 0 and 1, so the second softmax "
        "makes them nearly equal. One softmax is enough.",
        hints=(
            "Two scores differ by 5. What is the ratio of their weights after your function?",
            "What do the weights sum to after the first softmax?",
            "Use the weights of the first softmax.",
        ),
    ),
    Misconception(
        name="divided-by-the-width",
        answer=divided_by_the_width,
        believed="A dot product is a mean over the features.",
        says="You divide the scores by d, the width of the keys, besides. The task divides them by"
        " the temperature and by nothing else.",
        hints=(
            "Which keys give you the right weights at temperature 1: of which width?",
            "Is your score a sum over the features, or a mean?",
            "Divide by the temperature and by nothing else.",
        ),
    ),
    Misconception(
        name="plain-mean",
        answer=plain_mean,
        believed="A blend counts every value alike.",
        says="Your answer is the plain average of the values, whatever the query and the keys are.",
        hints=(
            "Which arguments can you change without changing your answer?",
            "When should two values count differently?",
            "Weigh each value by how well its key matches the query.",
        ),
    ),
    Misconception(
        name="divided-by-the-number",
        answer=divided_by_the_number,
        believed="An average is a sum divided by the number of things.",
        says="You divide the sum of the exponentials times the values by the number of keys. "
        "Divide by the sum of the exponentials: then the weights sum to 1.",
        hints=(
            "Put ones into value. What should the answer be, and what is yours?",
            "What do your weights sum to?",
            "Divide by the sum of the exponentials.",
        ),
    ),
    Misconception(
        name="root-of-the-number-of-keys",
        answer=root_of_the_number_of_keys,
        variants=(number_of_keys,),
        believed="Scores are divided by the root of the number of keys.",
        says="You divide the scores by a number that grows with the number of keys, besides the "
        "temperature. The task divides them by the temperature and by nothing else.",
        hints=(
            "Repeat all keys and values. Should the answer change?",
            "Which numbers does your function divide the scores by?",
            "Divide by the temperature and by nothing else.",
        ),
    ),
    Misconception(
        name="sigmoids",
        answer=sigmoids,
        believed="A sigmoid turns a score into a weight.",
        says="Your weights are in the ratio of sigmoids of the scores. In a softmax they are in "
        "the ratio of the exponentials.",
        hints=(
            "Two scores are 5 and 10. What is the ratio of your weights, and of e to each?",
            "What is a sigmoid of a large score?",
            "Take np.exp of the scores and divide by the sum.",
        ),
    ),
    Misconception(
        name="query-of-length-1",
        answer=query_of_length_1,
        variants=(query_of_length_nearly_1,),
        believed="A query gives a direction only.",
        says="Your weights do not change when the query becomes twice as long, because you divide "
        "it by its length. The task asks for the plain dot product.",
        hints=(
            "Make the query twice as long. Do your weights change?",
            "A dot product grows with the length of both vectors.",
            "Leave the length of the query in.",
        ),
    ),
    Misconception(
        name="keys-of-length-1",
        answer=keys_of_length_1,
        believed="A key gives a direction only.",
        says="Your weights do not change when a key becomes twice as long, because you divide each"
        " key by its length. The task asks for the plain dot product.",
        hints=(
            "Make a key twice as long. Does its weight change?",
            "A dot product grows with the length of both vectors.",
            "Leave the lengths of the keys in.",
        ),
    ),
    Misconception(
        name="standardised",
        answer=standardised,
        variants=(
            standardised_without_care,
            divided_by_the_largest_score,
        ),
        believed="Scores are brought to variance 1.",
        says="Your weights do not change when all scores double, because you divide the scores by "
        "a number that is made of them, such as their spread. The task divides them by the "
        "temperature and by nothing else.",
        hints=(
            "Make the query twice as long. Do your weights change?",
            "By which numbers do you divide the scores?",
            "Divide by the temperature alone.",
        ),
    ),
    Misconception(
        name="cooled-before-and-after",
        answer=cooled_before_and_after,
        believed="Both the scores and the weights are cooled.",
        says="You divide by the temperature once before the exponential, and once after it. After "
        "it, your weights no longer sum to 1.",
        hints=(
            "What do your weights sum to at temperature 2?",
            "Which of the two divisions keeps the sum at 1?",
            "Divide the scores alone.",
        ),
    ),
    Misconception(
        name="scaled-and-multiplied",
        answer=scaled_and_multiplied,
        believed="Scores are divided by √d, and a higher temperature makes the weights sharper.",
        says="You divide the scores by √d and multiply them by the temperature. The task divides "
        "them by the temperature and by nothing else.",
        hints=(
            "Which keys give you the right weights at temperature 1: of which width?",
            "At a very high temperature the blend should be the plain average. Is yours?",
            "Divide by the temperature and by nothing else.",
        ),
    ),
    Misconception(
        name="scaled-in-place-of-the-temperature",
        answer=scaled_in_place_of_the_temperature,
        believed="The root of d is the temperature.",
        says="You divide the scores by √d, and your answer is the same at every temperature. The "
        "task divides them by the temperature and by nothing else.",
        hints=(
            "Call your function with temperature=0.1 and temperature=100. What should differ?",
            "The root of d is a temperature. Here the temperature is given.",
            "Divide by the temperature and by nothing else.",
        ),
    ),
)
