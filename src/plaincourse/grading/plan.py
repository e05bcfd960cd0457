"""Read the course as nbgrader reads it: its configuration, and who handed in what."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbgrader.apps.autogradeapp import AutogradeApp
from nbgrader.converters import Autograde
from nbgrader.utils import parse_utc
from traitlets.config import Config

from plaincourse.grading import handed
from plaincourse.grading.jobs import CourseError, Known
from plaincourse.grading.settings import Settings, portable


@dataclass(kw_only=True)
class Course:
    """A course folder, as its ``nbgrader_config.py`` describes it.

    Attributes:
        place: nbgrader's ``CourseDirectory``.
        converter: nbgrader's ``Autograde``, configured; it is asked, not run.
    """

    place: Any
    converter: Any
    config: Config = field(default_factory=Config)

    @property
    def root(self) -> Path:
        """The course's folder."""
        return Path(self.place.root)

    def settings(self, *, one_process: bool, unsandboxed: str) -> Settings:
        """Collect what workers need."""
        return Settings(
            config=portable(self.config),
            sanitize=tuple(self.converter.sanitize_preprocessors),
            autograde=tuple(self.converter.autograde_preprocessors),
            ignore=(*self.place.ignore, "record.json"),
            one_process=one_process,
            unsandboxed=unsandboxed,
        )

    def submitted(self, only: Sequence[str] = ()) -> dict[str, Path]:
        """Return the folder of each submission by its student.

        Args:
            only: these students; all where empty.

        Raises:
            CourseError: there is none, or one of those named handed in nothing.
        """
        step, name = self.place.submitted_directory, self.place.assignment_id
        pattern = self.place.format_path(step, "(?P<student>[^/]*)", name, escape=True)
        anywhere = self.place.format_path(step, "*", name)
        excluded = self.place.student_id_exclude.split(",")
        found = {}
        for folder in sorted(self.root.glob(os.path.relpath(anywhere, self.root))):
            match = re.fullmatch(pattern, str(folder))
            if match and match["student"] not in excluded and folder.is_dir():
                found[match["student"]] = folder
        if not found:
            raise CourseError(
                f"nobody handed in {name!r}: nothing is at "
                f"{os.path.relpath(anywhere, self.root)}. "
                "Put submissions there, or collect them: nbgrader zip_collect, nbgrader collect"
            )
        if missing := sorted(set(only) - set(found)):
            raise CourseError(f"handed in nothing for {name!r}: {', '.join(missing)}")
        return {student: found[student] for student in (sorted(set(only)) or found)}

    def timed(self, folder: Path, known: Known) -> Known:
        """Add to what the gradebook knows the time at which a submission says it was handed in."""
        path = folder / "timestamp.txt"
        try:
            said = handed.read(path).decode(errors="replace").strip()
            return replace(known, timestamp=parse_utc(said)) if said else known
        except (OSError, ValueError, OverflowError):
            return known

    def graded(self, student: str) -> Path:
        """Return the folder into which a graded submission goes."""
        return Path(
            self.place.format_path(
                self.place.autograded_directory, student, self.place.assignment_id
            )
        )


def course(assignment: str) -> Course:
    """Read the course in this folder with nbgrader's own loader.

    Args:
        assignment: what shall be graded.

    Raises:
        CourseError: there is no ``nbgrader_config.py`` here, or it fails.
    """
    if not Path("nbgrader_config.py").is_file():
        raise CourseError(f"no nbgrader_config.py in {Path.cwd()}. Run this in the course's folder")
    app = AutogradeApp()
    app.raise_config_file_errors = True
    app.log_level = "ERROR"
    try:
        app.initialize([f"--assignment={assignment}", "--log-level=ERROR"])
    except Exception as error:
        raise CourseError(f"nbgrader_config.py fails: {type(error).__name__}: {error}") from error
    converter = Autograde(coursedir=app.coursedir, parent=app)
    return Course(place=app.coursedir, converter=converter, config=app.config)
