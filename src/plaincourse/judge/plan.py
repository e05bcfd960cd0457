"""Which cells of a submission run where."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader import utils

from plaincourse.checking.cells import checked
from plaincourse.exercise import bank, course

_BANK = course.folder()


def is_test(cell: NotebookNode) -> bool:
    """Say whether a cell is graded, locked, and no answer."""
    code = cell.cell_type == "code"
    return bool(
        code and utils.is_grade(cell) and utils.is_locked(cell) and not utils.is_solution(cell)
    )


def is_students(cell: NotebookNode) -> bool:
    """Say whether a cell is code that is not a test."""
    return bool(cell.cell_type == "code" and cell.source.strip() and not is_test(cell))


def name_of(cell: NotebookNode, index: int) -> str:
    """Return a cell's name in nbgrader, or its place."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell {index + 1}")


@dataclass
class Plan:
    """Which cells of a submission run where.

    Attributes:
        judged: the test cells that run in the judge, by index.
        unconfirmed: why a pass of a test cell could be made up, by index. Empty where none was to
            be confirmed: that is told once, for all.
        needs_bank: whether tests in the student's process need the course's tasks.
        numbers: by index, which code cell it is, from 1.
    """

    judged: set[int] = field(default_factory=set)
    unconfirmed: dict[int, str] = field(default_factory=dict)
    needs_bank: bool = False
    numbers: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, notebook: NotebookNode, *, split: bool) -> "Plan":
        """Plan a notebook.

        Args:
            notebook: the submission, its locked cells as the instructor wrote them.
            split: whether test cells run in the judge, where they can.
        """
        plan = cls(needs_bank=not split)
        since = ""
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            plan.numbers[index] = len(plan.numbers) + 1
            if not is_test(cell):
                continue
            why, needed = _together(cell)
            plan.needs_bank = plan.needs_bank or needed
            if not split:
                continue
            if not why:
                plan.judged.add(index)
            elif not since:
                since = f"The tests of `{name_of(cell, index)}` ran in the student's process. {why}"
            if since:
                plan.unconfirmed[index] = since
        if split and plan.needs_bank:  # the answers could be looked up by every cell
            tests = (i for i in plan.numbers if is_test(notebook.cells[i]))
            plan.unconfirmed = {index: plan.unconfirmed.get(index, since) for index in tests}
        return plan

    def room(self, tests: Path | None) -> dict[str, Any]:
        """Return what the student's kernel must be started with.

        Args:
            tests: the instructor's version of the notebook, if all tests run in that kernel.
        """
        return {"hidden": () if self.needs_bank else (_BANK,), "tests": tests}


def _together(cell: NotebookNode) -> tuple[str, bool]:
    """Return why a test cell must run in the student's process, and whether it needs the bank."""
    said = cell.metadata.get("plaincourse", {})
    why = str(said.get("one_process", "")) if isinstance(said, dict) else ""
    ids = checked(cell.source)
    for id in ids:
        said_so = _of_exercise(id)
        if said_so:
            return said_so, True
    return why, bool(why and ids)


def _of_exercise(id: str) -> str:
    """Return why an exercise needs one process. Only one that says so is imported, with torch."""
    number, _, slug = id.partition(".")
    files = (_BANK / f"ch{number}" / f"{name}.py" for name in bank.file_names(slug))
    if not any(each.is_file() and "one_process=" in each.read_text("utf-8") for each in files):
        return ""
    return str(getattr(bank.load(id), "one_process", ""))


def declare(notebook: NotebookNode, source: Path) -> None:
    """Let the instructor's notebook, not the submission, say which tests need one process.

    Args:
        notebook: the submission; its cells' metadata are changed.
        source: the instructor's version of it.
    """
    cells = json.loads(source.read_text("utf-8"))["cells"]
    said = {
        cell["metadata"].get("nbgrader", {}).get("grade_id"): cell["metadata"]["plaincourse"]
        for cell in cells
        if "plaincourse" in cell["metadata"]
    }
    for cell in notebook.cells:
        cell.metadata.pop("plaincourse", None)
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in said:
            cell.metadata["plaincourse"] = from_dict(said[name])
