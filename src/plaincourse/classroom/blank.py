"""Find the answers that were handed in as they were handed out."""

import json
from pathlib import Path

from nbformat import NotebookNode, from_dict
from nbgrader.utils import compute_checksum

from plaincourse.classroom.model import Key


def untouched(folder: Path) -> set[Key]:
    """List the graded items of a submission whose answer cells nobody changed.

    nbgrader keeps the checksum of each released cell in its metadata. The answer to a graded cell
    stands in the solution cells above it, or is that cell itself.

    Args:
        folder: the graded submission, with its notebooks.
    """
    found: set[Key] = set()
    for path in sorted(folder.glob("*.ipynb")):
        try:
            names = _blank(json.loads(path.read_text(encoding="utf-8"))["cells"])
        except (ValueError, OSError, KeyError, TypeError, AttributeError):
            continue  # Its record says what is wrong with it. Here it is not known to be blank.
        found |= {(path.stem, name) for name in names}
    return found


def _blank(cells: list[dict[str, object]]) -> set[str]:
    names: set[str] = set()
    above: list[bool] = []
    for cell in map(from_dict, cells):
        meta = cell.get("metadata", {}).get("nbgrader", {})
        if meta.get("solution"):
            above.append(_same(cell, meta))
        if meta.get("grade"):
            if above and all(above):
                names.add(meta.get("grade_id", ""))
            above = []
    return names


def _same(cell: NotebookNode, meta: NotebookNode) -> bool:
    if isinstance(cell.get("source"), list):
        cell["source"] = "".join(cell["source"])
    return bool(meta.get("checksum") == compute_checksum(cell))
