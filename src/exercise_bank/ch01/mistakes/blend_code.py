"""A blend with a slip in it, as students write it."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np


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


def rounded_down(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query // temperature)
    return powers / powers.sum() @ value


def rounded(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(np.round(key @ query / temperature))
    return powers / powers.sum() @ value


def hot_below_only(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query
    return np.exp(scores) / np.exp(scores / temperature).sum() @ value


def hot_above_only(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    scores = key @ query
    return np.exp(scores / temperature) / np.exp(scores).sum() @ value


def divided_by_the_length(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query / temperature)
    return powers / np.linalg.norm(powers) @ value


def of_the_size(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(np.abs(key @ query) / temperature)
    return powers / powers.sum() @ value


def worst_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(-(key @ query) / temperature)
    return powers / powers.sum() @ value


def weights_to_a_power(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, temperature: float
) -> np.ndarray:
    powers = np.exp(key @ query)
    return (powers / powers.sum()) ** (1 / temperature) @ value
