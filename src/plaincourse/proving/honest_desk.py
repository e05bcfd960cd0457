"""Build the unusual submissions of honest students from a notebook with right answers."""

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plaincourse.proving.submissions import Class, grade_id

#: A notebook's JSON.
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Odd:
    """The content of an honest student's folder, and the expected result.

    Attributes:
        name: the student's id; no blanks.
        files: content by path in the folder; a folder's content is ``None``.
        links: targets of symbolic links, by path in the folder.
        scores: points by grade id; ``None`` if a person must grade the cell.
        tells: a part of each note that must appear; no notes if empty.
        flags: cell and kind of each flag.
    """

    name: str
    files: dict[str, bytes | None]
    links: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float | None]
    tells: tuple[str, ...] = ()
    flags: frozenset[tuple[str, str]] = frozenset()

    def write(self, folder: Path) -> None:
        """Write it into an empty folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.mkdir()
            else:
                path.write_bytes(content)
        for name, target in self.links.items():
            (folder / name).symlink_to(target)


class Desk:
    """A notebook with right answers, from which the cases are made, and its tests by answer.

    Args:
        students: the class of an assignment.
        name: the notebook's name.
    """

    def __init__(self, students: Class, name: str) -> None:
        self.students, self.name = students, name
        self.right: Json = json.loads(json.dumps(students.hand_in("right", {}, {}).notebook))
        self.release: Json = json.loads(json.dumps(students.release))
        #: Grade ids of the answers in words.
        self.essays = [
            grade_id(cell)
            for cell in students.release.cells
            if cell.metadata.get("nbgrader", {}).get("grade") and cell.metadata.nbgrader["solution"]
        ]
        #: Grade ids of the tests, in order, and of the answers that they test.
        self.tests = [each.cell for each in students.graded]
        self.answers = [f"{test}-answer" for test in self.tests]
        self.full: dict[str, float | None] = {**students.full, **dict.fromkeys(self.essays)}

    def notebook(self) -> Json:
        """Return a fresh copy of the notebook with right answers."""
        return copy.deepcopy(self.right)

    def make(self, name: str, notebook: Json | bytes, **more: Any) -> Odd:
        """Return a submission of a notebook under its own name; by default it gets full points."""
        raw = notebook if isinstance(notebook, bytes) else dumped(notebook)
        made = {"files": {f"{self.name}.ipynb": raw}, "scores": dict(self.full), **more}
        return Odd(name=name, **made)


def dumped(notebook: Json) -> bytes:
    """Return a notebook's bytes as editors write them."""
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def place(notebook: Json, name: str) -> int:
    """Return the index of the cell with a grade id.

    Raises:
        LookupError: there is no such cell.
    """
    for index, cell in enumerate(notebook["cells"]):
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name:
            return index
    raise LookupError(f"the notebook has no cell {name!r}")


def own(source: str, kind: str = "code") -> Json:
    """Return a cell of the student's own."""
    cell: Json = {"cell_type": kind, "metadata": {}, "source": source}
    return {**cell, "outputs": [], "execution_count": None} if kind == "code" else cell
