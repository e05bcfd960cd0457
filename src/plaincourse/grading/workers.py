"""Worker processes that grade one submission at a time, and may die.

The death of a worker affects its own submission only: it is tried once more in a new worker, then
it counts as failed, and the others go on. Only JSON comes back from a worker.
"""

import contextlib
import ctypes
import functools
import importlib
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, TypeAlias

from plaincourse.grading.jobs import CourseError, Job, Result
from plaincourse.kernels import shared
from plaincourse.kernels.shared import student_server
from plaincourse.sandbox import SWITCH

if TYPE_CHECKING:  # they import nbgrader, which takes a second in which the fork servers can start
    from plaincourse.grading.assignment import Snapshot
    from plaincourse.grading.settings import Settings

#: A function that grades a job.
Grade = Callable[[Job], Result]
#: The data that all jobs share.
Task: TypeAlias = "tuple[Snapshot, Settings]"
#: Run in a worker: prepares it, then takes the task, then grades jobs.
Preparation = Callable[[], Callable[[Any], Grade]]
#: The number of failed starts in a row after which the pool gives up.
_TRIES = 2
#: Seconds that submissions in flight may take when the user interrupts.
GRACE = 5.0
#: Seconds after which the others start although the first has no result: it is slow, or stuck.
_ALONE = 10.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, kw_only=True)
class Begin:
    """Prepares a worker: first the slow steps that are always the same, then the assignment.

    Args:
        unsandboxed: the words that allow student code to run without a sandbox, or none.
        one_process: whether tests run in the student's own process.
    """

    unsandboxed: str = ""
    one_process: bool = False

    def __call__(self) -> Callable[[Task], Grade]:
        """Start the fork servers in the background, import nbgrader, and return the next step.

        Returns:
            A function that takes the assignment and returns the function that grades a job.

        Raises:
            SandboxRefused: there is no sandbox here, and no consent to run without one.
        """
        _allow(self.unsandboxed)
        other = ThreadPoolExecutor(max_workers=1)  # one server comes from the other
        servers: list[Future[Any]] = []
        if not self.one_process:  # the server imports torch while this process imports nbgrader
            servers.append(other.submit(student_server))
        importlib.import_module("plaincourse.grading.grade")

        def take(task: Task) -> Grade:
            servers.append(other.submit(_start_judges, *task))
            for server in servers:
                server.result()
            other.shutdown()
            return _grader(task)

        return take


class PoolError(CourseError):
    """No worker can begin; the message is that of the last one."""


@dataclass(kw_only=True, eq=False)
class _Worker:
    process: Any
    link: Connection
    ready: bool = False
    job: Job | None = None
    since: float = field(default_factory=time.monotonic)

    def end(self) -> None:
        """Kill the process; its present work is lost."""
        self.process.kill()
        self.process.join()
        self.link.close()


