"""What an assignment's own cells are, as the gradebook keeps them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.utils import compute_checksum, is_grade, is_locked, is_solution, is_task

from plaincourse.notebooks.identity import identity

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def bare(text: str) -> str:
    """Return a text without white space: what two texts are compared by."""
    return "".join(text.split())


@dataclass(frozen=True, kw_only=True)
class SourceCell:
    """A cell that nbgrader knows.

    Attributes:
        name: its grade id.
        cell_type: ``"code"`` or ``"markdown"``.
        source: its text, with the hidden tests, without the solution.
        checksum: nbgrader's checksum of it.
        grade: whether points hang on it.
        solution: whether the student writes in it.
        locked: whether its text is the course's.
        task: whether it is nbgrader's kind of task that is graded by hand.
        points: what it is worth; ``None`` where no points hang on it.
    """

    name: str
    cell_type: str
    source: str
    checksum: str
    grade: bool
    solution: bool
    locked: bool
    task: bool = False
    points: float | None = None

    @cached_property
    def visible(self) -> str:
        """Its text as the student was given it: without hidden tests."""
        kept, hidden = [], False
        for line in self.source.split("\n"):
            if "BEGIN HIDDEN TESTS" in line:
                hidden = True
            elif "END HIDDEN TESTS" in line:
                hidden = False
            elif not hidden:
                kept.append(line)
        return "\n".join(kept)

    @cached_property
    def known(self) -> frozenset[str]:
        """Both its texts without white space."""
        return frozenset({bare(self.visible), bare(self.source)})

    @cached_property
    def id(self) -> str:
        """The id of the cell in the notebook that was released, if the course generated it."""
        meta = dict(self.metadata)
        if self.points is not None and float(self.points).is_integer():
            meta["points"] = int(self.points)
        lock = {"deletable": False} if self.solution else {"deletable": False, "editable": False}
        cell = NotebookNode(
            cell_type=self.cell_type,
            source=self.visible,
            metadata=NotebookNode({**lock, "nbgrader": NotebookNode(meta)}),
        )
        cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
        return identity(cell)

    @property
    def metadata(self) -> dict[str, Any]:
        """What nbgrader needs to know, with the schema of today."""
        meta = {
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            "grade": self.grade,
            "grade_id": self.name,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
        }
        return meta if self.points is None else {**meta, "points": self.points}

    def node(self) -> NotebookNode:
        """Return it as a cell of a notebook, hidden tests and all."""
        meta = {"nbgrader": self.metadata}
        if self.cell_type == "code":
            return new_code_cell(self.source, metadata=meta)  # type: ignore[no-any-return]
        return new_markdown_cell(self.source, metadata=meta)  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A notebook of an assignment: its name, its cells in order, its kernel."""

    notebook: str
    cells: tuple[SourceCell, ...]
    kernelspec: Mapping[str, str] = field(default_factory=lambda: dict(_KERNEL))

    @cached_property
    def by_name(self) -> dict[str, SourceCell]:
        """The cells by grade id."""
        return {cell.name: cell for cell in self.cells}


def from_gradebook(notebook: Any) -> Source:
    """Read the cells of a notebook from nbgrader's gradebook.

    Args:
        notebook: what ``Gradebook.find_notebook`` returns.
    """
    graded = {cell.name: cell.max_score for cell in notebook.grade_cells}
    tasks = {cell.name: cell.max_score for cell in notebook.task_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    cells = tuple(
        SourceCell(
            name=cell.name,
            cell_type=cell.cell_type,
            source=cell.source or "",
            checksum=cell.checksum or "",
            grade=cell.name in graded,
            solution=cell.name in solutions,
            locked=bool(cell.locked),
            task=cell.name in tasks,
            points=graded.get(cell.name, tasks.get(cell.name)),
        )
        for cell in notebook.source_cells
    )
    kernel = json.loads(notebook.kernelspec) if notebook.kernelspec else {}
    return Source(notebook=notebook.name, cells=cells, kernelspec=kernel or dict(_KERNEL))


def from_notebooks(name: str, *, solution: NotebookNode, release: NotebookNode) -> Source:
    """Read the same from the notebooks: locked text from the solution, the rest as released."""
    full = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in solution.cells}
    cells = []
    for given in release.cells:
        meta = given.metadata.get("nbgrader", {})
        if not (is_grade(given) or is_solution(given) or is_locked(given) or is_task(given)):
            continue
        cell = full[meta["grade_id"]] if is_locked(given) else given
        cells.append(
            SourceCell(
                name=meta["grade_id"],
                cell_type=given.cell_type,
                source=cell.source,
                checksum=compute_checksum(cell),
                grade=is_grade(given),
                solution=is_solution(given),
                locked=is_locked(given),
                task=is_task(given),
                points=float(meta["points"]) if "points" in meta else None,
            )
        )
    kernel = release.metadata.get("kernelspec") or _KERNEL
    return Source(notebook=name, cells=tuple(cells), kernelspec=dict(kernel))
