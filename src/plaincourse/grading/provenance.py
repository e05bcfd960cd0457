"""What of a graded notebook is the course's: its title, its headings, and cells nobody changed.

The feedback page takes the course's words from here. Else a heading that a student adds could
stand in the page's own table, and a cell of theirs could look like one of the course's.
"""

import json
import re
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.assignment import Original
from plaincourse.grading.mend import KEY
from plaincourse.grading.text import bare, headings

#: Where the metadata of a cell says that its text is the course's.
COURSE = "course"


def mark(notebook: NotebookNode, original: Original) -> None:
    """Write into a graded notebook's metadata what is the course's.

    Args:
        notebook: the graded notebook; changed in place.
        original: the assignment's notebook. Where the instructor's version is missing, nothing is
            known, and nothing is written.
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
    """Return the title of the instructor's notebook, and of each graded cell the heading above."""
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
