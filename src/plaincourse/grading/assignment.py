"""The data on an assignment that grading needs, read once from the gradebook."""

import datetime
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum, is_grade, is_locked, is_solution, is_task

from plaincourse.grading.files import list_files, read_file
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.opening import opened
from plaincourse.grading.text import bare, grade_id, headings, is_known
from plaincourse.grading.unreleased import older
from plaincourse.notebooks.page import identity

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@dataclass(frozen=True, kw_only=True)
class SourceCell:
    """A cell that nbgrader knows.

    Attributes:
        name: its grade id.
        cell_type: ``"code"`` or ``"markdown"``.
        source: its text, with the hidden tests, without the solution.
        checksum: nbgrader's checksum of it.
        grade: whether it carries points.
        solution: whether the student writes in it.
        locked: whether its text is the course's.
        task: whether it is nbgrader's kind of task that is graded by hand.
        points: its maximal score; ``None`` if it carries no points.
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
        """Its text as released to the student: without hidden tests."""
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
        return identity(self._released)

    @property
    def released_checksum(self) -> str:
        """The checksum that nbgrader has written into the cell that was released."""
        return str(self._released.metadata.nbgrader["checksum"])

    @cached_property
    def _released(self) -> NotebookNode:
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
        return cell

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata for nbgrader, in its present schema."""
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
        """Return it as a cell of a notebook, including hidden tests."""
        meta = {"nbgrader": self.metadata}
        if self.cell_type == "code":
            return new_code_cell(self.source, metadata=meta)  # type: ignore[no-any-return]
        return new_markdown_cell(self.source, metadata=meta)  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A notebook of an assignment.

    Attributes:
        notebook: its name.
        cells: those that nbgrader knows, in order.
        given: the texts of the others as they are handed out: questions, imports. Empty if the
            instructor's notebook is missing.
        kernelspec: its kernel.
    """

    notebook: str
    cells: tuple[SourceCell, ...]
    given: tuple[str, ...] = ()
    kernelspec: Mapping[str, str] = field(default_factory=lambda: dict(_KERNEL))

    @cached_property
    def by_name(self) -> dict[str, SourceCell]:
        """The cells by grade id."""
        return {cell.name: cell for cell in self.cells}

    @cached_property
    def given_texts(self) -> frozenset[str]:
        """The texts of the other cells without white space."""
        return frozenset(map(bare, self.given))

    @cached_property
    def given_lines(self) -> frozenset[str]:
        """All lines of the notebook as it was handed out."""
        texts = (*self.given, *(cell.visible for cell in self.cells))
        return frozenset(line.strip() for text in texts for line in text.split("\n"))

    @cached_property
    def given_prose(self) -> frozenset[str]:
        """Those lines of the other cells that are in no cell of code that nbgrader knows."""
        code = {line.strip() for cell in self.cells for line in cell.visible.split("\n")}
        return self.given_lines - code - {""}

    @cached_property
    def title(self) -> str:
        """Its first heading; empty if it has none."""
        return next(filter(None, map(heading, self.given)), "")

    def answer_of(self, test: SourceCell) -> SourceCell | None:
        """Return the answer in code that a graded test tests: the last one above it."""
        if not (test.grade and test.locked) or test.solution or test.cell_type != "code":
            return None
        above = [each for each in self.cells[: self.cells.index(test)] if each.solution]
        return above[-1] if above and above[-1].cell_type == "code" else None


@dataclass(frozen=True, kw_only=True)
class Original:
    """A notebook of an assignment.

    Attributes:
        source: its graded, locked and answer cells as the gradebook keeps them.
        path: the path of the instructor's notebook, on the machine that has the course.
        text: that notebook as JSON text; empty if it is not in the course.
    """

    source: Source
    path: Path
    text: str

    @property
    def instructors_path(self) -> Path | None:
        """The path of the instructor's version of the notebook; None if there is none."""
        return self.path if self.text else None

    @cached_property
    def worth(self) -> dict[str, float]:
        """The points of each cell that carries points, by name."""
        cells = self.source.cells
        return {cell.name: float(cell.points) for cell in cells if cell.points is not None}

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The names of the cells in which students answer."""
        return tuple(cell.name for cell in self.source.cells if cell.solution)


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """An assignment.

    Attributes:
        assignment: its name.
        duedate: in UTC, or None.
        notebooks: by name.
        files: the files next to the instructor's notebooks; they overwrite submitted ones.
        made: the release date of an earlier version; else empty.
        earlier: versions that were handed out before this one, latest first.
    """

    assignment: str
    duedate: datetime.datetime | None
    notebooks: dict[str, Original]
    files: dict[str, bytes]
    made: str = ""
    earlier: tuple["Snapshot", ...] = ()

    @property
    def points(self) -> float:
        """The total points."""
        return sum(sum(each.worth.values()) for each in self.notebooks.values())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything except the due date, which affects no score."""
        told = {
            name: [asdict(each.source), each.text] for name, each in sorted(self.notebooks.items())
        }
        whole = hashlib.sha256(json.dumps([self.assignment, told]).encode())
        for name, content in sorted(self.files.items()):
            whole.update(f"\0{name}\0{len(content)}\0".encode() + content)
        for each in self.earlier:
            whole.update(each.digest.encode())
        return whole.hexdigest()


