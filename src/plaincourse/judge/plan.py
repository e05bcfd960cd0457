"""The process in which each cell of a submission runs, and the record of its results."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader import utils

from plaincourse.checking.cells import checked
from plaincourse.exercise import bank, course
from plaincourse.judge.outputs import Judged

_BANK = course.folder()

_OUT_OF_TIME = (
    "It was not run: the cells above it used up the {} seconds that a notebook may take. What ran "
    "before counts."
)

#: Number of characters that are quoted from a cell's first line.
_QUOTED = 60


def is_test(cell: NotebookNode) -> bool:
    """Return whether a cell is graded and locked, and is not an answer."""
    code = cell.cell_type == "code"
    return bool(
        code and utils.is_grade(cell) and utils.is_locked(cell) and not utils.is_solution(cell)
    )


def is_students(cell: NotebookNode) -> bool:
    """Return whether a cell is code that is not a test."""
    return bool(cell.cell_type == "code" and cell.source.strip() and not is_test(cell))


def seconds_declared(cell: NotebookNode) -> int:
    """Return the seconds that the instructor's notebook gives a cell; 0 if it states none."""
    said = cell.metadata.get("plaincourse", {})
    return int(said.get("seconds") or 0) if isinstance(said, dict) else 0


def name_of(cell: NotebookNode, index: int) -> str:
    """Return a cell's name in nbgrader, or its position."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell {index + 1}")


def declare(notebook: NotebookNode, source: Path) -> None:
    """Set from the instructor's notebook, not the submission, which tests need one process.

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


def place_of(cell: NotebookNode, index: int) -> str:
    """Return a cell's number in the graded notebook, and its first line."""
    lines = ("".join(c for c in line if c.isprintable()) for line in cell.source.splitlines())
    first = next((line.strip() for line in lines if line.strip()), "")[:_QUOTED].replace("`", "'")
    return f"cell {index + 1} of the graded notebook, which begins with `{first}`"


@dataclass
class Plan:
    """The process in which each cell of a submission runs.

    Attributes:
        judged: the test cells that run in the judge, by index.
        unconfirmed: by index, the reason why a pass of a test cell could be faked. Empty if no pass
            can be confirmed, which is reported once for all.
        needs_bank: whether tests in the student's process need the course's tasks.
        numbers: by index, the number of the code cell, from 1.
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
            split: whether test cells run in the judge, if possible.
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
        if split and plan.needs_bank:  # every cell could look up the answers
            tests = (i for i in plan.numbers if is_test(notebook.cells[i]))
            plan.unconfirmed = {index: plan.unconfirmed.get(index, since) for index in tests}
        return plan

    def room(self, tests: Path | None) -> dict[str, Any]:
        """Return the arguments with which the student's kernel must be started.

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
    """Return why an exercise needs one process; only one that states it is imported, with torch."""
    number, _, slug = id.partition(".")
    files = (_BANK / f"ch{number}" / f"{name}.py" for name in bank.file_names(slug))
    if not any(each.is_file() and "one_process=" in each.read_text("utf-8") for each in files):
        return ""
    return str(getattr(bank.load(id), "one_process", ""))


@dataclass
class Record:
    """The results of a submission other than its outputs.

    Attributes:
        cells: by the cell's name: ``seconds``; for a test cell also ``confirmed``, ``matched``,
            ``rungs`` (name, earned, points), ``facts`` and ``reports``, one for each check.
        flags: items for a person to examine: ``cell``, ``kind``, ``why``.
        memory: the largest memory of a kernel of the submission, in bytes, including its modules; 0
            if it was not measured.
    """

    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    flags: list[dict[str, str]] = field(default_factory=list)
    memory: int = 0

    def flag(self, cell: str, kind: str, why: str) -> None:
        """Flag a cell."""
        self.flags.append({"cell": cell, "kind": kind, "why": why})

    def left_out(self, cell: NotebookNode, index: int, allowed: int) -> str:
        """Flag a cell for which no time was left, and the notebook once; return the reason."""
        why = _OUT_OF_TIME.format(allowed)
        if not any(flag["kind"] == "slow" and not flag["cell"] for flag in self.flags):
            self.flag("", "slow", why)
        if is_test(cell):
            self.flag(name_of(cell, index), "out of time", why)
        return why

    def ran(self, cell: NotebookNode, index: int, seconds: float, plan: Plan) -> None:
        """Record a cell that ran in the student's kernel."""
        name = name_of(cell, index)
        self.cells[name] = {"seconds": round(seconds, 4)}
        if is_test(cell):
            last: dict[str, Any] = {"matched": None, "rungs": [], "reports": []}
            self.cells[name] |= {**last, "confirmed": False}
            self._unconfirmed(cell, index, plan)

    def judged(self, cell: NotebookNode, index: int, judged: Judged, plan: Plan) -> None:
        """Record a test cell that ran in the judge."""
        last = judged.reports[-1] if judged.reports else {"matched": None, "rungs": []}
        self.cells[name_of(cell, index)] = {
            "seconds": round(judged.seconds, 4),
            "matched": last["matched"],
            "rungs": last["rungs"],
            "facts": last.get("facts", {}),
            "reports": judged.reports,
            "confirmed": index not in plan.unconfirmed,
        }
        self.flags += judged.flags
        self._unconfirmed(cell, index, plan)

    def as_data(self) -> dict[str, Any]:
        """Return it for JSON."""
        memory = round(self.memory / 1e6, 1)
        return {"cells": self.cells, "flags": self.flags, "memory_mb": memory}

    def _unconfirmed(self, cell: NotebookNode, index: int, plan: Plan) -> None:
        if index in plan.unconfirmed and _earned(cell):
            self.flag(name_of(cell, index), "unconfirmed", plan.unconfirmed[index])


def _earned(cell: NotebookNode) -> bool:
    """Return whether a test cell earns points, as nbgrader reads it."""
    try:
        earned, _ = utils.determine_grade(cell)
    except ValueError:
        return False
    return bool(earned)
