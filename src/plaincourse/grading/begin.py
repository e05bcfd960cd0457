"""What a worker does before its first submission."""

import functools
import importlib
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from plaincourse.grading.jobs import Job, Result
from plaincourse.kernels import permission
from plaincourse.kernels.shared import student_server
from plaincourse.sandbox import SWITCH

if TYPE_CHECKING:  # they import nbgrader, which takes a second that what forks can use
    from plaincourse.grading.settings import Settings
    from plaincourse.grading.snapshot import Snapshot

#: How a job is graded.
Grade = Callable[[Job], Result]
#: What all jobs have in common.
Task: TypeAlias = "tuple[Snapshot, Settings]"


@dataclass(frozen=True, kw_only=True)
class Begin:
    """Prepares a worker: first what takes long and is always the same, then the assignment.

    Args:
        unsandboxed: the words that allow student code to run without a sandbox, or none.
        one_process: whether tests run in the student's own process.
    """

    unsandboxed: str = ""
    one_process: bool = False

    def __call__(self) -> Callable[[Task], Grade]:
        """Begin to start what forks, import nbgrader, and return what takes the assignment.

        Raises:
            SandboxRefused: there is no sandbox here, and nobody allowed to do without.
        """
        allow(self.unsandboxed)
        other = ThreadPoolExecutor(max_workers=1)  # one server comes from the other
        servers: list[Future[Any]] = []
        if not self.one_process:  # it imports torch; this process, nbgrader
            servers.append(other.submit(student_server))
        importlib.import_module("plaincourse.grading.convert")

        def take(task: Task) -> Grade:
            servers.append(other.submit(judges, *task))
            for server in servers:
                server.result()
            other.shutdown()
            return grader(task)

        return take


def allow(unsandboxed: str) -> None:
    """Set this process up, and see to it that student code may run here.

    Args:
        unsandboxed: the words that allow it to run without a sandbox, or none.

    Raises:
        SandboxRefused: there is no sandbox here, and nobody allowed to do without.
    """
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    if unsandboxed:
        os.environ[SWITCH] = unsandboxed
    permission.permitted()


def grader(task: Task) -> Grade:
    """Return the function that grades a job."""
    from plaincourse.grading.convert import grade

    snapshot, settings = task
    return functools.partial(grade, snapshot=snapshot, settings=settings)


def judges(snapshot: "Snapshot", settings: "Settings") -> None:
    """Start the process that knows the tests of each notebook, before the first submission."""
    from plaincourse.judge.judging import judge_server

    for name in snapshot.notebooks:
        path = instructors(snapshot, name)
        if path is not None and settings.one_process:
            student_server(path)
        elif path is not None:
            judge_server(name, path)


def instructors(snapshot: "Snapshot", name: str) -> Path | None:
    """Return where the instructor's version of a notebook is; None where none is."""
    original = snapshot.notebooks[name]
    return original.path if original.text else None
