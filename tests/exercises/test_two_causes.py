"""Reports are true for each answer that gets them, and similar mistakes have different names."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from plaincourse.checking.grader import grade
from plaincourse.exercise.bank import load


@pytest.mark.parametrize(
    ("answer", "claimed"),
    [
        (-1.0, "lost"),
        (1 - math.sqrt(3), "the score of a key turned by 14 steps"),
        (-2.0, "the query has turned"),
        (-math.sqrt(2), "Yours is −2, divided"),
    ],
)
def test_a_number_with_two_causes_is_not_given_one(answer: float, claimed: str) -> None:
    report = grade(load("05.turned_score"), answer)
    assert report.matched
    assert claimed not in report.text()


def from_the_first_position(slopes: Callable[[int], list[float]]) -> Callable[..., Tensor]:
    def bias(n_heads: int, q: int, k: int) -> Tensor:
        distance = (torch.arange(q)[:, None] - torch.arange(k)).abs()
        return -torch.tensor(slopes(n_heads)).double()[:, None, None] * distance

    return bias


def first_above(h: int) -> list[float]:
    above = 1 << (h - 1).bit_length()
    return [2 ** (-8 * n / above) for n in range(1, h + 1)]


@pytest.mark.parametrize(
    ("slopes", "name"),
    [
        (first_above, "other-slopes-and-top-left"),
        (lambda h: [2 ** (-8 * n / h) for n in range(1, h + 1)], "one-formula-and-top-left"),
        (lambda h: [2.0 ** (-8 * n) for n in range(1, h + 1)], "heads-left-out-of-the-exponent"),
        (lambda h: [1 / n for n in range(1, h + 1)], "slopes-of-one-over-n"),
    ],
)
def test_slopes_are_compared_in_full(slopes: Callable[[int], list[float]], name: str) -> None:
    report = grade(load("05.alibi_bias"), from_the_first_position(slopes))
    assert report.matched == name


def met(task: str, answer: object) -> set[str]:
    return {line.name for line in grade(load(task), answer).rungs if line.met}


def test_padding_alone_and_two_fillers_are_tried() -> None:
    def divided_by_all(hidden: Tensor, real: Tensor) -> Tensor:
        return torch.where(real[..., None], hidden, 0.0).sum(1) / real.sum()

    def filler_counts(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
        counts = segments[:, 1:] == segments[:, :-1]
        return torch.nn.functional.cross_entropy(logits[:, :-1][counts], tokens[:, 1:][counts])

    assert not any(
        "without a real token" in name for name in met("07.mean_of_real", divided_by_all)
    )
    assert not any("documents and filler" in name for name in met("08.packed_loss", filler_counts))
