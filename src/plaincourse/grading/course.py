"""The course in a folder, and the one function by which all commands find it.

nbgrader also reads settings of the user and of the machine, and some of them name another course.
Grading uses only the settings in the course's folder. If nbgrader's own commands would read or
write in other places than these settings give, the course is refused.
"""

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.apps.autogradeapp import AutogradeApp
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from plaincourse.grading.arrival import identify
from plaincourse.grading.collected import NAME as COLLECTED
from plaincourse.grading.group import Group, group_of
from plaincourse.grading.ids import normal
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.misplaced import MOST, misplaced
from plaincourse.grading.opening import WITH_PLUS, address, gradebook_file, open_anywhere
from plaincourse.grading.results import RECORD
from plaincourse.grading.settings import Settings, portable

_CONFIG = "nbgrader_config"
#: Folders that systems and tools make on a disk or in a share.
_NO_STUDENTS = re.compile(
    r"\.(ipynb_checkpoints|git|hg|svn|snapshots?|cache|config|local|jupyter|ipython|venv|vscode|idea"
    r"|DS_Store|fseventsd|Spotlight-V100|Trashes|Trash-\d+|trash|nfs\w+|stfolder|stversions"
    r"|dropbox\.cache|pytest_cache|mypy_cache|ruff_cache|tmp)"
    r"|lost\+found|\$RECYCLE\.BIN|System Volume Information|__MACOSX|__pycache__|@eaDir|#recycle"
)
#: The settings that locate a course.
_PLACES = (
    "root",
    "db_url",
    "directory_structure",
    "source_directory",
    "release_directory",
    "submitted_directory",
    "autograded_directory",
    "feedback_directory",
)


