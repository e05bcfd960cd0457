"""Run the commands that grade in a temporary copy of the course."""

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from plaincourse.grading.summary import FLAGGED
from plaincourse.proving.submissions import Submission


class Course:
    """A course folder with its own gradebook.

    Args:
        folder: an empty folder, or the folder of a course.
        config: an ``nbgrader_config.py`` to copy into it.
        solutions: a folder of solutions to copy into it.
        environment: variables for its commands, in addition to those of this process.
    """

    def __init__(
        self,
        folder: Path,
        *,
        config: Path | None = None,
        solutions: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._environment = environment or {}
        if config:
            shutil.copy(config, folder / "nbgrader_config.py")
        if solutions:
            shutil.copytree(solutions, folder / "solutions")

    def run(self, module: str, *arguments: str, ends: Collection[int] = (0,)) -> str:
        """Run a module in the folder and return its output.

        Args:
            module: its name.
            arguments: its command-line arguments.
            ends: the accepted exit codes.

        Raises:
            RuntimeError: it exits with another code; the message is its output.
        """
        # nbgrader calls alembic by its name; it is in the interpreter's folder.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        ours = {"JUPYTER_PLATFORM_DIRS": "1", "PATH": path}
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=self.folder,
            env={**os.environ, **ours, **self._environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in ends:
            said = f"{module} {' '.join(arguments)} ends with {done.returncode}"
            raise RuntimeError(f"{said}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def nbgrader(self, *arguments: str) -> str:
        """Run an nbgrader command and return its output.

        Raises:
            RuntimeError: it fails; the message is its output.
        """
        return self.run("nbgrader", *arguments)

    def autograde(self, assignment: str, *arguments: str) -> str:
        """Run ``plaincourse autograde`` and return its output.

        Raises:
            RuntimeError: some submissions are not graded; the message is its output.
        """
        return self.run("plaincourse.autograde", assignment, *arguments, ends=(0, FLAGGED))

    def notebook(self, step: str, assignment: str) -> NotebookNode:
        """Read an assignment's notebook from ``solutions`` or ``exercises``."""
        path = self.folder / step / assignment / f"{assignment}.ipynb"
        notebook: NotebookNode = nbformat.read(path, as_version=4)
        return notebook

    def hand_in(self, assignment: str, submissions: Iterable[Submission]) -> None:
        """Write submissions into the folder in which nbgrader looks for them."""
        for each in submissions:
            folder = self.folder / "submitted" / each.name / assignment
            folder.mkdir(parents=True)
            nbformat.write(each.notebook, folder / f"{assignment}.ipynb")

    def scores(self, assignment: str, student: str) -> dict[str, float | None]:
        """Return a student's points by grade id; ``None`` if a person must grade the cell."""
        with self._gradebook() as book:
            notebook = book.find_submission_notebook(assignment, assignment, student)
            return {
                grade.name: None if grade.needs_manual_grade else grade.score
                for grade in notebook.grades
            }

    def feedback(self, assignment: str, student: str) -> str:
        """Return the feedback page of a student."""
        page = self.folder / "feedback" / student / assignment / f"{assignment}.html"
        return page.read_text(encoding="utf-8")

    def exported(self) -> dict[tuple[str, str], float]:
        """Export the grades as CSV, and return the totals by assignment and student."""
        self.nbgrader("export", "--to=grades.csv")
        with (self.folder / "grades.csv").open(encoding="utf-8", newline="") as lines:
            return {
                (row["assignment"], row["student_id"]): float(row["score"] or 0)
                for row in csv.DictReader(lines)
            }

    def _gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}")
