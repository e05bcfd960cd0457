"""What grading must know of an assignment, read from the gradebook once, as plain data."""

import datetime
import functools
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading import handed
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.source import Source, bare, from_gradebook


@dataclass(frozen=True, kw_only=True)
class Original:
    """A notebook of an assignment.

    Attributes:
        source: its graded, locked and answer cells as the gradebook keeps them.
        path: where the instructor's notebook lies, on the machine that has the course.
        text: it, as JSON text; empty where it is not in the course.
    """

    source: Source
    path: Path
    text: str

    @functools.cached_property
    def worth(self) -> dict[str, float]:
        """What each cell is worth that is worth points, by name."""
        cells = self.source.cells
        return {cell.name: float(cell.points) for cell in cells if cell.points is not None}

    @functools.cached_property
    def answers(self) -> tuple[str, ...]:
        """Names of the cells in which students answer."""
        return tuple(cell.name for cell in self.source.cells if cell.solution)


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """An assignment.

    Attributes:
        assignment: its name.
        duedate: in UTC, or None.
        notebooks: by name.
        files: what lies beside the instructor's notebooks and overwrites what students hand in.
    """

    assignment: str
    duedate: datetime.datetime | None
    notebooks: dict[str, Original]
    files: dict[str, bytes]

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        told = {
            name: [asdict(each.source), each.text] for name, each in sorted(self.notebooks.items())
        }
        whole = hashlib.sha256(json.dumps([self.assignment, str(self.duedate), told]).encode())
        for name, content in sorted(self.files.items()):
            whole.update(f"\0{name}\0{len(content)}\0".encode() + content)
        return whole.hexdigest()


def take(place: CourseDirectory, *, keep: list[str] | None = None) -> Snapshot:
    """Read an assignment from the gradebook and the source folder.

    Args:
        place: nbgrader's course directory, with its ``assignment_id``.
        keep: names of files that students may hand in in place of the instructor's.

    Raises:
        CourseError: the gradebook does not know the assignment, or knows an older one.
    """
    name = place.assignment_id
    folder = Path(place.format_path(place.source_directory, ".", name)).resolve()
    with Gradebook(place.db_url, place.course_id) as book:
        try:
            found = book.find_assignment(name)
        except MissingEntry:
            known = ", ".join(sorted(each.name for each in book.assignments)) or "none"
            raise CourseError(
                f"the gradebook knows no assignment {name!r} (it knows: {known}). "
                f"Run: nbgrader generate_assignment {name}"
            ) from None
        notebooks = {each.name: _original(each, folder) for each in found.notebooks}
        duedate = found.duedate
    if not notebooks:
        raise CourseError(f"assignment {name!r} has no notebook in the gradebook")
    for each in notebooks.values():
        if what := older(each):
            raise CourseError(
                f"{what}. Tell the gradebook: nbgrader generate_assignment {name} --force"
            )
    files = {}
    if folder.is_dir():
        for other, path in handed.look(folder, ignore=[*place.ignore, "*.ipynb"]).files.items():
            if other not in (keep or []):
                files[other] = handed.read(path)
    return Snapshot(assignment=name, duedate=duedate, notebooks=notebooks, files=files)


def _original(found: Any, folder: Path) -> Original:
    path = folder / f"{found.name}.ipynb"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return Original(source=from_gradebook(found), path=path, text=text)


def older(original: Original) -> str:
    """Say what the gradebook has otherwise than the instructor's notebook; empty where nothing."""
    cells = json.loads(original.text)["cells"] if original.text else []
    for cell in cells:
        meta = cell["metadata"].get("nbgrader", {})
        name, points = meta.get("grade_id"), meta.get("points")
        known = original.source.by_name.get(name)
        text = "".join(cell["source"])
        if known is None or not (meta.get("grade") or meta.get("locked")):
            continue
        if points is not None and known.points is not None and float(points) != known.points:
            return (
                f"`{name}` is worth {points:g} points in {original.path.name}, and "
                f"{known.points:g} in the gradebook"
            )
        if known.locked and bare(text) != bare(known.source):
            return f"the tests in `{name}` of {original.path.name} are not those of the gradebook"
    return ""
