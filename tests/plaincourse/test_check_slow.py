"""A slow answer is reported as slow, with the limits; a check has its own share of the time."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from nbformat.v4 import new_code_cell
from torch import Tensor

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.checking.limits import OutOfTime, time_limit
from plaincourse.grading.grade import Running
from plaincourse.judge.session import Session
from tests.plaincourse.split_notebooks import graded
from tests.plaincourse.split_students import student
from tests.plaincourse.tasks import TASK, shift

SEED = 7


def steady(x: Tensor, by: Tensor) -> Tensor:
    until = time.process_time() + (2.0 if len(x) > 1 else 0.0)
    while time.process_time() < until:
        pass
    return shift(x, by)


def waits(x: Tensor, by: Tensor) -> Tensor:
    time.sleep(0.3)
    return shift(x, by)


def waits_long(x: Tensor, by: Tensor) -> Tensor:
    time.sleep(60)
    return shift(x, by)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A student whose right answer takes two seconds for inputs with several rows."""
    with student(steady=steady, waits=waits, waits_long=waits_long) as given:
        yield given


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cache answers within a cell, like the judge."""
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
            pass
        return shift(x, by)

    with student(hoards=hoards) as session:
        session.begin(60.0)
        report = grade(replace(TASK, seconds=3.0), session.names(["hoards"])["hoards"])
    (said,) = report.diagnosis
    assert "Your function took more and more memory" in said
    assert "One call may take 3 seconds, and all calls of a check together 30" in said


def test_visible_inputs_leave_the_fresh_ones_their_half(session: Session) -> None:
    waits = session.names(["waits"])["waits"]
    session.begin(60.0)
    with session.half() as seconds:
        assert (seconds, session._left) == (30.0, 30.0)
        began = time.monotonic()
        waits(torch.ones(2, 2), torch.ones(2))
        took = time.monotonic() - began
        assert 30.0 - took <= session._left < 29.75
    assert session._left == pytest.approx(60.0 - took, abs=0.1)
    time.sleep(0.5)  # the tests' own time is not counted
    with session.half():
        assert session._left == 30.0
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
        assert (seconds, session._left) == (float("inf"), float("inf"))
    brief = replace(TASK, seconds=0.02)
    (said,) = grade(brief, steady).diagnosis
    assert "did not come back within 0.02 seconds" in said


def test_a_test_cell_may_take_the_limit_for_each_of_its_checks() -> None:
    run = Running(timeout=60)
    own = graded("own", "check(1)")
    own.metadata["plaincourse"] = {"seconds": 600}
    cells = (new_code_cell("1"), graded("test", "check(1)"), own, None)
    assert [run._get_timeout(cell) for cell in cells] == [60, 120, 600, 60]


@pytest.mark.parametrize("where", ["main thread", "another"])
def test_what_counts_is_what_is_computed(where: str) -> None:
    """A process that waits for the CPU is not late; one that never runs is eventually late."""

    def stopped_after(seconds: float, body: Callable[[], object]) -> float | None:
        began = time.monotonic()
        try:
            with time_limit(seconds):
                body()
        except OutOfTime:
            return time.monotonic() - began
        return None

    def waiting() -> None:
        for _ in range(100):
            time.sleep(0.02)

    def spinning() -> None:
        while True:
            pass

    def measured() -> list[float | None]:
        return [
            stopped_after(0.2, lambda: time.sleep(0.4)),
            stopped_after(0.2, spinning),
            stopped_after(0.2, waiting),
        ]

    with ThreadPoolExecutor() as pool:
        found = measured() if where == "main thread" else pool.submit(measured).result()
    patient, spun, waited = found
    assert patient is None
    assert spun is not None
    assert spun > 0.19
    assert waited is not None
    assert 0.79 < waited < 2.0


@pytest.mark.parametrize("ends", ["pass", "while True: pass", "time.sleep(0.5)"])
def test_a_limit_on_a_thread_leaves_python_as_it_was(ends: str) -> None:
    # Python 3.11 makes no progress with a withdrawn interrupt, a profiler and an alarm together.
    source = f"""
import signal, sys, threading, time
from plaincourse.checking.limits import OutOfTime, time_limit
def body():
    try:
        with time_limit(0.1):
            {ends}
    except OutOfTime:
        pass
thread = threading.Thread(target=body)
thread.start()
thread.join()
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
sys.setprofile(lambda *_: None)
over = time.monotonic() + 1
while time.monotonic() < over:
    (lambda: None)()
sys.setprofile(None)
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    subprocess.run([sys.executable, "-c", source], check=True, timeout=20)


def test_a_students_process_that_waits_for_a_busy_machine_is_not_late(session: Session) -> None:
    names = session.names(["waits", "waits_long"])
    brief = replace(TASK, seconds=0.2)
    session.begin(60.0)
    assert grade(brief, names["waits"]).score == TASK.points
    began = time.monotonic()
    report = grade(brief, names["waits_long"])
    session.settle()
    assert (report.score, report.stopped) == (0, True)
    assert time.monotonic() - began < 30.0


def test_what_the_tests_compute_between_two_questions_is_not_the_students(
    session: Session,
) -> None:
    steady = session.names(["steady"])["steady"]
    x, by = torch.ones(1, 2), torch.ones(1)
    with session.scope(steady, 0.2):
        for _ in range(4):
            session.ask("call", steady, x, by)
            time.sleep(0.3)  # longer in total than the session's limit
    with pytest.raises(OutOfTime), session.scope(steady, 0.2):
        session.ask("call", steady, torch.ones(2, 2), torch.ones(2))
    session.settle()
