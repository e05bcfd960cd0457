"""A tiny course for grading with nbgrader and with ``plaincourse``, and comparing all tables."""

import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.utils import compute_checksum

NAME = "week-1"
CONFIG = """
c = get_config()
c.CourseDirectory.ignore.append("record.json")
c.Execute.timeout = 20
c.LateSubmissionPlugin.penalty_method = "zero"
"""
RIGHT = "def square(x):\n    return x * x"
_TEST = (
    "assert square(3) == 9\n### BEGIN HIDDEN TESTS\nassert square(-2) == 4\n### END HIDDEN TESTS"
)


def environment() -> dict[str, str]:
    """Return the environment for commands, in which nbgrader finds alembic on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "JUPYTER_PLATFORM_DIRS": "1", "OMP_NUM_THREADS": "1"}


def command(folder: Path, *words: str, status: int = 0) -> str:
    """Run a Python module in a course, and return its output."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def autograde(folder: Path, *words: str, status: int = 0) -> str:
    """Run ``plaincourse autograde`` on the assignment."""
    return command(folder, "plaincourse.autograde", NAME, *words, status=status)


def notebook(**sources: str) -> nbformat.NotebookNode:
    """Return a notebook with an answer cell, tests for points, and an essay question."""
    answer = sources.get("square", "### BEGIN SOLUTION\n" + RIGHT + "\n### END SOLUTION")
    cells = [
        _cell(new_code_cell(answer), "square", solution=True),
        _cell(new_code_cell(_TEST), "test_square", points=2),
        _cell(new_code_cell("1.5 if square(2) == 4 else 0.5"), "partly", points=3),
        _cell(new_markdown_cell(sources.get("why", "*Why?*")), "why", points=4, solution=True),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"c{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _cell(cell: Any, name: str, *, points: int | None = None, solution: bool = False) -> Any:
    graded = points is not None
    meta: dict[str, Any] = {"schema_version": 3, "grade_id": name, "task": False}
    meta.update(grade=graded, solution=solution, locked=not solution)
    if graded:
        meta["points"] = points
    cell.metadata["nbgrader"] = meta
    cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)
    return cell


def make(folder: Path) -> Path:
    """Make a course with one released assignment of two notebooks, without submissions."""
    source = folder / "source" / NAME
    source.mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(CONFIG)
    for name in ("one", "two"):
        nbformat.write(notebook(), source / f"{name}.ipynb")
    (source / "data.txt").write_text("the course's")
    command(folder, "nbgrader", "generate_assignment", NAME)
    with book(folder) as gradebook:
        gradebook.update_or_create_assignment(NAME, duedate=datetime(2020, 1, 1))
    return folder


def hand_in(folder: Path, student: str, names: str = "one two", **sources: str) -> Path:
    """Submit the release with the given sources of cells, and return the folder."""
    place = folder / "submitted" / student / NAME
    place.mkdir(parents=True)
    for name in names.split():
        released = nbformat.read(folder / "release" / NAME / f"{name}.ipynb", as_version=4)
        for cell in released.cells:
            cell.source = sources.get(cell.metadata.nbgrader.grade_id, cell.source)
        nbformat.write(released, place / f"{name}.ipynb")
    return place


def book(folder: Path) -> Gradebook:
    """Open the gradebook."""
    return Gradebook(f"sqlite:///{folder / 'gradebook.db'}")


def twin(folder: Path) -> Path:
    """Return a copy of a course, in a neighbouring folder."""
    return Path(shutil.copytree(folder, folder.with_name(f"{folder.name}-twin")))


_TABLES = {
    "student": "select id, first_name, last_name, email, lms_user_id from student",
    "submission": "select student_id, timestamp, extension from submitted_assignment",
    "notebook": """
        select s.student_id, n.name, b.flagged, b.late_submission_penalty
        from submitted_notebook b join notebook n on n.id = b.notebook_id
        join submitted_assignment s on s.id = b.assignment_id""",
    "grade": """
        select s.student_id, n.name, c.name, c.type, g.auto_score, g.manual_score,
        g.extra_credit, g.needs_manual_grade from grade g join base_cell c on c.id = g.cell_id
        join submitted_notebook b on b.id = g.notebook_id
        join notebook n on n.id = b.notebook_id
        join submitted_assignment s on s.id = b.assignment_id""",
    "comment": """
        select s.student_id, n.name, c.name, c.type, m.auto_comment, m.manual_comment
        from comment m join base_cell c on c.id = m.cell_id
        join submitted_notebook b on b.id = m.notebook_id
        join notebook n on n.id = b.notebook_id
        join submitted_assignment s on s.id = b.assignment_id""",
}


def tables(folder: Path) -> dict[str, list[Any]]:
    """Return all data that grading writes to the gradebook, without ids."""
    with sqlite3.connect(folder / "gradebook.db") as link:
        return {
            name: sorted(link.execute(query).fetchall(), key=repr)
            for name, query in _TABLES.items()
        }
