"""Put back graded and locked cells that a submission lacks.

Stock nbgrader leaves the score of a deleted test cell undefined, neither 0 nor what the answer
earns. Its own ``add_missing_cells`` changes the text of what it adds, and fails where the cell
above is missing too.
"""

import re
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader import utils
from nbgrader.api import Gradebook, Notebook, SourceCell
from nbgrader.preprocessors import NbGraderPreprocessor

NOTE = "The cell `{name}` was missing from the submission. It was put back for grading."


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Add missing cells where they were: below the answer that they test.

    Answers themselves are not put back: a stub below what a student moved to another cell would
    undo it. Where the answer's own cell is gone too, the test goes as far down as it may.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with every graded or locked cell of its source."""
        of = resources["nbgrader"]
        with Gradebook(of["db_url"]) as gradebook:
            source = gradebook.find_notebook(of["notebook"], of["assignment"])
            cells = list(source.source_cells)
            points = {cell.name: cell.max_score for cell in source.grade_cells}
            for number, cell in enumerate(cells):
                if (cell.name in points or cell.locked) and _place(nb, cell.name) is None:
                    self.log.warning(
                        "Cell '%s' was missing from the submission; restored", cell.name
                    )
                    names = [other.name for other in cells]
                    at = _where(nb, names, number)
                    nb.cells[at:at] = [_note(nb, cell), _cell(nb, source, cell, points)]
        return nb, resources


def _place(nb: NotebookNode, name: str) -> int | None:
    """Return the index of the cell with a grade id."""
    for index, cell in enumerate(nb.cells):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == name:
            return index
    return None


def _where(nb: NotebookNode, names: list[str], number: int) -> int:
    """Return the index below the cell above it, else above the next that is there, else the end."""
    above = _place(nb, names[number - 1]) if number else None
    if above is not None:
        return above + 1
    below = (_place(nb, name) for name in names[number + 1 :])
    return next((index for index in below if index is not None), len(nb.cells))


def _note(nb: NotebookNode, cell: SourceCell) -> NotebookNode:
    return _with_id(nb, new_markdown_cell(NOTE.format(name=cell.name)), f"missing-{cell.name}")


def _cell(
    nb: NotebookNode, source: Notebook, cell: SourceCell, points: dict[str, float]
) -> NotebookNode:
    code = cell.cell_type == "code"
    made = new_code_cell(cell.source) if code else new_markdown_cell(cell.source)
    made.metadata["nbgrader"] = {
        "schema_version": 3,
        "grade_id": cell.name,
        "cell_type": cell.cell_type,
        "grade": cell.name in points,
        "solution": cell.name in {other.name for other in source.solution_cells},
        "locked": cell.locked,
        "task": False,
        "checksum": cell.checksum,
    }
    if cell.name in points:
        made.metadata.nbgrader["points"] = points[cell.name]
    if utils.compute_checksum(made) != cell.checksum:
        raise RuntimeError(f"cell {cell.name!r} in the gradebook does not have its own checksum")
    return _with_id(nb, made, f"restored-{cell.name}")


def _with_id(nb: NotebookNode, cell: NotebookNode, name: str) -> NotebookNode:
    """Give a cell an id made of its name, where the notebook's format has ids."""
    cell.pop("id", None)
    if (nb.nbformat, nb.nbformat_minor) >= (4, 5):
        cell["id"] = re.sub(r"[^\w-]", "-", name)[:64]
    return cell
