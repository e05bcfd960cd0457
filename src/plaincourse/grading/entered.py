"""Read what people entered in the gradebook, and grading must keep or know."""

from collections.abc import Mapping
from typing import Any

from nbgrader.api import Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from plaincourse.grading.jobs import CellKey, Known


def known(db: Any, assignment: str, cells: Mapping[str, CellKey]) -> dict[str, Known]:
    """Return by student: when they handed in, extensions, points given by hand, extra credit.

    Args:
        db: a session of the gradebook.
        assignment: id of the assignment.
        cells: the graded cells by id.
    """
    times = select(
        SubmittedAssignment.student_id,
        SubmittedAssignment.timestamp,
        SubmittedAssignment.extension,
    ).where(SubmittedAssignment.assignment_id == assignment)
    found: dict[str, dict[str, Any]] = {
        student: {"timestamp": timestamp, "extension": extension, "manual": {}, "extra": {}}
        for student, timestamp, extension in db.execute(times)
    }
    given = (
        select(
            SubmittedAssignment.student_id, Grade.cell_id, Grade.manual_score, Grade.extra_credit
        )
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .where(SubmittedAssignment.assignment_id == assignment)
        .where(Grade.manual_score.is_not(None) | Grade.extra_credit.is_not(None))
    )
    for student, cell, manual, extra in db.execute(given):
        for what, points in (("manual", manual), ("extra", extra)):
            if points is not None and cell in cells:
                found[student][what][cells[cell]] = points
    return {student: Known(**said) for student, said in found.items()}
