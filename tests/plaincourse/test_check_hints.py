"""Hints are given one at a time, for the current mistake."""

from dataclasses import replace

import pytest

from plaincourse import check, hint
from tests.plaincourse.tasks import TASK, doubled, shift, to_columns


def hints(capsys: pytest.CaptureFixture[str], task: object, times: int) -> list[str]:
    for _ in range(times):
        hint(task)
    return capsys.readouterr().out.splitlines()


def test_without_a_check_the_general_ladder_is_climbed_to_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = hints(capsys, replace(TASK, id="99.general"), 4)
    assert told[:3] == [
        "Hint 1 of 3: general one",
        "Hint 2 of 3: general two",
        "Hint 3 of 3: general three",
    ]
    assert told[3].startswith("That was the last of 3 hints.")


def test_after_a_check_the_ladder_is_that_of_the_mistake(
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = replace(TASK, id="99.matched")
    hints(capsys, task, 1)
    check(task, to_columns)
    assert hints(capsys, task, 1) == ["Hint 1 of 3: to columns one"]
    check(task, to_columns)
    assert hints(capsys, task, 1) == ["Hint 2 of 3: to columns two"], "the same mistake: climb on"
    check(task, doubled)
    assert hints(capsys, task, 1) == ["Hint 1 of 3: doubled one"], "another mistake: start anew"
    check(task, shift)
    assert hints(capsys, task, 1) == ["Hint 1 of 3: general one"]


def test_ladders_of_two_tasks_are_climbed_apart(capsys: pytest.CaptureFixture[str]) -> None:
    hints(capsys, replace(TASK, id="99.left"), 2)
    assert hints(capsys, replace(TASK, id="99.right"), 1) == ["Hint 1 of 3: general one"]


def test_a_task_without_hints_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no hints for this one" in hints(capsys, replace(TASK, id="99.none", hints=()), 1)[0]
