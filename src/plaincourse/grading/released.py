"""Whether a cell is as the course released it, also if the course has changed it since.

In a release, the metadata of each cell holds nbgrader's checksum of its text, role and points. A
cell that still fits its own checksum was not changed by its student, whatever the course's present
text.
"""

from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum


def is_as_released(cell: NotebookNode, meta: Mapping[str, Any]) -> bool:
    """Return whether a cell fits the checksum that it was released with.

    Editors' changes to line ends, and to white space at the end, are ignored.

    Args:
        cell: as submitted.
        meta: nbgrader's part of its metadata, as submitted.
    """
    said = meta.get("checksum")
    if not isinstance(said, str) or not isinstance(meta.get("grade_id"), str):
        return False
    text = cell["source"].replace("\r\n", "\n").replace("\r", "\n")
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    texts = {cell["source"], text, lines, lines.rstrip("\n"), f"{lines.rstrip()}\n"}
    return any(_checksum(cell["cell_type"], each, meta) == said for each in texts)


def _checksum(kind: str, text: str, meta: Mapping[str, Any]) -> str:
    role = NotebookNode({"schema_version": 3, **meta})
    made = NotebookNode(cell_type=kind, source=text, metadata=NotebookNode(nbgrader=role))
    try:
        return str(compute_checksum(made))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return ""  # a role or points that no course releases
