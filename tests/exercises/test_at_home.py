"""Solutions that run in a notebook and are checked in its own process earn all points."""

from functools import cache
from typing import Any

import nbformat
import pytest

from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise, bank
from tests.book.committed import ROOT

CHAPTERS = [f"{number:02d}" for number in range(1, 17)]
TASKS = [task for n in CHAPTERS for task in bank.chapter(n) if isinstance(task, Exercise)]


@cache
def notebook(chapter: str) -> dict[str, Any]:
    """Run the cells of a graded notebook's solutions as a notebook does, without magics."""
    (path,) = (ROOT / "solutions").glob(f"{chapter}-*/{chapter}-*.ipynb")
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in nbformat.read(path, as_version=4).cells:
        locked = cell.metadata.get("nbgrader", {}).get("locked", False)
        if cell.cell_type == "code" and not locked and "\n%" not in cell.source:
            exec(compile(cell.source, f"<{chapter}>", "exec"), space)
    return space


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_solution_earns_all_points_where_it_is_checked_at_home(task: Exercise) -> None:
    chapter, _, name = task.id.partition(".")
    report = grade(task, notebook(chapter)[name], seed=11)
    assert report.score == report.points, report.text()
