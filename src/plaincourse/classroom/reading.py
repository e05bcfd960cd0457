"""Read a class: the gradebook and the records together, either of which may lack something."""

import dataclasses
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from plaincourse.classroom import book, records, tasks
from plaincourse.classroom.blank import untouched
from plaincourse.classroom.model import Classroom, Item, Key, Mark, Student, Work

_SQLITE = "sqlite:///"


class ReadingError(ValueError):
    """There is nothing to report; the message says what was looked for and what to do."""


def read(course: Path, assignment: str, *, url: str = "") -> Classroom:
    """Read what a class did in an assignment.

    Scores and names come from the gradebook, where people correct them; requirements,
    misconceptions, flags and times from the records. What one lacks, the other gives.

    Args:
        course: the course folder.
        assignment: the assignment's name.
        url: the gradebook's address; ``gradebook.db`` in the course folder when left out.

    Raises:
        ReadingError: neither the gradebook nor a record knows the assignment, or the gradebook
            cannot be read.
    """
    if not assignment or Path(assignment).name != assignment:
        raise ReadingError(f"{assignment!r}: expected an assignment's name, such as 02-attention.")
    kept, notes = records.read_all(course, assignment)
    items, works, students = _gradebook(course, assignment, url) or ({}, {}, {})
    if not items and not kept:
        raise ReadingError(
            f"{assignment}: neither {url or course / 'gradebook.db'} nor "
            f"{course / 'autograded'} knows this assignment. Check its name, and run "
            f"`plaincourse autograde {assignment}` first."
        )
    for work in kept.values():
        for key, mark in work.marks.items():
            items.setdefault(key, Item(key=key, points=mark.points))
    joined = []
    for id in {*kept, *works}:
        blank = untouched(course / "autograded" / id / assignment)
        student = students.get(id, Student(id=id))
        joined.append(_join(student, works.get(id), kept.get(id), blank))
    others = sorted((students[id] for id in students.keys() - {*kept, *works}), key=_register)
    handed = {s.id for s in others if (course / "submitted" / s.id / assignment).is_dir()}
    return Classroom(
        assignment=assignment,
        items=tuple(sorted(items.values(), key=lambda item: _place(item.key))),
        works=tuple(sorted(joined, key=lambda work: work.student.order)),
        missing=tuple(s for s in others if s.id not in handed),
        ungraded=tuple(s for s in others if s.id in handed),
        notes=tuple(notes),
    )


def _gradebook(
    course: Path, assignment: str, url: str
) -> tuple[dict[Key, Item], dict[str, Work], dict[str, Student]] | None:
    """Read the gradebook, without making one where there is none."""
    url = url or f"{_SQLITE}{course / 'gradebook.db'}"
    if url.startswith(_SQLITE) and not Path(url.removeprefix(_SQLITE)).is_file():
        return None
    try:
        return book.read(url, assignment)
    except SQLAlchemyError as error:
        reason = str(error).splitlines()[0]
        raise ReadingError(
            f"the gradebook {url} cannot be read ({reason}). If nbgrader was updated since it was "
            "made, run `nbgrader db upgrade`."
        ) from None


def _join(student: Student, graded: Work | None, kept: Work | None, blank: set[Key]) -> Work:
    """Lay what the gradebook and the record say of one submission over each other."""
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
