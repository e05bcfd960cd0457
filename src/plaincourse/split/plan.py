"""Which cells of a submission run where."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader import utils

import plaincourse
from plaincourse.bank import load
from plaincourse.exercise import Exercise
from plaincourse.split.names import checked

_ALL = "Its tests ran in the student's own process, because autograding was told so."


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
        unconfirmed: why a pass of a test cell could be made up, by index.
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
            why, bank = _together(cell)
            plan.needs_bank = plan.needs_bank or bank
            if split and not why:
                plan.judged.add(index)
            why = why or ("" if split else _ALL)
            if why and not since:
                since = f"The tests of `{name_of(cell, index)}` ran in the student's process. {why}"
            if since:
                plan.unconfirmed[index] = since
        if split and plan.needs_bank:  # the answers could be looked up by every cell
            tests = (i for i in plan.numbers if is_test(notebook.cells[i]))
            plan.unconfirmed = {index: plan.unconfirmed.get(index, since) for index in tests}
        return plan

    def room(self) -> dict[str, Any]:
        """Return what the student's kernel must be started with."""
        bank = Path(plaincourse.__file__).parent / "bank"
        return {"hidden": () if self.needs_bank else (bank,)}


def _together(cell: NotebookNode) -> tuple[str, bool]:
    """Return why a test cell must run in the student's process, and whether it needs the bank."""
    said = cell.metadata.get("plaincourse", {})
    why = str(said.get("one_process", "")) if isinstance(said, dict) else ""
    ids = checked(cell.source)
    for id in ids:
        try:
            task = load(id)
        except LookupError:
            continue
        if isinstance(task, Exercise) and task.one_process:
            return task.one_process, True
    return why, bool(why and ids)
