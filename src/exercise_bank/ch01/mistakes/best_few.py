"""How 01.best_few goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


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


MISCONCEPTIONS = (
    Misconception(
        name="the-worst",
        answer=the_worst,
        believed="np.argsort puts the largest first.",
        says="With n = 1 your answer is the value of the key that matches worst.",
        hints=(
            "What does np.argsort([3, 1, 2]) return?",
            "It sorts upwards.",
            "Take the other end.",
        ),
    ),
    Misconception(
        name="the-first",
        answer=the_first,
        believed="The best n are the first n.",
        says="Your answer does not change when the cards behind the first n change.",
        hints=(
            "Are the cards sorted?",
            "The scores decide who stays.",
            "Find the places of the n largest scores.",
        ),
    ),
    Misconception(
        name="not-divided-again",
        answer=not_divided_again,
        believed="The weights that are left still sum to 1.",
        says="The weights that you keep sum to less than 1: the softmax ran over all keys, and "
        "the weight of those left out is lost.",
        hints=(
            "Put ones into value. What should come out?",
            "The chosen ones must share the whole unit.",
            "Choose before the softmax, or divide once more after it.",
        ),
    ),
    Misconception(
        name="score-zero",
        answer=score_zero,
        believed="A score of 0 takes a card out.",
        says="The keys that you drop still get a weight: their score is 0, and exp(0) is 1.",
        hints=(
            "Which score gives a weight of exactly 0?",
            "With scores -5, -6, -7, who wins after you have set one to 0?",
            "Leave them out of the softmax, or give them the score -np.inf.",
        ),
    ),
    Misconception(
        name="plain-average",
        answer=plain_average,
        believed="The best few count alike.",
        says="Your answer is the plain mean of the chosen values: among them a better match gets "
        "no more.",
        hints=(
            "Do two chosen keys with scores 5 and 1 count alike?",
            "Among the chosen, softmax still decides.",
            "Weigh the chosen values by the softmax of their scores.",
        ),
    ),
    Misconception(
        name="always-one",
        answer=always_one,
        believed="The best few means the best.",
        says="Your answer is the same for every n: the value of the best key alone.",
        hints=(
            "Which argument does your function never use?",
            "Try n = 2 with two equal keys.",
            "argmax gives one place; you need n.",
        ),
    ),
    Misconception(
        name="always-all",
        answer=always_all,
        believed="Small weights do not matter.",
        says="Your answer is the same for every n: all keys take part in it.",
        hints=(
            "Which argument does your function never use?",
            "Put a value of a million on the worst card.",
            "Choose n cards, then blend these.",
        ),
    ),
    Misconception(
        name="first-values",
        answer=first_values,
        believed="Sorted scores go with the first values.",
        says="Your weights go to the wrong values: you sorted the scores and left the values "
        "in their old order.",
        hints=(
            "Which card does your largest weight multiply?",
            "np.sort forgets where each score came from.",
            "Keep the places, with np.argsort, and use them for scores and values.",
        ),
    ),
    Misconception(
        name="largest-in-size",
        answer=longest_keys,
        variants=(without_signs,),
        believed="A large score is one far from 0.",
        says="You also choose keys that point away from the query, because you rank the scores "
        "without their sign.",
        hints=(
            "Which of the scores 2 and -9 is the better match?",
            "A negative score is a bad match.",
            "Sort the scores as they are.",
        ),
    ),
    Misconception(
        name="one-too-many",
        answer=one_too_many,
        believed="The last index counts too.",
        says="Where n is smaller than the number of keys, you let n + 1 keys take part.",
        hints=(
            "With n = 1, how many values enter your answer?",
            "A slice ends before its end.",
            "Take the last n places of the order.",
        ),
    ),
    Misconception(
        name="one-too-few",
        answer=one_too_few,
        variants=(one_too_few_but_one,),
        believed="The threshold lies above the n-th score.",
        says="With n above 1 you let n - 1 keys take part: the n-th best is left out.",
        hints=(
            "With two keys and n = 2, how many enter your answer?",
            "The n-th best takes part: >=, not >.",
            "Keep scores from the n-th largest upwards.",
        ),
    ),
    Misconception(
        name="none-of-all",
        answer=threshold_wraps,
        variants=(threshold_wraps_to_nan,),
        believed="There is always a best score among those that stay out.",
        says="Where n is the number of keys, no key takes part in your answer. Your threshold is "
        "the best score that is left out, and there none is left out.",
        hints=(
            "Which score stays out if n is the number of keys?",
            "In Python the index -1 is the last place.",
            "Compare with the worst score that takes part, by >=.",
        ),
    ),
    Misconception(
        name="scaled-as-well",
        answer=scaled_as_well,
        believed="Scores are divided by the root of the width.",
        says="You divide the scores by the root of the width. With keys wider than 1 this makes "
        "your weights too even.",
        hints=(
            "With keys of width 1 your answer is right. What is 1 there?",
            "The task has the plain dot product.",
            "Leave the root out.",
        ),
    ),
    Misconception(
        name="weights-of-scores",
        answer=weights_of_scores,
        believed="Shares are scores divided by their sum.",
        says="You divide the scores by their sum, without the exponential.",
        hints=(
            "What happens where scores have both signs?",
            "A softmax takes exponentials first.",
            "Use np.exp.",
        ),
    ),
    Misconception(
        name="not-normalised",
        answer=not_normalised,
        believed="Exponentials are weights.",
        says="The exponentials of your chosen keys are not divided by their sum: with n = 1 "
        "your answer is not the best value.",
        hints=(
            "With n = 1, which weight should the best key have?",
            "Weights sum to 1.",
            "Divide by the sum over the chosen.",
        ),
    ),
    Misconception(
        name="values-by-rank",
        answer=values_sorted,
        believed="Values follow their own order.",
        says="The largest values are averaged, not those of the best keys.",
        hints=(
            "Change the values only. Should other keys be chosen?",
            "Keys decide, values follow.",
            "Index values with the places of the best scores.",
        ),
    ),
    Misconception(
        name="summed-not-shared",
        answer=divided_by_n,
        believed="n keys share, so divide by n.",
        says="You divide by n and not by the sum of the exponentials, so the weights do not "
        "sum to 1.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Weights are shares of their sum.",
            "Divide by the sum of the chosen exponentials.",
        ),
    ),
    Misconception(
        name="nearest-keys",
        answer=nearest_keys,
        variants=(nearest_by_distance,),
        believed="The nearest keys match best.",
        says="You choose the n keys that lie nearest to the query. The task ranks the keys by "
        "their dot product with it.",
        hints=(
            "Which key wins for the query (1): 1 or 2?",
            "A dot product grows with the length of the key.",
            "Sort key @ query.",
        ),
    ),
    Misconception(
        name="averages-the-keys",
        answer=averages_the_keys,
        believed="A query gets back the keys.",
        says="You average the keys that you choose. The answer is an average of their values.",
        hints=(
            "Which argument does your function never use?",
            "How wide is a value, and how wide is your answer?",
            "Look at the right-hand side of your last product.",
        ),
    ),
    Misconception(
        name="the-nth-best-alone",
        answer=nth_best_only,
        believed="n says which key is chosen.",
        says="You return the value of a single key, the n-th best. The n best keys are to share "
        "the weight.",
        hints=(
            "With n = 2, how many values enter your answer?",
            "A slice takes several places, an index takes one.",
            "Take the last n places of the order.",
        ),
    ),
)
