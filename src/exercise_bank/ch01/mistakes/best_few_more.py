"""More ways that 01.best_few goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import numpy as np

from plaincourse.exercise import Misconception


def weights_in_another_order(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[::-1][:n]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[np.sort(best)]


def smallest_weight_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.sort(np.argsort(scores)[-n:])
    powers = np.sort(np.exp(scores[best]))
    return powers / powers.sum() @ value[best]


def against_each_other(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    powers = np.exp(np.sort(scores)[-n:])
    return powers / powers.sum() @ value[np.argsort(scores)[::-1][:n]]


def argsort_as_rank(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    scores = np.where(np.argsort(scores) >= len(scores) - n, scores, -np.inf)
    powers = np.exp(scores)
    return powers / powers.sum() @ value


def argsort_of_the_negative_as_rank(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    scores = np.where(np.argsort(-scores) < n, scores, -np.inf)
    powers = np.exp(scores)
    return powers / powers.sum() @ value


def sum_of_the_values(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    best = np.argsort(key @ query)[-n:]
    return value[best].sum(axis=0)


def divided_by_n_besides(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best])
    weights = powers / powers.sum()
    return (weights[:, None] * value[best]).mean(axis=0)


def by_the_cosine(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    lengths = np.linalg.norm(key, axis=1)
    scores = key @ query / lengths / np.linalg.norm(query)
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def chosen_by_the_cosine(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores / np.linalg.norm(key, axis=1))[-n:]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def longest_keys(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    best = np.argsort(np.linalg.norm(key, axis=1))[-n:]
    powers = np.exp(key[best] @ query)
    return powers / powers.sum() @ value[best]


def divided_by_the_largest(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    return np.exp(scores[best] - scores.max()) @ value[best]


def best_left_out(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n - 1 : -1]
    powers = np.exp(scores[best])
    return powers / powers.sum() @ value[best]


def best_left_out_with_care(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n - 1 : -1]
    powers = np.exp(scores[best] - scores[best].max())
    return powers / powers.sum() @ value[best]


def worst_of_the_best(query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    powers = np.exp(-scores[best])
    return powers / powers.sum() @ value[best]


def divided_by_the_width(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(scores)[-n:]
    powers = np.exp(scores[best] / len(query))
    return powers / powers.sum() @ value[best]


def in_size_and_score_0(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    kept = np.zeros_like(scores)
    best = np.argsort(np.abs(scores))[-n:]
    kept[best] = scores[best]
    powers = np.exp(kept)
    return powers / powers.sum() @ value


def in_size_and_not_divided_again(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    best = np.argsort(np.abs(scores))[-n:]
    weights = np.exp(scores) / np.exp(scores).sum()
    return weights[best] @ value[best]


def worst_and_not_divided_again(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, n: int
) -> np.ndarray:
    scores = key @ query
    first = np.argsort(scores)[:n]
    weights = np.exp(scores) / np.exp(scores).sum()
    return weights[first] @ value[first]


MORE = (
    Misconception(
        name="worst-and-not-divided-again",
        answer=worst_and_not_divided_again,
        believed="np.argsort puts the largest first, and weights stay as the softmax gave them.",
        says="You choose the n keys with the smallest scores: np.argsort sorts upwards. And their "
        "weights do not sum to 1: they come from a softmax over all keys.",
        hints=(
            "Which places does np.argsort([3, 1, 2]) give?",
            "What do the weights of the chosen sum to?",
            "Take the other end of the order, and divide by the sum over the chosen.",
        ),
    ),
    Misconception(
        name="in-size-and-score-0",
        answer=in_size_and_score_0,
        believed="A large score is one far from 0, and a score of 0 hides a key.",
        says="You choose the n scores that are farthest from 0, on either side: a score of -5 is "
        "smaller than 2. And you set the other scores to 0, which hides no key: its exponential "
        "is 1.",
        hints=(
            "Which of the scores -5, 1 and 2 is the best?",
            "What is e to the power 0, and what is it to the power minus infinity?",
            "Sort the scores with their signs, and leave the others out.",
        ),
    ),
    Misconception(
        name="in-size-and-not-divided-again",
        answer=in_size_and_not_divided_again,
        believed="A large score is one far from 0, and weights stay as the softmax gave them.",
        says="You choose the n scores that are farthest from 0, on either side: a score of -5 is "
        "smaller than 2. And the weights of the chosen do not sum to 1: they come from a softmax "
        "over all keys.",
        hints=(
            "Which of the scores -5, 1 and 2 is the best?",
            "What do the weights of the chosen sum to?",
            "Sort the scores with their signs, and divide by the sum over the chosen.",
        ),
    ),
    Misconception(
        name="weights-in-another-order",
        answer=weights_in_another_order,
        variants=(
            smallest_weight_first,
            against_each_other,
        ),
        believed="Sorting the scores sorts the values, too.",
        says="Your weights and your values are in different orders, so a value gets the weight of "
        "another key.",
        hints=(
            "Which key does your first weight belong to, and which key does your first value?",
            "With n = k all keys take part. Is the best key's value the one that counts most?",
            "Index scores and values by the same places.",
        ),
    ),
    Misconception(
        name="argsort-as-rank",
        answer=argsort_as_rank,
        variants=(argsort_of_the_negative_as_rank,),
        believed="np.argsort gives the rank of each score.",
        says="The keys that you choose are not the n best. If you compare np.argsort with a "
        "number: its entry 0 is the place of the smallest score, and not the rank of the "
        "score of key 0.",
        hints=(
            "Write down np.argsort of the scores 5, 9, 1, and then their ranks.",
            "Use the places that np.argsort gives as indices.",
            "Take the last n entries of np.argsort(scores), and index scores and values by them.",
        ),
    ),
    Misconception(
        name="sum-of-the-values",
        answer=sum_of_the_values,
        believed="The values of the best keys are added up.",
        says="You add up the values of the n best keys, each with the weight 1. They share one "
        "weight of 1, by a softmax over their scores.",
        hints=(
            "Put ones into value. What should the answer be for any n?",
            "What do your weights sum to?",
            "Make weights of the n scores first.",
        ),
    ),
    Misconception(
        name="divided-by-n-besides",
        answer=divided_by_n_besides,
        believed="An average is divided by the number of things.",
        says="Your blend is divided by n once more. The weights of the n keys sum to 1 already, so"
        " add the weighted values up.",
        hints=(
            "Put ones into value. What should the answer be for any n?",
            "By what are weights divided so that they sum to 1?",
            "Replace the mean by a sum.",
        ),
    ),
    Misconception(
        name="by-the-cosine",
        answer=by_the_cosine,
        variants=(chosen_by_the_cosine,),
        believed="The best match is the smallest angle.",
        says="You rank the keys by their angle with the query. The task ranks them by their dot "
        "product, which also grows with the length of a key.",
        hints=(
            "Make a key twice as long. Can it change places with another?",
            "Which score does the task name?",
            "Sort key @ query.",
        ),
    ),
    Misconception(
        name="longest-keys",
        answer=longest_keys,
        believed="A long key is a good key.",
        says="You choose the n longest keys, whatever the query is. The n best have the largest "
        "dot products with it.",
        hints=(
            "Change the query. Does your choice of keys change?",
            "What makes a long key a bad match?",
            "Sort key @ query.",
        ),
    ),
    Misconception(
        name="divided-by-the-largest",
        answer=divided_by_the_largest,
        believed="Subtracting the largest score is the softmax.",
        says="Your best key always has the weight 1. You subtract the largest score or divide by "
        "the largest weight, and do not divide by the sum.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Taking off the largest score changes no ratio; what does it do to the sum?",
            "Divide by the sum over the chosen.",
        ),
    ),
    Misconception(
        name="best-left-out",
        answer=best_left_out,
        variants=(best_left_out_with_care,),
        believed="A slice that ends at -1 holds the last place.",
        says="You leave out the best key. A slice that ends at -1 does not hold the last place, "
        "and one that begins at 1 does not hold the first.",
        hints=(
            "With n = 1, which key's value do you return?",
            "What are [1, 2, 3][-2:-1] and [1, 2, 3][1:]?",
            "Leave the end of the slice open, or begin it at 0.",
        ),
    ),
    Misconception(
        name="worst-of-the-best",
        answer=worst_of_the_best,
        believed="The sign of a score does not matter once the keys are chosen.",
        says="Among the keys that you choose, the one with the smallest score gets the largest "
        "weight.",
        hints=(
            "With n = k, which key's value counts most in your answer?",
            "Does e to minus a score rise or fall with the score?",
            "Take np.exp of the scores as they are.",
        ),
    ),
    Misconception(
        name="divided-by-the-width",
        answer=divided_by_the_width,
        believed="A dot product is a mean over the features.",
        says="You divide the scores by d, the width of the keys. The task has the plain dot "
        "product.",
        hints=(
            "With keys of width 1 your divisor changes nothing. What is 1 there?",
            "Is your score a sum over the features, or a mean?",
            "Leave the division out.",
        ),
    ),
)
