"""The parts of a graded notebook that are the course's: title, headings and unchanged cells.

The feedback page takes the course's text from here. Otherwise a heading that a student adds could
appear in the page's own table, and a cell of theirs could look like one of the course's.
"""

import json
import re
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.assignment import Original
from plaincourse.grading.mend import KEY
from plaincourse.grading.text import bare, headings

#: The key of a cell's metadata that marks its text as the course's.
COURSE = "course"


def mark(notebook: NotebookNode, original: Original) -> None:
    """Mark the course's parts in a graded notebook's metadata.

    Args:
        notebook: the graded notebook; changed in place.
        original: the assignment's notebook. If the instructor's version is missing, nothing is
            written.
    """
    if not original.text:
        return
    cells = json.loads(original.text)["cells"]
    texts = {bare("".join(cell["source"])) for cell in cells if not _role(cell).get("solution")}
    for cell in notebook.cells:
        role = cell.metadata.get("nbgrader", {})
        own = bool(role.get("solution")) or (not role and bare(cell.source) not in texts)
        if not own:
            cell.metadata[KEY] = {**cell.metadata.get(KEY, {}), COURSE: True}
    known = notebook.metadata.setdefault(KEY, NotebookNode())
    known["title"], known["titles"] = _titles(cells)


def _titles(cells: list[dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """Return the title of the instructor's notebook, and the heading above each graded cell."""
    title, heading, found = "", "", {}
    for cell in cells:
        text, role = "".join(cell["source"]), _role(cell)
        if cell["cell_type"] == "markdown" and not role.get("solution"):
            first = re.match(r"\s*# +(.+)", text)
            title = title or (first[1].strip() if first else "")
            heading = [heading, *headings(text)][-1]
        if role.get("grade") or role.get("task"):
            found[str(role["grade_id"])] = heading or str(role["grade_id"])
    return title, found


def _role(cell: dict[str, Any]) -> dict[str, Any]:
    role: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return role
