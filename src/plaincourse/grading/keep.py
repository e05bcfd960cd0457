"""Keep results in an order that survives a power cut."""

import errno
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from sqlalchemy.exc import OperationalError

from plaincourse.grading.jobs import CourseError, Job, Result
from plaincourse.grading.journal import Journal
from plaincourse.grading.writer import Writer

#: Results that are written together at most, and seconds that one waits for others.
BATCH, DELAY = 16, 1.0
#: What no submission can be kept with.
_FOR_ALL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk can only be read",
}
_NOT_KEPT = "It was graded, and {what} could not be written ({why}). It is graded again next time."


def keep(
    graded: Iterable[Result | None],
    jobs: Iterable[Job],
    journal: Journal,
    writer: Writer,
    say: Callable[[Result], None],
    *,
    idle: Callable[[], None] = lambda: None,
) -> int:
    """Write results as they come, some at a time: folders, then the gradebook, then records.

    A result that cannot be written costs its submission only, which counts as failed and has no
    record, so that it is graded again.

    Args:
        graded: results; None where there is none for the moment.
        jobs: of all results that may come.
        journal: writes folders and records.
        writer: writes the gradebook.
        say: told of each result when it is safe, or has failed.
        idle: called when nothing has come for a moment.

    Returns:
        How many were told of.

    Raises:
        CourseError: nothing can be written any more; what is safe stays safe.
    """
    keeper = _Keeper({job.student: job for job in jobs}, journal, writer, say)
    since = 0.0
    try:
        for result in graded:
            if result is None:
                idle()
            else:
                since = since if keeper.batch else time.monotonic()
                keeper.batch.append(result)
            late = time.monotonic() - since > DELAY
            if keeper.batch and (late or len(keeper.batch) >= BATCH):
                keeper.flush()
        keeper.flush()
    except KeyboardInterrupt:
        pass  # the second one: what was not safe is graded again another time
    return keeper.done


@dataclass
class _Keeper:
    jobs: dict[str, Job]
    journal: Journal
    writer: Writer
    say: Callable[[Result], None]
    batch: list[Result] = field(default_factory=list)
    done: int = 0

    def flush(self) -> None:
        """Write what has come."""
        pairs = []
        for result in self.batch:
            pair = result, self.jobs[result.student]
            if why := self._tried(self.journal.publish, *pair):
                self._lost(result, "its folder", why)
            else:
                pairs.append(pair)
        if self._tried(self.writer.write, pairs):  # one of them is broken, and none is written
            pairs = [pair for pair in pairs if self._written(*pair)]
        for result, _ in pairs:
            if why := self._tried(self.journal.finish, result):
                self._lost(result, "its record", why)
            else:
                self._told(result)
        self.batch.clear()

    def _written(self, result: Result, job: Job) -> bool:
        why = self._tried(self.writer.write, [(result, job)])
        if why:
            self._lost(result, "its grades", why)
        return not why

    def _lost(self, result: Result, what: str, why: str) -> None:
        """Tell of a result that is not kept; an older record of its submission goes."""
        self._tried(self.journal.forget, result.student)
        said = {"status": "failed", "why": _NOT_KEPT.format(what=what, why=why)}
        lost = replace(result, status="failed", record={**result.record, **said})
        self._tried(self.journal.tell, lost)
        self._told(lost)

    def _told(self, result: Result) -> None:
        self.say(result)
        self.done += 1

    def _tried(self, action: Callable[..., None], *given: object) -> str:
        """Do something; return why it failed, or an empty text where it did not.

        Raises:
            CourseError: what failed would fail for every submission.
        """
        try:
            action(*given)
        except OperationalError as error:
            raise self._over(f"the gradebook cannot be written ({error.orig})") from error
        except CourseError as error:
            raise self._over(str(error)) from error
        except Exception as error:
            number = error.errno if isinstance(error, OSError) else None
            if number in _FOR_ALL:
                raise self._over(f"{_FOR_ALL[number]} ({error})") from error
            return f"{type(error).__name__}: {error}"
        return ""

    def _over(self, why: str) -> CourseError:
        return CourseError(
            f"{why}. What was graded before is safe; the same command goes on where this one "
            "stopped"
        )
