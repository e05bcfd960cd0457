"""Two plugins of ``nbgrader zip_collect``: one sorts archives, one finds a file's student."""

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import Unicode

from plaincourse.collecting.archives import (
    Container,
    Entry,
    is_archive,
    is_other_archive,
    is_rubbish,
    open_file,
    open_folder,
    open_zip,
)
from plaincourse.collecting.names import Named, read_names
from plaincourse.collecting.sorting import Key, Submission, sort_out
from plaincourse.collecting.writing import problems, write
from plaincourse.grading.collected import read_collected
from plaincourse.grading.files import RefusedError
from plaincourse.grading.group import group_of
from plaincourse.grading.ids import one_spelling, unfit

#: The most lines to print about entries without a student.
_MOST_TOLD = 50
#: The beginnings of lines that nbgrader prints for every file, or to warn of a name that is
#: accepted anyway: `plaincourse autograde` reads notebooks of any name.
_OF_EVERY_FILE = (
    "Parsing file:",
    "Copying from:",
    "Copying to:",
    "Directory not found. Creating:",
    "Invalid submission notebook name",
    "Found collected timestamp file:",
)


class Extractor(ExtractorPlugin):  # type: ignore[misc]
    """Sort the files in a platform's archives into a folder for each student.

    Attributes:
        root: the folder that contains the students' folders; set by `extract`.
    """

    title = Unicode("", help="What the assignment is called on the platform").tag(config=True)
    timezone = Unicode("UTC", help="Zone of the times in names of Blackboard's files").tag(
        config=True
    )
    root: Path | None = None

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Sort the archives in a folder. Called by ``nbgrader zip_collect``.

        Args:
            archive_path: the folder in which the instructor put them.
            extracted_path: an empty folder.
        """
        self.root = Path(extracted_path)
        group = group_of(self.parent.coursedir)
        for step in (self.root, self._folder("x").parents[1]):
            group.begin(step)
        foreign: dict[str, str] = {}
        found = sort_out(
            list(_containers(Path(archive_path), foreign)),
            titles=[title for title in (self.title, self._assignment) if title],
            known=self._known(),
            own=self._own(),
            zone=self.timezone,
        )
        foreign |= found.foreign
        taken = [each for each in found.submissions if self._may_take(each)]
        for each in taken:
            came = write(each, self.root / each.id, zone=self.timezone)
            group.share_below(self.root / each.id)
            why = unfit(one_spelling(each.said.name))
            if why:
                self.log.warning("%s: called %r on the platform; %s", each.id, each.said.name, why)
            for said in problems(came):
                self.log.warning("%s: %s", each.id, _line(said))
        self.log.addFilter(_is_news)
        for name, why in list(foreign.items())[:_MOST_TOLD]:
            self.log.warning("Not collected: %s (%s)", _line(name), why)
        if len(foreign) > _MOST_TOLD:
            self.log.warning("Not collected: %d more files", len(foreign) - _MOST_TOLD)
        self.log.info("Found the submissions of %d students", len(taken))

    @property
    def _assignment(self) -> str:
        return str(self.parent.coursedir.assignment_id)

    def _folder(self, student: str) -> Path:
        place = self.parent.coursedir
        return Path(place.format_path(place.submitted_directory, student, self._assignment))

    def _known(self) -> dict[str, Key | None]:
        """Return the ids that have a submission already, with the student's key at the platform."""
        found: dict[str, Key | None] = {}
        above = self._folder("x").parents[1]  # nbgrader's layout: STUDENT/ASSIGNMENT
        for folder in above.iterdir() if above.is_dir() else ():
            student = folder.name
            there = self._folder(student)
            came = read_collected(there)
            key = (came.platform, _keyed(came.platform, came.name), came.number)
            found[student] = key if there.is_dir() and came.name else None
        return found

    def _own(self) -> Callable[[str], Named | None]:
        """Return a function that parses names by the instructor's own pattern, if it is set."""
        collector = getattr(self.parent, "collector_plugin_inst", None)
        pattern = getattr(collector, "named_regexp", "")

        def read(path: str) -> Named | None:
            match = re.match(pattern, f"/{path}") if pattern else None
            said = match.groupdict() if match else {}
            if not said.get("student_id"):
                return None
            file = said.get("file_id") or path.rpartition("/")[2]
            name, time = said["student_id"], said.get("timestamp") or ""
            return Named(platform="pattern", name=name, file=file, time=time)

        return read

    def _may_take(self, submission: Submission) -> bool:
        """Return whether a submission can be accepted; log the reason if it cannot."""
        there = self._folder(submission.id)
        if self.force or not there.is_dir() or not any(there.iterdir()):
            return True
        self.log.warning(
            "%s: left as it is, because %s is there already. --force replaces it",
            submission.id,
            there,
        )
        return False


class Collector(FileNameCollectorPlugin):  # type: ignore[misc]
    """Identify the student of a file that `Extractor` wrote, from its folder."""

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Return the student and the name of a file. Called by ``nbgrader zip_collect``.

        Args:
            submitted_file: its path.
        """
        extractor = getattr(self.parent, "extractor_plugin_inst", None)
        root = getattr(extractor, "root", None)
        path = Path(submitted_file)
        if root is None or root not in path.parents:
            found: dict[str, Any] | None = super().collect(submitted_file)
            return found
        student, *rest = path.relative_to(root).parts
        return {"student_id": student, "file_id": "/".join(rest)} if rest else None


def _containers(folder: Path, foreign: dict[str, str]) -> Iterator[Container]:
    """Yield the archives in a folder; its loose files count as one more archive."""
    loose: list[Entry] = []
    for path in sorted(folder.iterdir()):
        name, time = path.name, path.lstat().st_mtime
        if is_rubbish(name) or name.startswith("."):
            continue
        try:
            if path.is_symlink():
                raise RefusedError("it is a link")
            if path.is_dir():
                entries = open_folder(path)
                if read_names([f"{name}/{entry.path}" for entry in entries[:1]]):
                    loose += [_below(name, entry) for entry in entries]
                else:
                    yield Container(name=name, time=time, entries=entries)
            elif is_archive(name) and not read_names([name]):
                yield Container(name=name, time=time, entries=open_zip(path))
            elif is_other_archive(name) and not read_names([name]):
                raise RefusedError("only zip archives are opened; unpack it here yourself")
            else:
                loose.append(open_file(path, name))
        except (RefusedError, OSError) as error:
            foreign[name] = str(error)
    if loose:
        yield Container(name=folder.name, time=folder.stat().st_mtime, entries=loose)


def _below(name: str, entry: Entry) -> Entry:
    return Entry(path=f"{name}/{entry.path}", size=entry.size, read=entry.read, why=entry.why)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line of nbgrader's is not among those that it writes for every file."""
    return not str(record.msg).lstrip().startswith(_OF_EVERY_FILE)


def _keyed(platform: str, name: str) -> str:
    return name.casefold() if platform == "blackboard" else name


def _line(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)[:300]
