"""The cell at the top of a graded notebook that lists the repairs made before grading."""

from collections.abc import Mapping, Sequence
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

_ID, _TITLE = "mended", "**What was mended before grading**"


def notes_cell(notes: Sequence[str]) -> NotebookNode:
    """Return the cell with some sentences."""
    said = f"{_TITLE}\n\n" + "\n".join(f"- {each}" for each in notes)
    cell: NotebookNode = new_markdown_cell(said, id=_ID)
    return cell


def is_notes(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell of a graded notebook is the list of repairs."""
    return cell.get("id") == _ID and "".join(cell["source"]).startswith(_TITLE)


def add_note(notebook: NotebookNode, note: str) -> None:
    """Add a sentence to the list of a graded notebook, which gets one if it has none."""
    if any(map(is_notes, notebook.cells[:1])):
        notebook.cells[0]["source"] += f"\n- {note}"
    else:
        notebook.cells.insert(0, notes_cell([note]))