def take(
    place: CourseDirectory,
    *,
    keep: list[str] | None = None,
    latest: Mapping[str, Collection[str]] | None = None,
) -> Snapshot:
    """Read an assignment from the gradebook and the source folder.

    Args:
        place: nbgrader's course directory, with its ``assignment_id``.
        keep: names of files that students may submit in place of the instructor's.
        latest: the names of the cells of each notebook in the latest release, if known.

    Raises:
        CourseError: the gradebook does not have the assignment, or has an older version of it.
    """
    name = place.assignment_id
    folder = Path(place.format_path(place.source_directory, ".", name)).resolve()
    with opened(place.db_url, place.course_id) as book:
        try:
            found = book.find_assignment(name)
        except MissingEntry:
            known = ", ".join(sorted(each.name for each in book.assignments)) or "none"
            raise CourseError(
                f"the gradebook knows no assignment {name!r} (it knows: {known}). "
                f"Run: nbgrader generate_assignment {name}"
            ) from None
        kept = latest is not None
        notebooks = {each.name: _original(each, folder, kept=kept) for each in found.notebooks}
        duedate = found.duedate
    if not notebooks:
        raise CourseError(f"assignment {name!r} has no notebook in the gradebook")
    for each in notebooks.values():
        if what := older(each, (latest or {}).get(each.source.notebook)):
            raise CourseError(
                f"{what}. What students made from the earlier version is graded by that version. "
                f"Tell the gradebook: nbgrader generate_assignment {name} --force"
            )
    files = files_beside(folder, list(place.ignore), keep or [])
    return Snapshot(assignment=name, duedate=duedate, notebooks=notebooks, files=files)


def files_beside(folder: Path, ignore: list[str], keep: list[str]) -> dict[str, bytes]:
    """Return the files next to the instructor's notebooks, which overwrite submitted ones.

    Args:
        folder: with the instructor's notebooks.
        ignore: patterns of names that are left out.
        keep: names of files that students may submit in place of the instructor's.
    """
    if not folder.is_dir():
        return {}
    found = list_files(folder, ignore=[*ignore, "*.ipynb"], whole=True).files
    return {name: read_file(path) for name, path in found.items() if name not in keep}


def from_gradebook(notebook: Any) -> Source:
    """Read the cells of a notebook from nbgrader's gradebook.

    Args:
        notebook: a result of ``Gradebook.find_notebook``.
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
    given = tuple(_texts_given(release.cells))
    return Source(notebook=name, cells=tuple(cells), given=given, kernelspec=dict(kernel))


def heading(text: str) -> str:
    """Return the first heading in a text of Markdown; empty if there is none."""
    return next(iter(headings(text)), "").strip()


def _original(found: Any, folder: Path, *, kept: bool) -> Original:
    """Read a notebook, without cells that were deleted from it if its latest release is known."""
    path = folder / f"{found.name}.ipynb"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    given = tuple(_texts_given(json.loads(text)["cells"])) if text else ()
    source = replace(from_gradebook(found), given=given)
    return Original(
        source=_as_in(text, source, kept=kept) if text else source, path=path, text=text
    )


def _as_in(text: str, source: Source, *, kept: bool) -> Source:
    """Return the cells in the order of the instructor's notebook, without those deleted from it.

    The gradebook keeps cells for which submissions to an earlier version have points.
    """
    order = [grade_id(cell) for cell in json.loads(text)["cells"]]
    here = {name: at for at, name in enumerate(order) if name}
    cells = sorted(
        (cell for cell in source.cells if not kept or cell.name in here),
        key=lambda cell: here.get(cell.name, len(here)),
    )
    return replace(source, cells=tuple(cells))


def _texts_given(cells: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the texts of the cells that are neither answers nor tests."""
    for cell in cells:
        if not is_known(cell):
            yield "".join(cell["source"])
