"""Cells as any editor and any age of the format wrote them, made into cells of today.

Kept are the type, the text, pictures pasted into text, the id, nbgrader's data, and such outputs
as are well formed. What editors add (Colab's ``outputId``, the ``vscode`` section, tags that would
switch a cell off) is dropped.
"""

import re
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.shown import outputs_of

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


def cells_of(data: Any) -> list[NotebookNode] | None:
    """Return the cells of a notebook's JSON; ``None`` if it has none to have."""
    if not isinstance(data, dict):
        return None
    found = data.get("cells")
    if not isinstance(found, list):
        sheets = data.get("worksheets")
        if not isinstance(sheets, list):
            return None
        found = [
            cell
            for sheet in sheets
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
    return unique([_cell(cell) for cell in found if isinstance(cell, dict)])


def unique(cells: list[NotebookNode]) -> list[NotebookNode]:
    """Give each cell an id that no other has; those that are in order stay."""
    taken: set[str] = set()
    for number, cell in enumerate(cells):
        name = cell.get("id")
        if not isinstance(name, str) or not _ID.fullmatch(name) or name in taken:
            name, more = f"cell-{number}", 0
            while name in taken:
                more += 1
                name = f"cell-{number}-{more}"
        taken.add(name)
        cell["id"] = name
    return cells


def cast(cell: NotebookNode, kind: str) -> None:
    """Make a cell one of code, or of text."""
    cell["cell_type"] = kind
    if kind == "code":
        cell.pop("attachments", None)
        cell["outputs"], cell["execution_count"] = [], None
    else:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def _cell(data: dict[str, Any]) -> NotebookNode:
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind = data.get("cell_type")
    text = _text(data.get("source", data.get("input")))
    if kind == "heading":
        level = data.get("level")
        text = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {text}"
    if kind not in ("code", "markdown", "raw"):
        kind = "code" if "outputs" in data else "markdown"
    cell = NotebookNode(cell_type=kind, source=text, metadata=NotebookNode())
    # Colab keeps the id that it was given among the metadata.
    cell["id"] = data.get("id", metadata.get("id"))
    pictures = data.get("attachments")
    if kind != "code" and isinstance(pictures, dict) and pictures:
        cell["attachments"] = {
            str(name): {str(mime): content for mime, content in each.items()}
            for name, each in pictures.items()
            if isinstance(each, dict)
        }
    cast(cell, kind)
    if kind == "code":
        cell["outputs"] = outputs_of(data.get("outputs"))
    known = metadata.get("nbgrader")
    if isinstance(known, dict) and known:
        cell.metadata["nbgrader"] = dict(known)
    return cell


def _text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    # A lone surrogate can be written in JSON, but not to a file.
    text: str = source.encode("utf-8", errors="replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")
