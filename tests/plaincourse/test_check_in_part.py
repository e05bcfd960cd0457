"""The checker names a known mistake in an answer that also has other errors."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from plaincourse import check
from tests.plaincourse.tasks import TASK, doubled, shift, subtracted, to_columns


def test_a_mistake_mixed_with_another_is_recognised_where_it_first_shows() -> None:
    def mixed(x: Tensor, by: Tensor) -> Tensor:
        return doubled(x, by) if len(x) == 1 else torch.zeros_like(x)

    report = check(TASK, mixed)
    assert report.matched == "doubled"
    where, explained, rest = report.diagnosis  # the sentence is true only there
    assert where == (
        "Where “one number” is tested, your answer gives what this mistake gives. "
        "There, and perhaps only there:"
    )
    assert explained == "This is what doubled gives."
    assert rest.startswith("More may be wrong")


@pytest.mark.parametrize("besides", [doubled, to_columns, subtracted], ids=lambda f: f.__name__)
def test_an_example_that_shows_more_than_the_mistake_says_so(besides: Any) -> None:
    def two_mistakes(x: Tensor, by: Tensor) -> Tensor:
        return (besides(x, by) if len(x) > 1 else 7 * shift(x, by)).reshape(-1)

    shapes = tuple(replace(rung, compare=False) for rung in TASK.rungs[:2])
    task = replace(TASK, rungs=(*shapes, TASK.rungs[2]))
    report = check(task, two_mistakes)
    assert report.matched == "flat"
    assert report.diagnosis[-1].startswith("Look at the rest of the example")
    assert "fails as this mistake does, with another output. It may be this:" in report.diagnosis[0]

    report = check(task, lambda x, by: shift(x, by).reshape(-1) * (len(x) == 1))
    assert report.matched == "flat"
    assert report.diagnosis[-1].startswith("More may be wrong further on.")


@pytest.mark.parametrize("at", [(1, 3), (2, 3)], ids=str)
def test_a_mistake_of_the_first_inputs_alone_is_not_told_where_it_would_fail(at: object) -> None:
    def small(x: Tensor, by: Tensor) -> Tensor:
        return doubled(x, by) if len(x) == 1 and x.shape != at else shift(x, by)

    report = check(TASK, small)
    assert report.score < TASK.points
    assert report.matched is None


def test_a_mistake_that_explains_most_of_what_fails_is_told_with_how_much_it_explains() -> None:
    def mostly(x: Tensor, by: Tensor) -> Tensor:
        return doubled(x, by) + (x.shape == (1, 1))

    report = check(TASK, mostly)
    assert report.matched == "doubled"
    assert report.diagnosis == (
        "On 3 of the 4 inputs where your answer fails, it gives what this mistake gives. There, "
        "and perhaps only there:",
        "This is what doubled gives.",
        "What else fails may have another cause. Mend this first.",
    )
    assert report.example is not None
    assert "," in dict(report.example.inputs)["x"]  # one number is smaller, and not explained


def test_a_mistake_that_would_fail_where_the_answer_passes_is_not_told() -> None:
    def seldom(x: Tensor, by: Tensor) -> Tensor:
        return shift(x, by) if x.shape == (1, 3) else doubled(x, by) + (x.shape == (1, 1))

    assert check(TASK, seldom).matched is None
