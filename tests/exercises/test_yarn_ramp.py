"""15.yarn_ramp's requirement on the blend gives points only for a share that differs by plane."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.ch15.yarn_ramp import yarn_ramp
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.proving.lazy import MOST

Three = tuple[Any, Any, float]


def blended(wavelengths: Tensor, share: Any, factor: float) -> Three:
    """Return a share, the blend that follows from it, and a multiplier of 1."""
    old = 2 * math.pi / wavelengths
    return share, (1 - share) * old + share * old / factor, 1.0


#: Shares that do not depend on the turns.
ONE_FOR_ALL: dict[str, Callable[[Tensor], Tensor]] = {
    "0": torch.zeros_like,
    "1": torch.ones_like,
    "a half": lambda x: torch.full_like(x, 0.5),
    "-1": lambda x: -torch.ones_like(x),
    "next to 0": lambda x: 1e-9 * x,
    "next to 1": lambda x: 1 - 1e-9 * x,
    "a float32 tenth": lambda x: torch.full_like(x, 0.1, dtype=torch.float32),
}


def earned(answer: Callable[..., Any]) -> float:
    task = load("15.yarn_ramp")
    assert isinstance(task, Exercise)
    return grade(task, answer).score / task.points


@pytest.mark.parametrize("share", ONE_FOR_ALL)
def test_a_blend_by_one_share_for_all_planes_earns_next_to_nothing(share: str) -> None:
    def answer(wavelengths: Tensor, trained: int, factor: float, *betas: float, **_: Any) -> Three:
        return blended(wavelengths, ONE_FOR_ALL[share](wavelengths), factor)

    assert earned(answer) <= MOST


#: Wrong shares that still differ between a fast plane and a slow one.
OWN: dict[str, Callable[[Tensor], Tensor]] = {
    "turned": lambda share: 1 - share,
    "a step": lambda share: (share > 0).double(),
    "bent": lambda share: share**2,
}


@pytest.mark.parametrize("share", OWN)
def test_a_blend_by_a_share_that_errs_is_paid(share: str) -> None:
    def answer(wavelengths: Tensor, trained: int, factor: float, *a: float, **b: float) -> Three:
        right, _, _ = yarn_ramp(wavelengths, trained, factor, *a, **b)
        return blended(wavelengths, OWN[share](right), factor)

    assert earned(answer) >= 1.5 / 6
