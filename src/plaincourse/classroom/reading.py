"""Read a class from the gradebook and the records, either of which may be incomplete.

:func:`read` merges nbgrader's gradebook, the record that autograding left in the folder of each
graded submission, and the list of answers that were left unchanged.
"""

import dataclasses
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader.api import (
    BaseCell,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.utils import compute_checksum

from plaincourse.classroom import tasks
from plaincourse.classroom.model import Classroom, Flag, Item, Key, Mark, Student, Work
from plaincourse.classroom.roll import call
from plaincourse.grading.arrival import identify
from plaincourse.grading.course import Course, find_course
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.misplaced import not_looked_at
from plaincourse.grading.opening import gradebook_file, opened
from plaincourse.grading.results import RECORD
from plaincourse.grading.versions import latest_cells

_STATUS = ("graded", "flagged", "failed")


class ReadingError(ValueError):
    """There is nothing to report; the message explains where it looked and what to do."""


class RecordError(ValueError):
    """A record cannot be used; the message gives the reason."""


def read(course: Path, assignment: str, *, url: str = "") -> Classroom:
    """Read the results of a class in an assignment.

    Scores and names come from the gradebook, where people correct them; requirements,
    misconceptions, flags and times from the records. Each fills the gaps of the other.

    Args:
        course: the course folder.
        assignment: the assignment's name.
        url: the gradebook's address; by default that of the course's settings.

    Raises:
        ReadingError: the assignment is neither in the gradebook nor in a record, or the gradebook
            cannot be read, or the course's settings point to other folders.
    """
    return read_course(find(course, assignment, url=url))


def find(course: Path, assignment: str, *, url: str = "") -> Course:
    """Find the course for `read_course`. See `read`."""
    if not assignment or Path(assignment).name != assignment:
        raise ReadingError(f"{assignment!r}: expected an assignment's name, such as 02-attention.")
    try:
        return find_course(course, assignment=assignment, url=url, bare=True)
    except CourseError as error:
        raise ReadingError(str(error)) from error


def read_course(found: Course) -> Classroom:
    """Read the results of a class in the assignment that `find` was given. See `read`."""
    place, assignment = found.place, found.place.assignment_id
    try:
        kept, notes = read_records(found)
        book = _gradebook(place.db_url, assignment)
        handed = set(identify(found.folders(place.submitted_directory)))
    except CourseError as error:
        raise ReadingError(str(error)) from error
    items, works, students = book or ({}, {}, {})
    if not items and not kept:
        raise ReadingError(
            f"{assignment}: neither {gradebook_file(place.db_url) or place.db_url} nor "
            f"{found.root / place.autograded_directory} knows this assignment. Check its name, "
            f"and run `plaincourse autograde {assignment}` first."
        )
    for work in kept.values():
        for key, mark in work.marks.items():
            items.setdefault(key, Item(key=key, points=mark.points))
    # The gradebook keeps cells that only an earlier release had.
    latest = latest_cells(place) or {}
    for key in [key for key in items if key[1] not in latest.get(key[0], {key[1]})]:
        del items[key]
    roll = call(known=students if book else None, entered=works, records=kept, handed=handed)
    folders = roll.by_id({name: name for name in kept}, lambda _, later: later)
    joined = []
    for id in roll.graded:
        folder = id if id in kept else folders.get(id, id)
        blank = untouched(found.graded(folder))
        student = students.get(id, Student(id=id))
        joined.append(_join(student, works.get(id), kept.get(folder), blank))

    def listed(ids: Iterable[str]) -> tuple[Student, ...]:
        return tuple(sorted((students.get(id, Student(id=id)) for id in ids), key=_register))

    return Classroom(
        assignment=assignment,
        items=tuple(sorted(items.values(), key=lambda item: _place(item.key))),
        works=tuple(sorted(joined, key=lambda work: work.student.order)),
        missing=listed(roll.missing),
        ungraded=listed(roll.ungraded),
        unknown=roll.unknown,
        notes=(*notes, *roll.notes, *not_looked_at(found.misplaced(), assignment)),
    )


def _gradebook(
    url: str, assignment: str
) -> tuple[dict[Key, Item], dict[str, Work], dict[str, Student]] | None:
    """Read the gradebook if it exists, without creating it."""
    path = gradebook_file(url)
    return None if path and not path.exists() else read_gradebook(url, assignment)


def _join(student: Student, graded: Work | None, kept: Work | None, blank: set[Key]) -> Work:
    """Merge the gradebook's and the record's data on one submission."""
    base = kept or graded or Work(student=student)
    if base.failed and graded and graded.marks and not graded.waiting:
        # Autograding left it to a person, and the person has graded it since.
        base = dataclasses.replace(base, status="graded", why="")
    marks: dict[Key, Mark] = dict(base.marks)
    if graded:
        for key, mark in graded.marks.items():
            seen = marks.get(key, mark)
            marks[key] = dataclasses.replace(seen, score=mark.score, points=mark.points)
    for key, mark in marks.items():
        if key in blank and not mark.score:
            marks[key] = dataclasses.replace(mark, blank=True)
    penalty = graded.penalty if graded else 0.0
    return dataclasses.replace(base, student=student, marks=marks, penalty=penalty)


def _register(student: Student) -> tuple[str, str, str]:
    return student.order


def _place(key: Key) -> tuple[str, int, str]:
    return key[0], tasks.place(key), key[1]


def read_gradebook(
    url: str, assignment: str
) -> tuple[dict[Key, Item], dict[str, Work], dict[str, Student]] | None:
    """Read items, submissions and students, or return ``None`` without such an assignment.

    A score given by a person overrides the autograder's, as in nbgrader.

    Args:
        url: the gradebook's address, such as ``sqlite:///gradebook.db``.
        assignment: the assignment's name.

    Raises:
        CourseError: the gradebook cannot be read.
    """
    with opened(url) as book:
        try:
            found = book.find_assignment(assignment)
        except MissingEntry:
            return None
        students = {row.id: _student(row) for row in book.students}
        items = dict(_items(found))
        points = {key: item.points for key, item in items.items()}
        works = _works(book, found, students, points)
    return items, works, students


def _student(row: Any) -> Student:
    return Student(
        id=row.id,
        first=row.first_name or "",
        last=row.last_name or "",
        email=row.email or "",
        lms=row.lms_user_id or "",
    )


def _items(assignment: Any) -> Iterable[tuple[Key, Item]]:
    for notebook in assignment.notebooks:
        for cell in [*notebook.grade_cells, *notebook.task_cells]:
            key = (notebook.name, cell.name)
            yield key, Item(key=key, points=float(cell.max_score))


def _works(
    book: Gradebook, assignment: Any, students: dict[str, Student], points: dict[Key, float]
) -> dict[str, Work]:
    """Read all submissions in two queries; a query per row needs minutes for a large class."""
    marks: dict[str, dict[Key, Mark]] = defaultdict(dict)
    rows = (
        book.db.query(
            SubmittedAssignment.student_id,
            Notebook.name,
            BaseCell.name,
            Grade.score,
            Grade.needs_manual_grade,
        )
        .select_from(Grade)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .filter(SubmittedAssignment.assignment_id == assignment.id)
    )
    for student, notebook, cell, score, by_hand in rows:
        key = (notebook, cell)
        marks[student][key] = Mark(
            score=None if by_hand else float(score), points=points.get(key, 0.0)
        )
    late: dict[str, float] = defaultdict(float)
    penalties = (
        book.db.query(SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty)
        .outerjoin(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .filter(SubmittedAssignment.assignment_id == assignment.id)
    )
    for student, penalty in penalties:
        late[student] += penalty or 0.0
    return {
        student: Work(
            student=students.get(student, Student(id=student)),
            marks=marks.get(student, {}),
            penalty=penalty,
        )
        for student, penalty in late.items()
    }


def read_records(course: Course) -> tuple[dict[str, Work], list[str]]:
    """Read the records of an assignment.

    Args:
        course: the course, found for the assignment.

    Returns:
        the submissions by student, and a sentence for each record that could not be read.
    """
    works: dict[str, Work] = {}
    notes = []
    for student, folder in sorted(course.folders(course.place.autograded_directory).items()):
        path = folder / RECORD
        if not path.exists():
            continue
        where = path.relative_to(course.root).as_posix()
        try:
            works[student] = read_record(path, student)
        except (RecordError, OSError) as error:
            notes.append(f"{where} could not be read ({error}). Grade this submission again.")
    return works, notes


def read_record(path: Path, student: str) -> Work:
    """Read one record.

    Args:
        path: the path of the file.
        student: the id of the student.

    Raises:
        RecordError: it is not JSON, or not a record.
        OSError: the file cannot be read.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(f"not valid JSON: {error}") from None
    if not isinstance(row, dict) or row.get("status") not in _STATUS:
        raise RecordError(f"expected an object whose status is one of {', '.join(_STATUS)}")
    return Work(
        student=Student(id=student),
        status=row["status"],
        why=_text(row.get("why")),
        marks=dict(_marks(row.get("notebooks"))),
        flags=tuple(
            Flag(cell=_text(f.get("cell")), kind=_text(f.get("kind")), why=_text(f.get("why")))
            for f in _rows(row.get("flags"))
        ),
        mended=tuple(_text(said) for said in _list(row.get("mended"))),
        seconds=_number(row.get("seconds")),
        memory=_number(row.get("memory_mb")) or None,
        together=row.get("split") is False and row["status"] != "failed",
        sandbox=_text(row.get("sandbox")),
    )


def _marks(notebooks: Any) -> Iterator[tuple[Key, Mark]]:
    if not isinstance(notebooks, dict):
        return
    for notebook, content in notebooks.items():
        cells = content.get("cells") if isinstance(content, dict) else None
        for name, cell in cells.items() if isinstance(cells, dict) else ():
            if isinstance(cell, dict):
                yield (notebook, name), _mark(cell)


def _mark(cell: dict[str, Any]) -> Mark:
    matched = cell.get("matched")
    return Mark(
        score=_number(cell.get("score")),
        points=_number(cell.get("max")) or 0.0,
        seconds=_number(cell.get("seconds")) or None,  # 0 if nothing was run
        matched=matched if isinstance(matched, str) and matched else None,
        rungs=tuple(_rungs(cell.get("rungs"))),
        facts=dict(_facts(cell.get("facts"))),
    )


def _facts(found: Any) -> Iterator[tuple[str, float]]:
    for name, value in found.items() if isinstance(found, dict) else ():
        if (number := _number(value)) is not None:
            yield name, number


def _rungs(rows: Any) -> Iterator[tuple[str, float, float]]:
    for row in _list(rows):
        if isinstance(row, list) and len(row) == 3:
            name, earned, points = _text(row[0]), _number(row[1]), _number(row[2])
            if earned is not None and points is not None:
                yield name, earned, points


def _number(value: Any) -> float | None:
    """Return a finite number unchanged, and ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in _list(value) if isinstance(row, dict)]


def answered(folder: Path) -> Iterator[tuple[Key, list[NotebookNode]]]:
    """Yield each graded item of a submission with the cells of its answer.

    They are the solution cells above it, or it is that cell itself.

    Args:
        folder: the graded submission, with its notebooks.
    """
    for path in sorted(folder.glob("*.ipynb")):
        try:
            cells = list(_answered(json.loads(path.read_text(encoding="utf-8"))["cells"]))
        except (ValueError, OSError, KeyError, TypeError, AttributeError):
            continue  # Its record has the error.
        yield from (((path.stem, name), answer) for name, answer in cells)


def _answered(cells: list[dict[str, object]]) -> Iterator[tuple[str, list[NotebookNode]]]:
    above: list[NotebookNode] = []
    for cell in map(from_dict, cells):
        meta = cell.get("metadata", {}).get("nbgrader", {})
        if meta.get("solution"):
            cell["source"] = "".join(cell["source"])
            above.append(cell)
        if meta.get("grade"):
            yield meta.get("grade_id", ""), above
            above = []


def untouched(folder: Path) -> set[Key]:
    """List the graded items of a submission whose answer cells are unchanged.

    nbgrader keeps the checksum of each released cell in its metadata.

    Args:
        folder: the graded submission, with its notebooks.
    """
    return {key for key, cells in answered(folder) if cells and all(map(_same, cells))}


def _same(cell: NotebookNode) -> bool:
    return bool(cell.metadata.nbgrader.get("checksum") == compute_checksum(cell))
