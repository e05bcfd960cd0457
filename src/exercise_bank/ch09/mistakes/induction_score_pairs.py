"""Answers to 09.induction_score with both a wrong key and a wrong mean."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def after_the_first(earlier: list[int]) -> int:
    return earlier[0] + 1


def at_the_latest(earlier: list[int]) -> int:
    return earlier[-1]


def before_the_latest(earlier: list[int]) -> int:
    return max(earlier[-1] - 1, 0)


KEYS: dict[str, tuple[Callable[[list[int]], int], str]] = {
    "first occurrence": (
        after_the_first,
        "If a token has occurred several times, you take its first occurrence, not the latest.",
    ),
    "word itself": (
        at_the_latest,
        "You take the weight on the earlier occurrence itself, not on the token after it.",
    ),
    "word before": (
        before_the_latest,
        "You take the weight on the token before the earlier occurrence, not after it.",
    ),
}


def over_all(found: list[list[Tensor]], tokens: Tensor) -> Tensor:
    return total(found) / tokens.numel()


def added(found: list[list[Tensor]], tokens: Tensor) -> Tensor:
    return total(found)


def by_sequence(found: list[list[Tensor]], tokens: Tensor) -> Tensor:
    return torch.stack([total([row]) / max(len(row) - 1, 1) for row in found]).mean(dim=0)


def by_sequence_with_repeats(found: list[list[Tensor]], tokens: Tensor) -> Tensor:
    kept = [row for row in found if len(row) > 1]
    return by_sequence(kept or found[:1], tokens)


MEANS: dict[str, tuple[tuple[Callable[[list[list[Tensor]], Tensor], Tensor], ...], str]] = {
    "all queries": (
        (over_all,),
        "And you divide by the number of all queries, although only those whose token occurred "
        "before belong to the mean.",
    ),
    "a sum": ((added,), "And you add the weights up and do not divide."),
    "sequences": (
        (by_sequence, by_sequence_with_repeats),
        "And you average within each sequence first, so a sequence with one repeated token counts "
        "as much as one with ten.",
    ),
}


def total(found: list[list[Tensor]]) -> Tensor:
    return torch.stack([weight for row in found for weight in row]).sum(dim=0)


def score(
    weights: Tensor,
    tokens: Tensor,
    key: Callable[[list[int]], int],
    mean: Callable[[list[list[Tensor]], Tensor], Tensor],
) -> Tensor:
    """Return one weight for each query that counts; each list starts with a weight of 0."""
    found: list[list[Tensor]] = []
    for b, row in enumerate(tokens.tolist()):
        found.append([weights.new_zeros(weights.shape[1])])
        for i, word in enumerate(row):
            earlier = [j for j in range(i) if row[j] == word]
            if earlier:
                found[-1].append(weights[b, :, i, key(earlier)])
    return mean(found, tokens)


def pairs() -> Iterator[Misconception]:
    """Yield a mistake for each key with each mean."""
    for key, (place, wrong_place) in KEYS.items():
        for name, (means, wrong_mean) in MEANS.items():
            first, *others = (partial(score, key=place, mean=mean) for mean in means)
            yield said(
                f"{key}, {name}".replace(",", "").replace(" ", "-"),
                first,
                f"The {key} counts, and the mean is over {name}.",
                f"{wrong_place} {wrong_mean}",
                "For the tokens 1 2 1 3 1, which keys count, and for which queries?",
                "The key is j + 1, where j is the latest earlier occurrence.",
                "Keep one sum and one count of such queries for the whole batch.",
                variants=tuple(others),
            )
