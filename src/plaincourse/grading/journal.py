"""What is already graded, and what grading leaves on disk.

A graded submission is a folder with its notebooks and a ``record.json``. The folder is written
under another name and renamed; then the gradebook is committed; the record comes last. So a
submission with a record is wholly graded, whatever happened, and one without is graded again.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plaincourse.grading import handed
from plaincourse.grading.jobs import CourseError, Job, Known, Result

RECORD = "record.json"


@dataclass(frozen=True, kw_only=True)
class Journal:
    """Folders and records of one assignment.

    Args:
        graded: returns the folder of a student's graded submission.
        log: the file that gets each record as a line; None for no log.
        ignore: patterns of names that are not copied from what was handed in.
        files: the instructor's files, which overwrite those handed in.
        permissions: of the files written.
        shared: whether the folders are writable for the group.
    """

    graded: Callable[[str], Path]
    log: Path | None
    ignore: tuple[str, ...]
    files: dict[str, bytes]
    permissions: int
    shared: bool = False

    def job(self, student: str, assignment: str, folder: Path, *, base: str, known: Known) -> Job:
        """Read what was handed in as far as a job needs it.

        Args:
            student: who handed it in.
            assignment: its name.
            folder: where it lies.
            base: digest of all that is the same for the whole class.
            known: what the gradebook knows.
        """
        found = handed.look(folder, ignore=self.ignore)
        refused = dict(found.refused)
        whole = hashlib.sha256(f"{base}{known.extension}".encode())
        for name, path in found.files.items():
            try:
                content = handed.read(path)
            except OSError as error:
                refused[name] = str(error)
            else:
                whole.update(os.fsencode(f"\0{name}\0{len(content)}\0") + content)
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
        """Return the record of a submission that is wholly graded, else None."""
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
        for name, path in handed.look(job.folder, ignore=self.ignore).files.items():
            if not name.endswith(".ipynb"):
                handed.put(new, name, handed.read(path))
        for name, content in self.files.items():
            handed.put(new, name, content)
        for name, text in result.notebooks.items():
            handed.put(new, f"{name}.ipynb", text.encode())
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
        folder = self.graded(result.student)
        new = folder / f".{RECORD}.new"
        new.write_text(json.dumps(result.record, indent=1) + "\n", encoding="utf-8")
        new.replace(folder / RECORD)
        self.tell(result)

    def tell(self, result: Result) -> None:
        """Write a result's record into the log.

        Raises:
            CourseError: the log cannot be written.
        """
        if self.log is None:
            return
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(result.record) + "\n")
        except OSError as error:
            raise CourseError(f"the log {self.log} cannot be written ({error})") from error

    def forget(self, student: str) -> None:
        """Remove the record of a submission, so that it counts as not graded."""
        (self.graded(student) / RECORD).unlink(missing_ok=True)

    def _permit(self, folder: Path) -> None:
        for place, _, names in os.walk(folder):
            for name in names:
                Path(place, name).chmod(self.permissions)
            if self.shared:
                Path(place).chmod((Path(place).stat().st_mode | 0o2770) & 0o2777)


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
