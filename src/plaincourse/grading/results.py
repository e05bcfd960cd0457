"""Grading's output on disk, in an order that survives a power cut.

A graded submission is a folder with its notebooks and a ``record.json``. The folder is written
under another name and renamed; then the gradebook is committed; the record comes last. So a
submission with a record is always completely graded, and one without is graded again.
"""

import errno
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, SQLAlchemyError

from plaincourse.grading.files import (
    is_notebook,
    list_files,
    notebooks_below,
    pieces,
    read_file,
    unopened,
    write_file,
)
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.group import NOBODY, Group
from plaincourse.grading.jobs import CourseError, Job, Known, Result
from plaincourse.grading.opening import explain

RECORD = "record.json"
#: The maximal number of results that are written together, and the seconds that one waits for
#: others.
BATCH, DELAY = 16, 1.0
#: Errors of the disk that affect every submission.
_FOR_ALL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk can only be read",
}
#: Errors of the gradebook that concern the rows of one submission.
_OF_ONE = (DataError, IntegrityError, InterfaceError)
_NOT_KEPT = "It was graded, and {what} could not be written ({why}). It is graded again next time."


@dataclass(frozen=True, kw_only=True)
class Journal:
    """Folders and records of one assignment.

    Args:
        graded: returns the folder of a student's graded submission.
        log: the file that gets each record as a line; None for no log.
        ignore: patterns of names that are not copied from the submission.
        files: the instructor's files, which overwrite submitted ones.
        permissions: of the files written.
        group: the group that owns files and folders.
    """

    graded: Callable[[str], Path]
    log: Path | None
    ignore: tuple[str, ...]
    files: dict[str, bytes]
    permissions: int
    group: Group = NOBODY

    def job(self, student: str, assignment: str, folder: Path, *, base: str, known: Known) -> Job:
        """Read a submission as far as a job needs it.

        Args:
            student: the student who handed it in.
            assignment: its name.
            folder: the folder of the submission.
            base: digest of all data that the whole class shares.
            known: the gradebook's data.
        """
        found = list_files(folder, ignore=self.ignore)
        refused = dict(found.refused)
        whole = hashlib.sha256(base.encode())
        # Grading also reads notebooks that are not copied, such as one in an ignored folder.
        more = {path.relative_to(folder).as_posix(): path for path in notebooks_below(folder)}
        for name, path in sorted({**more, **found.files}.items()):
            whole.update(os.fsencode(f"\0{name}\0"))
            try:
                for piece in pieces(path):
                    whole.update(piece)
            except OSError as error:
                why = unopened("file", error) if error.errno else str(error)
                if name in found.files:
                    refused[name] = why
                whole.update(why.encode())
            whole.update(b"\0")
        whole.update(json.dumps(refused, sort_keys=True).encode())
        return Job(
            student=student,
            assignment=assignment,
            folder=folder,
            digest=whole.hexdigest(),
            refused=refused,
            known=known,
        )

    def record(self, student: str) -> dict[str, Any] | None:
        """Return the record of a completely graded submission, else None."""
        try:
            found = json.loads((self.graded(student) / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and "digest" in found else None

    def publish(self, result: Result, job: Job) -> None:
        """Put a graded submission's folder in place, whole or not at all, and without a record."""
        final = self.graded(result.student)
        new, old = (final.with_name(f".{final.name}.{what}") for what in ("new", "old"))
        for stale in (new, old):
            _remove(stale)
        new.mkdir(parents=True)
        for name, path in list_files(job.folder, ignore=self.ignore).files.items():
            if not is_notebook(name) and name not in job.refused:
                write_file(new, name, read_file(path))
        for name, content in self.files.items():
            write_file(new, name, content)
        for name, text in result.notebooks.items():
            write_file(new, f"{name}.ipynb", text.encode())
        self._permit(new)
        if os.path.lexists(final):
            final.rename(old)
        new.rename(final)
        _remove(old)

    def finish(self, result: Result) -> None:
        """Write the record: from now on the submission counts as graded.

        Raises:
            CourseError: the log cannot be written.
        """
        self._write(result.student, result.record)
        self.tell(result.record)

    def amend(self, student: str, record: dict[str, Any]) -> None:
        """Rewrite the record of a submission that is graded already.

        Raises:
            CourseError: it cannot be written.
        """
        try:
            self._write(student, record)
        except OSError as error:
            raise CourseError(f"the record of {student} cannot be written ({error})") from error
        self.tell(record)

    def _write(self, student: str, record: dict[str, Any]) -> None:
        folder = self.graded(student)
        new = folder / f".{RECORD}.new"
        new.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        self.group.share(new)
        new.replace(folder / RECORD)

    def tell(self, record: dict[str, Any]) -> None:
        """Write a record into the log.

        Raises:
            CourseError: the log cannot be written.
        """
        if self.log is None:
            return
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(record) + "\n")
            self.group.share(self.log)
        except OSError as error:
            raise CourseError(f"the log {self.log} cannot be written ({error})") from error

    def forget(self, student: str) -> None:
        """Remove the record of a submission, so that it counts as not graded."""
        (self.graded(student) / RECORD).unlink(missing_ok=True)

    def _permit(self, folder: Path) -> None:
        for place, _, names in os.walk(folder):
            for name in names:
                Path(place, name).chmod(self.permissions)
        self.group.share_below(folder)


def keep(
    graded: Iterable[Result | None],
    jobs: Iterable[Job],
    journal: Journal,
    writer: Writer,
    say: Callable[[Result], None],
    *,
    idle: Callable[[], None] = lambda: None,
) -> int:
    """Write results in small batches as they arrive: folders, then the gradebook, then records.

    A result that cannot be written costs its submission only, which counts as failed and has no
    record, so that it is graded again.

    Args:
        graded: results; None if there is none for the moment.
        jobs: of all results that may come.
        journal: writes folders and records.
        writer: writes the gradebook.
        say: called with each result when it is safe, or has failed.
        idle: called when no result has arrived for a moment.

    Returns:
        The number of results passed to ``say``.

    Raises:
        CourseError: no more results can be written; those written before stay safe.
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
            first = not keeper.done  # it shows the user that all is well
            if keeper.batch and (first or late or len(keeper.batch) >= BATCH):
                keeper.flush()
        keeper.flush()
    except KeyboardInterrupt:
        pass  # the second one: results that were not safe are graded again another time
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
        """Write the batch."""
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
        """Report a result that is not kept, and remove an older record of its submission."""
        self._tried(self.journal.forget, result.student)
        said = {"status": "failed", "why": _NOT_KEPT.format(what=what, why=why)}
        lost = replace(result, status="failed", record={**result.record, **said})
        self._tried(self.journal.tell, lost.record)
        self._told(lost)

    def _told(self, result: Result) -> None:
        self.say(result)
        self.done += 1

    def _tried(self, action: Callable[..., None], *given: object) -> str:
        """Run an action; return why it failed, or an empty text.

        Raises:
            CourseError: the failure would affect every submission.
        """
        try:
            action(*given)
        except SQLAlchemyError as error:
            why = explain(error, self.writer.url)
            if isinstance(error, _OF_ONE) or not isinstance(error, DBAPIError):
                return why
            raise self._over(why) from error
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


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
