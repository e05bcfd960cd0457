"""If workers die, submissions are still graded, or failed with a reason."""

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from plaincourse.grading import workers
from plaincourse.grading.jobs import Job, Result
from plaincourse.grading.workers import Pool, PoolError, Preparation
from tests.plaincourse import autograde_workers as fake


@contextmanager
def pool(begin: Preparation = fake.grading, size: int = 2) -> Iterator[Pool]:
    with closing(Pool(begin, size=size)) as made:
        made.fail = fake.fail
        yield made


def graded(pool: Pool, jobs: list[Job], **more: object) -> dict[str, Result]:
    options = {"task": "the assignment", "patience": 30.0, **more}
    found = [each for each in pool.run(jobs, **options) if each]  # type: ignore[arg-type]
    assert len({each.student for each in found}) == len(found), "one result for each"
    return {each.student: each for each in found}


def test_every_submission_is_graded_once_by_several_processes(tmp_path: Path) -> None:
    jobs = [fake.job(f"s{number}", tmp_path, "work") for number in range(6)]
    with pool() as two:
        found = graded(two, jobs)
    assert set(found) == {job.student for job in jobs}
    pids = {each.record["pid"] for each in found.values()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_the_others_start_when_the_first_has_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [fake.job(f"s{number}", tmp_path, "work") for number in range(4)]
    came: list[Result] = []
    starts: list[int] = []
    with pool() as two:
        start = two.start

        def noted() -> None:
            starts.append(len(came))
            start()

        monkeypatch.setattr(two, "start", noted)
        for each in two.run(jobs, task="the assignment", patience=30.0):
            came += [each] if each else []
    assert starts == [0, 1]


def test_the_others_start_where_the_first_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_ALONE", 0.3)
    jobs = [fake.job("slow", tmp_path, "hang"), fake.job("other", tmp_path)]
    with pool() as two:
        found = graded(two, jobs, patience=3.0)
    assert found["slow"].status == "failed"
    assert next(iter(found)) == "other"


def test_a_worker_that_is_killed_costs_nobody_a_grade(tmp_path: Path) -> None:
    jobs = [fake.job(f"s{n}", tmp_path, "die once" if n == 1 else "grade") for n in range(4)]
    with pool() as two:
        found = graded(two, jobs)
    assert {name: each.status for name, each in found.items()} == dict.fromkeys(found, "graded")
    assert len(found) == 4


def test_a_submission_that_kills_two_workers_fails_with_the_reason(tmp_path: Path) -> None:
    jobs = [fake.job(f"s{n}", tmp_path, "die always" if n == 0 else "grade") for n in range(3)]
    with pool(size=1) as one:
        found = graded(one, jobs)
    assert found["s0"].status == "failed"
    assert "killed (signal 9)" in found["s0"].record["why"]
    assert "twice" in found["s0"].record["why"]
    assert [found[name].status for name in ("s1", "s2")] == ["graded", "graded"]


def test_a_submission_that_never_ends_is_stopped(tmp_path: Path) -> None:
    jobs = [fake.job("slow", tmp_path, "hang"), fake.job("other", tmp_path)]
    with pool(size=1) as one:
        found = graded(one, jobs, patience=0.6)
    assert "still running after 1 s" in found["slow"].record["why"]
    assert found["other"].status == "graded"


def test_what_a_worker_cannot_begin_with_is_said(tmp_path: Path) -> None:
    with pool(fake.refusing) as none, pytest.raises(PoolError, match="no sandbox here"):
        graded(none, [fake.job("s", tmp_path)])


def test_workers_that_die_at_once_are_not_started_for_ever(tmp_path: Path) -> None:
    with pool(fake.dying) as none, pytest.raises(PoolError, match="exit status 7"):
        graded(none, [fake.job("s", tmp_path)])


def test_when_stopped_what_is_in_flight_is_finished_and_nothing_begins(tmp_path: Path) -> None:
    jobs = [fake.job(f"s{number}", tmp_path, "work") for number in range(9)]
    began: list[float] = []

    def stopped() -> bool:
        tried = list(tmp_path.glob("*.tried"))
        began.extend([time.monotonic()] if tried and not began else [])
        return bool(tried)

    with pool(size=1) as one:
        found = graded(one, jobs, stopped=stopped)
    assert len(found) == len(list(tmp_path.glob("*.tried"))) == 1


def test_closing_the_pool_ends_its_workers(tmp_path: Path) -> None:
    with pool(size=1) as one:
        (first,) = graded(one, [fake.job("s", tmp_path)]).values()
        os.kill(first.record["pid"], 0)
    with pytest.raises(ProcessLookupError):
        os.kill(first.record["pid"], 0)
