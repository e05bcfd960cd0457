"""Workers that do not grade, and die in known ways, as instructed by the folder of a job."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from plaincourse.grading.jobs import Job, Result

Grade = Callable[[Job], Result]


def result(job: Job, status: str = "graded", why: str = "") -> Result:
    """Return a result with the id of the process that made it."""
    record = {"status": status, "why": why, "notebooks": {}, "seconds": 0.0, "pid": os.getpid()}
    return Result(
        student=job.student,
        assignment=job.assignment,
        digest=job.digest,
        status=status,
        record=record,
    )


def fail(job: Job, why: str) -> Result:
    """Return a pool's result for a submission that cannot be graded."""
    return result(job, "failed", why)


def job(student: str, folder: Path, what: str = "grade") -> Job:
    """Return a job with an instruction for the worker."""
    return Job(student=student, assignment="week-1", folder=folder, digest=what)


def grading() -> Callable[[object], Grade]:
    """Start a worker that follows the instruction of each job."""
    return lambda task: _grade


def refusing() -> Callable[[object], Grade]:
    """Start a worker that fails to start."""
    raise RuntimeError("no sandbox here")


def dying() -> Callable[[object], Grade]:
    """Start a worker that dies while starting."""
    os._exit(7)


def _grade(job: Job) -> Result:
    mark = job.folder / f"{job.student}.tried"
    first, _ = not mark.exists(), mark.touch()
    if job.digest == "die always" or (job.digest == "die once" and first):
        os.kill(os.getpid(), signal.SIGKILL)
    if job.digest == "hang":
        time.sleep(60)
    if job.digest == "work":
        time.sleep(0.5)
    return result(job)
