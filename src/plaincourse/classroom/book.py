"""Read an assignment from nbgrader's gradebook."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from nbgrader.api import (
    BaseCell,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)

from plaincourse.classroom.model import Item, Key, Mark, Student, Work


def read(
    url: str, assignment: str
) -> tuple[dict[Key, Item], dict[str, Work], dict[str, Student]] | None:
    """Read the items, the submissions and the students; ``None`` where it has no such assignment.

    A score that a person has given counts before the autograder's, as it does in nbgrader.

    Args:
        url: the gradebook's address, such as ``sqlite:///gradebook.db``.
        assignment: the assignment's name.
    """
    with Gradebook(url) as book:
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
    """Read all the submissions with two queries: one a row would take minutes for a large class."""
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
