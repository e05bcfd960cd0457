"""Read what people entered in the gradebook, and grading must keep or know."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbgrader.api import Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from plaincourse.grading.jobs import CellKey, Known
from plaincourse.grading.mend import is_notes


def known(db: Any, assignment: str, cells: Mapping[str, CellKey]) -> dict[str, Known]:
    """Return by student: when they handed in, extensions, points given by hand, extra credit.

    ``settled`` has the cells whose points a person gave and that wait for nobody, without digests.

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
        student: {
            "timestamp": timestamp,
            "extension": extension,
            "manual": {},
            "extra": {},
            "settled": {},
        }
        for student, timestamp, extension in db.execute(times)
    }
    given = (
        select(
            SubmittedAssignment.student_id,
            Grade.cell_id,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .where(SubmittedAssignment.assignment_id == assignment)
        .where(Grade.manual_score.is_not(None) | Grade.extra_credit.is_not(None))
    )
    for student, cell, manual, extra, waits in db.execute(given):
        if manual is not None and not waits and cell in cells:
            found[student]["settled"][cells[cell]] = ""
        for what, points in (("manual", manual), ("extra", extra)):
            if points is not None and cell in cells:
                found[student][what][cells[cell]] = points
    return {student: Known(**said) for student, said in found.items()}


def as_read(folder: Path, notebook: str, cell: str) -> str:
    """Return a digest of what a person who graded a cell had before them; empty where nothing is.

    Args:
        folder: a graded submission.
        notebook: the notebook's name.
        cell: the grade id of a graded cell.
    """
    try:
        found = json.loads((folder / f"{notebook}.ipynb").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return written(found["cells"], cell)


def written(cells: list[Any], name: str) -> str:
    """Return a digest of what a student wrote for a graded cell, and of what it is worth.

    For an answer that is graded itself that is its text; for a test, all that is not locked.
    """
    roles = [each["metadata"].get("nbgrader", {}) for each in cells]
    at = [i for i, role in enumerate(roles) if role.get("grade_id") == name]
    if not at:
        return ""
    if roles[at[0]].get("solution"):
        shown = at[:1]
    else:
        theirs = [
            not (role.get("locked") or is_notes(cell))
            for role, cell in zip(roles, cells, strict=True)
        ]
        shown = [i for i, each in enumerate(theirs) if each]
    texts = ["".join(cells[i]["source"]) for i in shown]
    worth = float(roles[at[0]].get("points", 0))
    return hashlib.sha256(json.dumps([worth, texts]).encode()).hexdigest()
