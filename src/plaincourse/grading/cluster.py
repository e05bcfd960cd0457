"""Grade on many machines: a Dask scheduler hands out the same function that a local worker runs.

What was handed in travels as bytes, and so do results: the machines share no disk, and only this
one writes.
"""

import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plaincourse.grading import handed
from plaincourse.grading.begin import Task, allow
from plaincourse.grading.jobs import CourseError, Job, Result
from plaincourse.grading.settings import Settings
from plaincourse.grading.snapshot import Snapshot

_MISSING = (
    "--cluster needs the package distributed, which is not installed. "
    "Run: python -m pip install 'plainformer[cluster]'"
)
_SILENT = (
    "no Dask scheduler answers at {address} within {seconds:.0f} s ({error}). "
    "Start one: dask scheduler; and on each machine: dask worker ADDRESS --nthreads 1"
)
#: Seconds to wait for the scheduler.
PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """A job, and the files of its submission by name."""

    job: Job
    files: dict[str, bytes]


def pack(job: Job, ignore: Iterable[str]) -> Parcel:
    """Read a submission into memory."""
    found = handed.look(job.folder, ignore=tuple(ignore)).files
    return Parcel(job=job, files={name: handed.read(path) for name, path in found.items()})


def unpack_and_grade(parcel: Parcel, snapshot: Snapshot, settings: Settings) -> bytes:
    """Grade a parcel; this runs on the cluster.

    Args:
        parcel: the submission.
        snapshot: its assignment.
        settings: how to grade.

    Returns:
        The result, as ``Result.packed`` writes it.
    """
    from plaincourse.grading.convert import grade

    allow(settings.unsandboxed)
    with tempfile.TemporaryDirectory(prefix="handed-in-") as folder:
        for name, content in parcel.files.items():
            handed.put(Path(folder), name, content)
        return grade(replace(parcel.job, folder=Path(folder)), snapshot, settings).packed()


class Cluster:
    """Grades as ``Pool`` does, on a Dask cluster.

    Args:
        address: of the scheduler, such as ``tcp://host:8786``.

    Attributes:
        fail: makes the result of a submission that cannot be graded; to be set before a run.

    Raises:
        CourseError: ``distributed`` is not installed, or the scheduler does not answer.
    """

    fail: Callable[[Job, str], Result]

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise CourseError(_MISSING) from error
        self._wait: Callable[..., Any] = distributed.wait
        try:
            self._client = distributed.Client(address, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            said = _SILENT.format(address=address, seconds=PATIENCE, error=error)
            raise CourseError(said) from error

    def run(
        self,
        jobs: Iterable[Job],
        *,
        task: Task,
        patience: float,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Result | None]:
        """Grade, and yield each result when it is there.

        Args:
            jobs: what to grade.
            task: the assignment, and how to grade.
            patience: not used: the scheduler has its own.
            stopped: tells to cancel the rest.
        """
        shared: list[Any] = self._client.scatter(list(task), broadcast=True)
        waiting, running = deque(jobs), dict[Any, Job]()
        while (waiting or running) and not stopped():
            room = 2 * max(1, sum(self._client.nthreads().values())) - len(running)
            for _ in range(min(room, len(waiting))):
                job = waiting.popleft()
                parcel = pack(job, task[1].ignore)
                running[self._client.submit(unpack_and_grade, parcel, *shared, pure=False)] = job
            try:
                done = self._wait(list(running), timeout=0.5, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                yield None
                continue
            for future in done:
                yield self._read(future, running.pop(future))
        self._client.cancel(list(running))

    def _read(self, future: Any, job: Job) -> Result:
        error = future.exception()
        if error is not None:
            return self.fail(job, f"the cluster gave up on it: {type(error).__name__}: {error}")
        return Result.unpacked(future.result())

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()
