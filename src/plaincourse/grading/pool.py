"""Worker processes that grade one submission at a time, and may die.

A worker that dies takes nothing with it: its submission is tried once more in a new worker, then it
counts as failed, and the others go on. Only JSON comes back from a worker.
"""

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from plaincourse.grading.jobs import CourseError, Job, Result
from plaincourse.grading.worker import main

#: Run in a worker: prepares it, then takes the task, then grades jobs.
Begin = Callable[[], Callable[[Any], Callable[[Job], Result]]]
#: A worker that cannot begin is tried so often in a row before the pool gives up.
_TRIES = 2
#: Seconds that submissions in flight may take when the user interrupts.
GRACE = 5.0


class PoolError(CourseError):
    """No worker can begin; the message is what the last one said."""


@dataclass(kw_only=True, eq=False)
class _Worker:
    process: Any
    link: Connection
    ready: bool = False
    job: Job | None = None
    since: float = field(default_factory=time.monotonic)

    def end(self) -> None:
        """Kill the process; what it was doing is lost."""
        self.process.kill()
        self.process.join()
        self.link.close()


class Pool:
    """Processes that grade.

    Args:
        begin: a function without arguments that can be pickled; run in each worker, it returns
            a function that takes the task and returns the function that grades a job.
        size: how many processes.

    Attributes:
        fail: makes the result of a submission that cannot be graded from the job and the reason;
            to be set before the first run.
    """

    fail: Callable[[Job, str], Result]

    def __init__(self, begin: Begin, *, size: int) -> None:
        self._begin, self._size = begin, size
        self._task: Any = None
        self._workers: list[_Worker] = []
        self._dead_starts = 0
        self._deaths: dict[str, int] = {}
        self._context = multiprocessing.get_context("spawn")

    def start(self) -> None:
        """Start a worker: the first, for the others follow when it is ready."""
        main_thread_keeps = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            mine, theirs = self._context.Pipe()
            process = self._context.Process(target=main, args=(theirs, self._begin), daemon=False)
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
        """Grade, and yield each result when it is there; None now and then while nothing is.

        Args:
            jobs: what to grade, in this order.
            task: what all jobs have in common; it can be pickled.
            patience: seconds after which a submission is taken for stuck.
            stopped: tells that no further submission shall begin; those in flight get `GRACE`.

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
        if any(worker.ready for worker in self._workers):
            for _ in range(wanted - len(self._workers)):
                self.start()
        elif not starting and wanted:
            self.start()

    def _give(self, worker: _Worker, queue: deque[Job]) -> None:
        worker.job, worker.since = queue.popleft(), time.monotonic()
        self._send(worker, worker.job)

    @staticmethod
    def _send(worker: _Worker, what: Any) -> None:
        with contextlib.suppress(OSError):  # it is dead, and will be heard to be
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
            worker.job = None
            yield Result.unpacked(said)

    def _died(self, worker: _Worker, queue: deque[Job]) -> Iterator[Result]:
        self._workers.remove(worker)
        worker.process.join(timeout=5)
        how = _how(worker.process.exitcode)
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


def _how(code: int | None) -> str:
    if code == -9:
        return "was killed (signal 9), most likely because memory ran out"
    if code is not None and code < 0:
        return f"died of {signal.Signals(-code).name}"
    return f"ended with exit status {code}"
