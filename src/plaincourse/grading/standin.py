"""A gradebook for one submission, in memory, with which nbgrader's own steps work unchanged.

Workers have no database. A step that would open it gets this instead (see ``rebound``). What the
steps leave here, the coordinator writes to the real one.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

from nbgrader.api import MissingEntry

from plaincourse.grading.jobs import Job
from plaincourse.grading.marks import Mark, Remark, Sheet
from plaincourse.grading.snapshot import Original, Snapshot
from plaincourse.grading.source import SourceCell

_OPEN: dict[str, "Book"] = {}


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Any = TypeVar("_Any", bound=_Named)


@dataclass(kw_only=True)
class Book:
    """The gradebook of one submission: those methods of ``Gradebook`` that grading steps call.

    Args:
        job: the submission.
        snapshot: its assignment.
    """

    job: Job
    snapshot: Snapshot
    sheets: dict[str, Sheet] = field(init=False)
    db: Any = field(init=False)

    def __post_init__(self) -> None:
        known = self.job.known
        _OPEN[self.address] = self
        self.db = SimpleNamespace(commit=lambda: None, rollback=lambda: None)
        self.sheets = {}
        for name, original in self.snapshot.notebooks.items():
            cells = original.source.cells
            grades = [
                Mark(
                    name=each.name,
                    max_score=original.worth[each.name],
                    cell_type=each.cell_type,
                    manual_score=known.manual.get((name, each.name)),
                    extra_credit=known.extra.get((name, each.name)),
                )
                for each in cells
                if each.name in original.worth
            ]
            comments = [Remark(name=each.name) for each in cells if each.solution or each.task]
            worth = sum(original.worth.values())
            self.sheets[name] = Sheet(name=name, grades=grades, comments=comments, max_score=worth)

    def __enter__(self) -> "Book":
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing: steps open and close the gradebook many times, and it stays open."""

    @property
    def address(self) -> str:
        """What stands in for the database's address."""
        return f"snapshot:{self.job.assignment}:{self.job.student}"

    def close(self) -> None:
        """Forget the submission."""
        _OPEN.pop(self.address, None)

    def find_notebook(self, name: str, assignment: str) -> Any:
        """Return a source notebook, with its cells as attributes."""
        original = self._original(name)
        cells = original.source.cells
        worth = {cell: _cell(cell, points) for cell, points in original.worth.items()}
        return SimpleNamespace(
            name=name,
            kernelspec=json.dumps(dict(original.source.kernelspec)),
            source_cells=list(cells),
            grade_cells=[worth[each.name] for each in cells if each.grade],
            task_cells=[worth[each.name] for each in cells if each.task],
            solution_cells=[_cell(each, None) for each in original.answers],
            max_score=sum(original.worth.values()),
        )

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> SourceCell:
        """Return a cell of the release."""
        return _named(name, self._original(notebook).source.cells)

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> Any:
        """Return what a cell or a task is worth."""
        worth = self._original(notebook).worth
        return _named(name, [_cell(cell, points) for cell, points in worth.items()])

    def find_grade(self, name: str, notebook: str, assignment: str, student: str) -> Mark:
        """Return the grade of a cell."""
        return _named(name, self.find_submission_notebook(notebook, assignment, student).grades)

    def find_comment(self, name: str, notebook: str, assignment: str, student: str) -> Remark:
        """Return the comment on an answer."""
        return _named(name, self.find_submission_notebook(notebook, assignment, student).comments)

    def find_submission_notebook(self, notebook: str, assignment: str, student: str) -> Sheet:
        """Return the submission's grades for a notebook."""
        self._original(notebook)
        return self.sheets[notebook]

    def find_submission(self, assignment: str, student: str) -> Any:
        """Return the submission, with how late it is."""
        late, known, due = 0.0, self.job.known, self.snapshot.duedate
        if known.timestamp is not None and due is not None:
            due += known.extension or type(known.timestamp - due)()
            late = max(0.0, (known.timestamp - due).total_seconds())
        return SimpleNamespace(
            total_seconds_late=late, timestamp=known.timestamp, notebooks=list(self.sheets.values())
        )

    def _original(self, notebook: str) -> Original:
        if notebook not in self.snapshot.notebooks:
            raise MissingEntry(f"No such notebook: {self.snapshot.assignment}/{notebook}")
        return self.snapshot.notebooks[notebook]


def _cell(name: str, points: float | None) -> Any:
    return SimpleNamespace(name=name, max_score=points)


def opened(address: str, course_id: str = "") -> Book:
    """Return the open book at an address, as ``Gradebook(address)`` would."""
    return _OPEN[address]


def _named(name: str, among: Iterable[_Any]) -> _Any:
    for each in among:
        if each.name == name:
            return each
    raise MissingEntry(f"No such entry: {name}")
