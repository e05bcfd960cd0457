"""A rule that draws random numbers gets the same ones in every call."""

from dataclasses import replace

import torch

from plaincourse.checking import trials
from plaincourse.checking.calling import Outcome
from plaincourse.checking.grader import grade
from tests.plaincourse.tasks import TASK, shift


def test_a_rule_is_asked_in_a_clean_state() -> None:
    drawn: list[float] = []

    def rule(inputs: object, output: object) -> None:
        drawn.append(torch.rand(()).item())

    rungs = tuple(replace(rung, law=rule, compare=False) for rung in TASK.rungs)
    task = replace(TASK, rungs=rungs, misconceptions=())

    def disturbing(x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        torch.rand(5)
        return shift(x, by)

    grade(task, disturbing)
    assert len(drawn) > 1
    torch.rand(5)
    one, other = Outcome(value=1), Outcome(value=2)
    trials.alike(task, trials.draw(task, None)[0], one, other)
    assert len(set(drawn)) == 1
