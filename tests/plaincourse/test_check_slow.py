"""A slow answer is told that it is slow, and the limits; a check has its own share of the time."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from nbformat.v4 import new_code_cell
from torch import Tensor

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.grading.grade import Running
from plaincourse.judge.session import Session
from tests.plaincourse.split_notebooks import graded
from tests.plaincourse.split_students import student
from tests.plaincourse.tasks import TASK, shift

SEED = 7


def steady(x: Tensor, by: Tensor) -> Tensor:
    time.sleep(2.0 if len(x) > 1 else 0.0)
    return shift(x, by)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A student whose right answer takes two seconds where there are several rows."""
    with student(steady=steady) as given:
        yield given


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remember answers within a cell, as the judge does."""
    monkeypatch.setattr(memory, "_keeps", True)
    monkeypatch.setattr(memory, "_keeps_answers", True)
    yield
    memory.forget()
    memory._drawn.clear()


def test_a_right_answer_that_is_too_slow_on_fresh_inputs_hears_both_limits(
    session: Session,
) -> None:
    session.begin(60.0)
    answer = session.names(["steady"])["steady"]
    assert grade(TASK, answer).score == TASK.points
    session._half = 1.5
    report = grade(TASK, answer, seed=SEED)
    session.settle()
    assert report.score == 1.0
    (said,) = report.diagnosis
    assert "too slow" in said
    assert "one call may take 5 seconds, and all calls of a check together 1.5" in said
    assert "fails on fresh ones" not in said


def test_who_is_stopped_while_memory_fills_hears_that_it_is_memory() -> None:
    def hoards(x: Tensor, by: Tensor) -> Tensor:
        kept = [torch.ones(80_000_000)]
        while kept:
            time.sleep(0.1)
        return shift(x, by)

    with student(hoards=hoards) as session:
        session.begin(60.0)
        report = grade(replace(TASK, seconds=3.0), session.names(["hoards"])["hoards"])
    (said,) = report.diagnosis
    assert "Your function took more and more memory" in said
    assert "One call may take 3 seconds, and all calls of a check together 30" in said


def test_visible_inputs_leave_the_fresh_ones_their_half(session: Session) -> None:
    session.begin(60.0)
    with session.half() as seconds:
        until = session._until
    assert seconds == 30.0
    assert until is not None
    assert session._until is not None
    assert session._until - until == pytest.approx(30.0, abs=0.1)
    session.settle()


def test_where_a_check_may_take_longer_a_call_may_too(session: Session) -> None:
    brief = replace(TASK, seconds=0.5)
    answer = session.names(["steady"])["steady"]
    session.begin(120.0)
    usual = grade(brief, answer)
    session.settle()
    memory.forget()
    session.begin(6_000.0)
    longer = grade(brief, answer)
    session.settle()
    assert (usual.score, usual.stopped) == (1.0, True)
    assert (longer.score, longer.stopped) == (TASK.points, False)


def test_where_nobody_set_a_limit_only_a_call_has_one(session: Session) -> None:
    with session.half() as seconds:
        assert (seconds, session._until) == (float("inf"), None)
    brief = replace(TASK, seconds=0.02)
    (said,) = grade(brief, steady).diagnosis
    assert "did not come back within 0.02 seconds" in said


def test_a_test_cell_may_take_the_limit_for_each_of_its_checks() -> None:
    run = Running(timeout=60)
    own = graded("own", "check(1)")
    own.metadata["plaincourse"] = {"seconds": 600}
    cells = (new_code_cell("1"), graded("test", "check(1)"), own, None)
    assert [run._get_timeout(cell) for cell in cells] == [60, 120, 600, 60]
