"""What is told of a submission besides its outputs."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbgrader import utils

from plaincourse.judge.judged import Judged
from plaincourse.judge.plan import Plan, is_test, name_of


@dataclass
class Record:
    """What is told of a submission besides its outputs.

    Attributes:
        cells: by the cell's name: ``seconds``; for a test cell also ``confirmed``, ``matched``,
            ``rungs`` (name, earned, points), ``facts`` and ``reports``, one for each check.
        flags: what a person should look at: ``cell``, ``kind``, ``why``.
        memory: the most memory that a kernel of the submission held, in bytes, the modules in it
            included; 0 where nobody looked.
    """

    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    flags: list[dict[str, str]] = field(default_factory=list)
    memory: int = 0

    def flag(self, cell: str, kind: str, why: str) -> None:
        """Flag a cell."""
        self.flags.append({"cell": cell, "kind": kind, "why": why})

    def ran(self, cell: NotebookNode, index: int, seconds: float, plan: Plan) -> None:
        """Note a cell that ran in the student's kernel."""
        name = name_of(cell, index)
        self.cells[name] = {"seconds": round(seconds, 4)}
        if is_test(cell):
            last: dict[str, Any] = {"matched": None, "rungs": [], "reports": []}
            self.cells[name] |= {**last, "confirmed": False}
            self._unconfirmed(cell, index, plan)

    def judged(self, cell: NotebookNode, index: int, judged: Judged, plan: Plan) -> None:
        """Note a test cell that ran in the judge."""
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
    """Say whether a test cell earns points, as nbgrader reads it."""
    try:
        earned, _ = utils.determine_grade(cell)
    except ValueError:
        return False
    return bool(earned)
