"""A call's largest tensor and peak of live numbers are measured in the answer's process."""

import tracemalloc
from typing import Any

import torch
from torch import Tensor

from plaincourse.judge.answers import footprint
from tests.plaincourse.split_students import student

THEIRS = """
import torch

def doubled_twice(x, /):
    y = 2 * x
    return (2 * y).sum()
"""


def doubled_twice(x: Tensor) -> Tensor:
    y = 2 * x
    return (2 * y).sum()


def test_new_tensors_are_counted_while_they_live() -> None:
    result, largest, at_once, _ = footprint(doubled_twice, x=torch.ones(3, 4))
    assert (result.item(), largest, at_once) == (48, [3, 4], 25)  # two of them, and the sum


def test_views_and_what_is_written_into_are_not_counted() -> None:
    def views(x: Tensor) -> Tensor:
        x[0] += 1
        return x.T.expand(4, 3)[:, :2]

    assert footprint(views, x=torch.zeros(3, 4))[2] < 12  # only the sum of the row is new


def test_a_tensor_that_is_dropped_makes_room() -> None:
    def in_turn(kept: bool) -> list[Any]:
        parts = [torch.ones(10) for _ in range(5)] if kept else [torch.ones(10).sum()] * 5
        return [x.sum() for x in parts]

    assert footprint(in_turn, kept=True)[2] > 50
    assert footprint(in_turn, kept=False)[2] < 20


def test_numbers_in_lists_are_counted_in_bytes() -> None:
    def listed(n: int) -> Tensor:
        return torch.tensor([float(i) for i in range(n)]).sum()

    def stopped(n: int) -> int:
        tracemalloc.stop()
        return n

    assert footprint(listed, n=10_000)[3] > 32 * 10_000
    assert footprint(listed, n=100)[3] < 32 * 1_000
    assert footprint(stopped, n=1)[3] > 32 * 10_000  # the footprint is unknown


def test_an_answer_of_another_process_is_measured_there() -> None:
    with student(THEIRS) as session:
        theirs = session.names(["doubled_twice"])["doubled_twice"]
        result, largest, at_once, _ = footprint(theirs, x=torch.ones(3, 4))
    assert (float(result), largest, at_once) == (48.0, [3, 4], 25)