@dataclass(kw_only=True)
class Course:
    """A course folder, as its ``nbgrader_config.py`` describes it.

    Attributes:
        place: nbgrader's ``CourseDirectory``.
        converter: nbgrader's ``Autograde``, configured; it is only queried, not run.
    """

    place: Any
    converter: Any
    config: Config = field(default_factory=Config)

    @property
    def root(self) -> Path:
        """The course's folder."""
        return Path(self.place.root)

    @property
    def group(self) -> Group:
        """The graders who share the course's files, by ``c.CourseDirectory.groupshared``."""
        return group_of(self.place)

    def share_gradebook(self) -> None:
        """Share the gradebook's file in a course of several graders."""
        if path := gradebook_file(self.place.db_url):
            self.group.share(path)

    def settings(self, *, one_process: bool, unsandboxed: str) -> Settings:
        """Collect the settings for workers."""
        return Settings(
            config=portable(self.config),
            sanitize=tuple(self.converter.sanitize_preprocessors),
            autograde=tuple(self.converter.autograde_preprocessors),
            ignore=(*self.place.ignore, RECORD, COLLECTED),
            one_process=one_process,
            unsandboxed=unsandboxed,
        )

    def submitted(self, only: Sequence[str] = ()) -> dict[str, Path]:
        """Return the folder of each submission by its student's id.

        Args:
            only: these students, by id or by the name of their folder; all if empty.

        Raises:
            CourseError: there is none, or one of the named students handed in nothing.
        """
        name = self.place.assignment_id
        excluded = self.place.student_id_exclude.split(",")
        names = {
            student: folder
            for student, folder in self.folders(self.place.submitted_directory).items()
            if student not in excluded
        }
        if not names:
            anywhere = self.place.format_path(self.place.submitted_directory, "*", name)
            beside = self.misplaced()
            there = f" This lies elsewhere: {', '.join(beside[:MOST])}." if beside else ""
            raise CourseError(
                f"nobody handed in {name!r}: nothing is at "
                f"{os.path.relpath(anywhere, self.root)}.{there} "
                "Put submissions there, or collect them: nbgrader zip_collect, nbgrader collect"
            )
        found = identify(names)
        ids = {folder: student for student, folder in found.items()}
        wanted = {ids[names[each]] if each in names else normal(each) for each in only}
        if missing := sorted(wanted - set(found)):
            raise CourseError(f"handed in nothing for {name!r}: {', '.join(missing)}")
        return {student: found[student] for student in (sorted(wanted) or found)}

    def folders(self, step: str) -> dict[str, Path]:
        """Return the folders of the assignment in one step, by the names of the students' folders.

        An entry that takes the place of a folder and cannot be read is returned as well, so that
        grading can report the reason.

        Args:
            step: the folder of the step, such as ``place.submitted_directory``.

        Raises:
            CourseError: the folder of the step cannot be read.
        """
        return {
            student: folder
            for student, folder in self._students(step)
            if not is_of_a_tool(student) and _is_there(folder)
        }

    def passed_over(self) -> list[str]:
        """Return the names of tool-made folders among those of students."""
        step = self.place.submitted_directory
        return [
            student
            for student, folder in self._students(step)
            if is_of_a_tool(student) and _is_there(folder)
        ]

    def _students(self, step: str) -> Iterator[tuple[str, Path]]:
        """Yield the name of each student's folder and the assignment's expected path in it."""
        pattern = self.place.format_path(step, "\0", self.place.assignment_id)
        head, _, tail = pattern.partition("\0")
        above, before = os.path.split(head)
        after, _, below = tail.partition(os.sep)
        try:
            names = sorted(each.name for each in Path(above).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise CourseError(f"{above} cannot be read ({error.strerror})") from error
        for name in names:
            student = name[len(before) : len(name) - len(after)]
            if student and name == before + student + after:
                yield student, Path(above, name, below.replace("\0", student))

    def misplaced(self, only: Collection[str] = ()) -> list[str]:
        """Return the paths of possible submissions in places that are not searched.

        Args:
            only: the folders of these students; of all if empty.
        """
        step, name = self.place.submitted_directory, self.place.assignment_id
        folder = self.folder(step, "x")
        if folder.parts[-2:] != ("x", name):
            return []  # a structure of its own
        source = self.folder(self.place.source_directory)
        found = misplaced(
            folder.parents[1],
            name,
            notebooks=[path.stem for path in source.glob("*.ipynb")],
            others=[each.name for each in source.parent.glob("*/") if each.name != name],
        )
        above = os.path.relpath(folder.parents[1], self.root)
        return [f"{above}/{each}" for each in found if not only or each.split("/")[0] in only]

    def name(self, folder: Path) -> str | None:
        """Return the name of the student's folder that holds a submission."""
        step, name = self.place.submitted_directory, self.place.assignment_id
        pattern = self.place.format_path(
            re.escape(step), "(?P<student>[^/]*)", re.escape(name), escape=True
        )
        match = re.fullmatch(pattern, str(folder), flags=re.DOTALL)
        return match and match["student"]

    def linked(self, folders: Mapping[str, Path]) -> dict[str, tuple[Path, str]]:
        """Return the result of `linked` for this course's submissions."""
        step = self.place.submitted_directory
        pattern = self.place.format_path(step, "\0", self.place.assignment_id)
        return linked(folders, Path(pattern.partition("\0")[0] + "x").parent)

    def graded(self, student: str) -> Path:
        """Return the folder for a student's graded submission."""
        return self.folder(self.place.autograded_directory, student)

    def folder(self, step: str, student: str = ".") -> Path:
        """Return the assignment's folder in one step.

        Args:
            step: the folder of the step, such as ``place.source_directory``.
            student: a student's id, in the steps that have students.
        """
        return Path(self.place.format_path(step, student, self.place.assignment_id))


def find_course(
    folder: Path = Path(), *, assignment: str = "", url: str = "", bare: bool = False
) -> Course:
    """Find the course in a folder, with nbgrader's own loader; every command uses this function.

    Args:
        folder: the course's folder.
        assignment: the assignment in question.
        url: the gradebook's address, if it differs from the one in the course's settings.
        bare: whether a folder without settings counts as a course, with nbgrader's defaults.

    Raises:
        CourseError: there is no ``nbgrader_config.py``, it fails, or settings lead elsewhere; or
            the assignment's name has a ``+``.
    """
    open_anywhere()
    if not folder.is_dir():
        raise CourseError(f"{folder} is not a folder. Give the course's folder")
    if path := gradebook_file(url):
        url = address(path)  # before the folder changes, on which a relative path depends
    if "+" in assignment:
        raise CourseError(WITH_PLUS.format(name=f" {assignment}"))
    with contextlib.chdir(folder):
        here = Path.cwd()
        if not bare and not any(Path(f"{_CONFIG}.{end}").is_file() for end in ("py", "json")):
            raise CourseError(f"no nbgrader_config.py in {here}. Run this in the course's folder")
        words = [f"--assignment={assignment}"] if assignment else []
        app = _read(_Here(), words)
        place = app.coursedir
        if not Path(place.root).is_dir() or not Path(place.root).samefile(here):
            raise CourseError(
                f"nbgrader_config.py in {here} names another folder as the course's: "
                f"c.CourseDirectory.root = {place.root!r}. Take that line out, or run the command "
                "in that folder"
            )
        _refuse_other_places(here, place, words)
        if url:
            place.db_url = url
        elif path := gradebook_file(place.db_url):
            place.db_url = address(path)
    converter = Autograde(coursedir=place, parent=app)
    return Course(place=place, converter=converter, config=app.config)


def linked(folders: Mapping[str, Path], above: Path) -> dict[str, tuple[Path, str]]:
    """Return links that lead to another student's folder, each with that folder's name, by id.

    Args:
        folders: submissions by their students' ids.
        above: the folder of all students.
    """
    real, found = os.path.realpath(above), {}
    for student, folder in folders.items():
        own = Path(os.path.relpath(folder, above)).parts[:1]
        there = os.path.relpath(os.path.realpath(folder), real)
        other = Path(there).parts[:1]
        if other in (own, ("..",)) or Path(there).is_absolute():
            continue
        ways = [each for each in (folder, *folder.parents) if each.is_symlink()]
        if ways and other:
            found[student] = ways[0], other[0]
    return found


def is_of_a_tool(student: str) -> bool:
    """Return whether a folder among those of students was made by a system or a tool."""
    return _NO_STUDENTS.fullmatch(student) is not None


def followed(folder: Path) -> Path:
    """Return the target folder of a path that is a link; else the path itself."""
    try:
        return Path(os.path.realpath(folder)) if folder.is_symlink() else folder
    except OSError:
        return folder


def _is_there(folder: Path) -> bool:
    """Return whether a path exists, or may exist but cannot be read."""
    above = folder.parent
    try:
        if above.is_symlink() and not above.exists():
            return True
        folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass
    return True


class _Here(AutogradeApp):  # type: ignore[misc]
    """nbgrader's command with the settings of the current folder alone."""

    @property
    def config_file_paths(self) -> list[str]:
        """The folders with settings."""
        return [str(Path.cwd())]


def _read(app: Any, words: list[str]) -> Any:
    """Let an application read its settings.

    Raises:
        CourseError: they fail.
    """
    app.raise_config_file_errors = True
    app.log_level = "ERROR"
    try:
        app.initialize([*words, "--log-level=ERROR"])
    except (Exception, SystemExit) as error:
        raise CourseError(f"nbgrader_config.py fails: {type(error).__name__}: {error}") from error
    return app


def _refuse_other_places(here: Path, place: CourseDirectory, words: list[str]) -> None:
    """Refuse a course if settings outside its folder lead nbgrader's commands elsewhere.

    Args:
        here: the course's folder.
        place: the course, by the settings in its folder.
        words: of the command line.

    Raises:
        CourseError: they do.
    """
    app = AutogradeApp()
    app.log_level = "CRITICAL"  # settings that fail outside the course do not belong to it
    with contextlib.suppress(Exception, SystemExit):
        app.initialize([*words, "--log-level=CRITICAL"])
    if app.coursedir is None:
        return
    for name, ours, theirs in _differing(place, app.coursedir):
        files = [each for each in app.loaded_config_files if Path(each).parent != here]
        where = " or ".join(files) or "a setting outside this folder"
        raise CourseError(
            f"{where} sets c.CourseDirectory.{name} = {theirs!r}, and in this course's folder, "
            f"{here}, it is {ours!r}: nbgrader would read and write elsewhere. Take the setting "
            "out there, or write the right one into this folder's nbgrader_config.py"
        )


def _differing(ours: Any, theirs: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of two course directories that lead to different places."""
    for name in _PLACES:
        one, other = getattr(ours, name), getattr(theirs, name)
        if name == "root":
            if not Path(other).is_dir() or not Path(one).samefile(other):
                yield name, one, other
        elif one != other:
            yield name, one, other
