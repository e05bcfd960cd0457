"""Blends of the best few with a slip in them, as students write them."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np


def the_worst(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[:n]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def the_first(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    powers = np.exp(key[:n] @ query)
    return powers / powers.sum() @ value[:n]


def not_divided_again(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    weights = np.exp(scores) / np.exp(scores).sum()
    return weights[best] @ value[best]


def score_zero(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    scores[np.argsort(scores)[: len(scores) - n]] = 0
    powers = np.exp(scores)
    return powers / powers.sum() @ value


def plain_average(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    best = np.argsort(key @ query)[-n:]
    return value[best].mean(axis=0)


def always_one(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    return value[(key @ query).argmax()]


def always_all(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    powers = np.exp(key @ query)
    return powers / powers.sum() @ value


def first_values(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = np.sort(key @ query)[-n:]
    powers = np.exp(scores)
    return powers / powers.sum() @ value[:n]


def threshold_wraps(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    left_out = np.sort(scores)[len(scores) - n - 1]
    weights = np.where(scores > left_out, np.exp(scores), 0.0)
    return weights @ value / max(weights.sum(), 1e-12)


def threshold_wraps_to_nan(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    weights = np.where(scores > np.sort(scores)[len(scores) - n - 1], np.exp(scores), 0.0)
    with np.errstate(invalid="ignore"):
        return weights @ value / weights.sum()


def longest_keys(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    best = np.argsort(np.abs(key @ query))[-n:]
    powers = np.exp((key @ query)[best])
    return powers / powers.sum() @ value[best]


def one_too_many(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-(n + 1) :]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def one_too_few(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    powers = np.exp(scores) * (scores > np.sort(scores)[-n])
    return powers / powers.sum() @ value


def one_too_few_by_index(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    """Add up no keys, which gives 0, if n is 1."""
    scores = key @ query
    best = scores > np.sort(scores)[-n]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def one_too_few_but_one(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    return one_too_few(query, key, value, max(n, 2)) if len(key) > 1 else value[0]


def scaled_as_well(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query / np.sqrt(len(query))
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def weights_of_scores(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    return scores[best] / scores[best].sum() @ value[best]


def not_normalised(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    return np.exp(scores[best]) @ value[best]


def values_sorted(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = np.sort(key @ query)[-n:]
    powers = np.exp(scores)
    return powers / powers.sum() @ np.sort(value, axis=0)[-n:]


def divided_by_n(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    return np.exp(scores[best]) @ value[best] / n


def without_signs(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    sizes = np.abs(key @ query)
    best = np.argsort(sizes)[-n:]
    powers = np.exp(sizes[best])
    return powers / powers.sum() @ value[best]


def nearest_keys(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    best = np.argsort(((key - query) ** 2).sum(axis=1))[:n]
    powers = np.exp((key @ query)[best])
    return powers / powers.sum() @ value[best]


def nearest_by_distance(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    distances = ((key - query) ** 2).sum(axis=1)
    best = np.argsort(distances)[:n]
    powers = np.exp(-distances[best])
    return powers / powers.sum() @ value[best]


def averages_the_keys(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ key[best]


def nth_best_only(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    return value[np.argsort(key @ query)[-n]]


def worst_of_all_out(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    bar = np.sort(scores)[::-1][min(n, len(scores) - 1)]
    powers = np.where(scores > bar, np.exp(scores), 0.0)
    return powers @ value / powers.sum() if powers.any() else value[0]


def worst_of_all_out_to_nan(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    bar = np.sort(key @ query)[::-1][min(n, len(key) - 1)]
    powers = np.where(key @ query > bar, np.exp(key @ query), 0.0)
    with np.errstate(invalid="ignore"):
        return powers @ value / powers.sum()


def worst_of_all_out_to_zero(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    bar = np.sort(key @ query)[::-1][min(n, len(key) - 1)]
    powers = np.where(key @ query > bar, np.exp(key @ query), 0.0)
    return powers @ value / max(powers.sum(), 1e-12)


def softmax_twice(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    weights = np.exp(key @ query)
    weights = weights / weights.sum()
    best = np.argsort(weights)[-n:]
    powers = np.exp(weights[best])
    return powers / powers.sum() @ value[best]


def hidden_below_0(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int, low: float = -1.0
) -> np.ndarray:
    scores = key @ query
    scores[np.argsort(scores)[: len(scores) - n]] = low
    powers = np.exp(scores)
    return powers / powers.sum() @ value