class Pool:
    """Processes that grade.

    Args:
        begin: a picklable function without arguments; run in each worker, it returns a function
            that takes the task and returns the function that grades a job.
        size: how many processes.

    Attributes:
        fail: makes the result of a submission that cannot be graded from the job and the reason;
            must be set before the first run.
    """

    fail: Callable[[Job, str], Result]

    def __init__(self, begin: Preparation, *, size: int) -> None:
        self._begin, self._size = begin, size
        self._task: Any = None
        self._workers: list[_Worker] = []
        self._dead_starts = 0
        self._under_way = False
        self._deaths: dict[str, int] = {}
        self._context = multiprocessing.get_context("spawn")

    def start(self) -> None:
        """Start the first worker; the others follow when it has graded a submission.

        Before that, they would take the processor from the submission that shows the user that all
        is well.
        """
        main_thread_keeps = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            mine, theirs = self._context.Pipe()
            process = self._context.Process(target=_work, args=(theirs, self._begin), daemon=False)
            process.start()
            theirs.close()
        finally:
            signal.signal(signal.SIGINT, main_thread_keeps)
        self._workers.append(_Worker(process=process, link=mine))
        if self._task is not None:
            self._send(self._workers[-1], self._task)

    def run(
        self,
        jobs: Iterable[Job],
        *,
        task: Any,
        patience: float,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Result | None]:
        """Grade, and yield each result when it is ready; yield None now and then while waiting.

        Args:
            jobs: the submissions to grade, in this order.
            task: the data that all jobs share; it can be pickled.
            patience: seconds after which a submission counts as stuck.
            stopped: returns True if no further submission should begin; those in flight get
                `GRACE`.

        Raises:
            PoolError: workers cannot begin.
        """
        queue = deque(jobs)
        last = None
        self._task = task
        for worker in self._workers:
            self._send(worker, task)
        while queue or any(worker.job for worker in self._workers):
            if stopped():
                queue.clear()
                last = last or time.monotonic() + GRACE
                if time.monotonic() > last:
                    return
            self._refill(len(queue))
            for worker in self._workers:
                if queue and worker.ready and worker.job is None:
                    self._give(worker, queue)
            heard = wait([worker.link for worker in self._workers], timeout=0.2)
            if not heard:
                yield None
            for worker in [each for each in self._workers if each.link in heard]:
                yield from self._hear(worker, queue)
            yield from self._stuck(patience)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _refill(self, waiting: int) -> None:
        starting = sum(not worker.ready for worker in self._workers)
        busy = sum(worker.job is not None for worker in self._workers)
        wanted = min(self._size, waiting + busy)
        late = (each.job and time.monotonic() - each.since > _ALONE for each in self._workers)
        self._under_way = self._under_way or any(late)
        ready = any(worker.ready for worker in self._workers)
        if ready and self._under_way:
            for _ in range(wanted - len(self._workers)):
                self.start()
        elif not starting and not ready and wanted:
            self.start()

    def _give(self, worker: _Worker, queue: deque[Job]) -> None:
        worker.job, worker.since = queue.popleft(), time.monotonic()
        self._send(worker, worker.job)

    @staticmethod
    def _send(worker: _Worker, what: Any) -> None:
        with contextlib.suppress(OSError):  # it is dead, which `_hear` will notice
            worker.link.send(what)

    def _hear(self, worker: _Worker, queue: deque[Job]) -> Iterator[Result]:
        try:
            said = worker.link.recv_bytes()
        except (EOFError, OSError):
            yield from self._died(worker, queue)
            return
        if not worker.ready:
            if said:
                self._workers.remove(worker)
                worker.end()
                raise PoolError(said.decode())
            worker.ready, self._dead_starts = True, 0
        else:
            worker.job, self._under_way = None, True
            yield Result.unpacked(said)

    def _died(self, worker: _Worker, queue: deque[Job]) -> Iterator[Result]:
        self._workers.remove(worker)
        worker.process.join(timeout=5)
        how = _how_it_died(worker.process.exitcode)
        worker.end()
        if not worker.ready:
            self._dead_starts += 1
            if self._dead_starts >= _TRIES:
                raise PoolError(f"the grading process {how} before it could begin")
        if (job := worker.job) is not None:
            self._deaths[job.student] = self._deaths.get(job.student, 0) + 1
            if self._deaths[job.student] < 2:
                queue.appendleft(job)
            else:
                yield self.fail(job, f"the grading process {how}, twice")

    def _stuck(self, patience: float) -> Iterator[Result]:
        for worker in list(self._workers):
            if worker.job and time.monotonic() - worker.since > patience:
                self._workers.remove(worker)
                worker.end()
                why = f"it was still running after {patience:.0f} s and was stopped"
                yield self.fail(worker.job, why)


def _how_it_died(code: int | None) -> str:
    if code == -9:
        return "was killed (signal 9), most likely because memory ran out"
    if code is not None and code < 0:
        return f"died of {signal.Signals(-code).name}"
    return f"ended with exit status {code}"


def _work(link: Connection, begin: Preparation) -> None:
    """Report that all is ready, or why not; then grade until the link is closed.

    Args:
        link: receives jobs and sends results. The first message sent is empty, or the reason why
            nothing can begin.
        begin: returns a function that takes the task, the first message received, and returns the
            function that grades.
    """
    _detach()
    try:
        grade = begin()(link.recv())
    except EOFError:
        return
    except Exception as error:
        traceback.print_exc()
        link.send_bytes(f"{type(error).__name__}: {error}".encode())
        return
    link.send_bytes(b"")
    while True:
        try:
            job = link.recv()
        except (EOFError, OSError):
            return
        link.send_bytes(grade(job).packed())


def _detach() -> None:
    """Leave the terminal's group, so that only the coordinator gets its Ctrl-C; die with it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "setsid"):
        os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        parent = multiprocessing.parent_process()
        if parent is not None and not parent.is_alive():
            os._exit(1)  # it is gone already


def _allow(unsandboxed: str) -> None:
    """Set this process up, and check that student code may run here.

    Args:
        unsandboxed: the words that allow it to run without a sandbox, or none.

    Raises:
        SandboxRefused: there is no sandbox here, and no consent to run without one.
    """
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    if unsandboxed:
        os.environ[SWITCH] = unsandboxed
    shared.permitted()


def _grader(task: Task) -> Grade:
    """Return the function that grades a job."""
    from plaincourse.grading.grade import grade

    snapshot, settings = task
    return functools.partial(grade, snapshot=snapshot, settings=settings)


def _start_judges(snapshot: "Snapshot", settings: "Settings") -> None:
    """Start the process that holds the tests of each notebook, before the first submission."""
    from plaincourse.judge.judge_client import judge_server

    for name, original in snapshot.notebooks.items():
        path = original.instructors_path
        if path is not None and settings.one_process:
            student_server(path)
        elif path is not None:
            judge_server(name, path)
