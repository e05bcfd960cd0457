"""The only writer of the gradebook, which also reads entries of people from it.

It leaves the same rows as ``nbgrader autograde``, but needs only a few statements for many
submissions, compared with nbgrader's hundreds for each. A person's entries stay.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from sqlalchemy import bindparam, event, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from plaincourse.grading.ids import normal, spellings
from plaincourse.grading.jobs import CellKey, Job, Known, Result

_WAIT = "PRAGMA busy_timeout = 60000"
#: The number of attempts to write results if another program has written the same rows meanwhile.
_TRIES = 5
_SUBMISSION: Any = SubmittedAssignment.__table__
_SHEET: Any = SubmittedNotebook.__table__
_GRADE: Any = Grade.__table__
_COMMENT: Any = Comment.__table__
#: The values for a cell that is not in the version that was graded.
_OTHER: dict[str, dict[str, Any]] = {
    "grade": {"auto_score": 0.0, "needs_manual_grade": False},
    "comment": {"auto_comment": None},
}
_BLANK: dict[str, dict[str, Any]] = {
    "grade": {"auto_score": None, "needs_manual_grade": True},
    "comment": {"auto_comment": None},
}


class Writer:
    """A session of the gradebook for one assignment.

    Attributes:
        present: the cells of the present version of the assignment; None for all existing cells.

    Args:
        db_url: the gradebook's address.
        course_id: nbgrader's name of the course.
        assignment: the assignment that is graded.
    """

    def __init__(self, db_url: str, *, course_id: str, assignment: str) -> None:
        self.url = db_url
        self._book = Gradebook(db_url, course_id)
        if self._book.engine.dialect.name == "sqlite":
            self._book.engine.dispose()
            event.listen(self._book.engine, "connect", lambda link, _: link.execute(_WAIT))
        self.present: set[CellKey] | None = None
        self._db = self._book.db
        self.students: set[str] = set()
        self._submissions: dict[str, str] = {}
        named = select(Assignment.id).where(Assignment.name == assignment)
        self._assignment: str = self._db.scalars(named).one()
        self._notebooks = self._pairs(
            select(Notebook.name, Notebook.id).where(Notebook.assignment_id == self._assignment)
        )
        self._grades, self._comments = self._cells(GradeCell), self._cells(SolutionCell)
        for cells in (self._grades, self._comments):
            cells.update(self._cells(TaskCell))
        self._read_rows()

    def close(self) -> None:
        """Close the session."""
        self._book.close()

    def spelled(self, folders: Mapping[str, Path]) -> dict[str, Path]:
        """Return folders of students by the gradebook's spelling of their ids.

        Args:
            folders: by ids, each in any Unicode spelling.
        """
        ids = spellings(self.students, first=self._submissions)
        return {ids.get(normal(student), student): path for student, path in folders.items()}

    def known(self) -> dict[str, Known]:
        """Return the gradebook's data on each submission: extensions, points given by hand."""
        cells = {cell: key for key, cell in self._grades.items()}
        found = _known(self._db, self._assignment, cells)
        self._db.rollback()
        return found

    def write(self, results: Iterable[tuple[Result, Job]]) -> None:
        """Write grades in one transaction: all of these results, or none.

        Another grader, or formgrader, may add the same students and submissions meanwhile.

        Args:
            results: with their jobs, which have the times of submission.
        """
        pairs = list(results)
        for left in reversed(range(_TRIES)):
            known = self.students.copy(), self._submissions.copy()
            try:
                for result, job in pairs:
                    self._write(result, job)
                self._db.commit()
                return
            except BaseException as error:
                self._db.rollback()
                self.students, self._submissions = known  # the rows made in vain are gone
                if not left or not isinstance(error, IntegrityError):
                    raise
                self._read_rows()

    def _read_rows(self) -> None:
        """Read the existing students and submissions."""
        self.students = set(self._db.scalars(select(Student.id)))
        self._submissions = self._pairs(
            select(SubmittedAssignment.student_id, SubmittedAssignment.id).where(
                SubmittedAssignment.assignment_id == self._assignment
            )
        )
        self._db.rollback()

    def points(self) -> dict[str, dict[str, float]]:
        """Return the points of each notebook of each student, before any penalty."""
        return self._by_sheet(
            select(SubmittedAssignment.student_id, _SHEET.c.notebook_id, func.sum(Grade.score))
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .group_by(SubmittedAssignment.student_id, _SHEET.c.notebook_id)
        )

    def penalties(self) -> dict[str, dict[str, float | None]]:
        """Return the late penalty of each notebook of each student."""
        return self._by_sheet(
            select(
                SubmittedAssignment.student_id,
                _SHEET.c.notebook_id,
                _SHEET.c.late_submission_penalty,
            ).join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        )

    def penalise(self, student: str, penalties: Mapping[str, float | None]) -> None:
        """Write the late penalties of a graded submission, by notebook."""
        self._sheets(self._submissions[student], penalties)
        self._db.commit()

    def _by_sheet(self, statement: Any) -> dict[str, dict[str, Any]]:
        names = {notebook: name for name, notebook in self._notebooks.items()}
        here = SubmittedAssignment.assignment_id == self._assignment
        found: dict[str, dict[str, Any]] = {}
        for student, notebook, value in self._db.execute(statement.where(here)):
            if notebook in names:
                found.setdefault(student, {})[names[notebook]] = value
        self._db.rollback()
        return found

    def _write(self, result: Result, job: Job) -> None:
        submission = self._submission(result.student, job)
        sheets = self._sheets(submission, result.penalties)
        grades = {
            cell: {
                "auto_score": None if points is None else float(points),
                "needs_manual_grade": cell in result.manual,
            }
            for cell, points in result.grades.items()
        }
        comments = {cell: {"auto_comment": said} for cell, said in result.comments.items()}
        present = set[CellKey]() if result.earlier else self.present
        self._rows(_GRADE, grades, self._grades, sheets, present)
        self._rows(_COMMENT, comments, self._comments, sheets, present)

    def _submission(self, student: str, job: Job) -> str:
        """Return the id of the submission's row, which is made if missing."""
        time = job.known.timestamp
        if student not in self.students:
            self._db.execute(insert(Student.__table__), [{"id": student}])
            self.students.add(student)
        if student not in self._submissions:
            row = {"id": new_uuid(), "assignment_id": self._assignment, "student_id": student}
            self._db.execute(insert(_SUBMISSION), [{**row, "timestamp": time}])
            self._submissions[student] = row["id"]
        elif time is not None:
            old = _SUBMISSION.c.id == self._submissions[student]
            self._db.execute(update(_SUBMISSION).where(old).values(timestamp=time))
        return self._submissions[student]

    def _sheets(self, submission: str, penalties: Mapping[str, float | None]) -> dict[str, str]:
        """Return the ids of the submission's notebooks by those of their sources."""
        old = select(_SHEET.c.notebook_id, _SHEET.c.id).where(_SHEET.c.assignment_id == submission)
        sheets = self._pairs(old)
        new, late = [], []
        for name, notebook in self._notebooks.items():
            lost = penalties.get(name)
            if notebook in sheets:
                late.append({"at": sheets[notebook], "lost": lost})
            else:
                sheets[notebook] = new_uuid()
                row = {"id": sheets[notebook], "assignment_id": submission}
                new.append({**row, "notebook_id": notebook, "late_submission_penalty": lost})
        self._many(insert(_SHEET), new)
        which = _SHEET.c.id == bindparam("at")
        changed: Any = {"late_submission_penalty": bindparam("lost")}
        self._many(update(_SHEET).where(which).values(changed), late)
        return sheets

    def _rows(
        self,
        table: Any,
        values: Mapping[CellKey, dict[str, Any]],
        cells: Mapping[CellKey, str],
        sheets: Mapping[str, str],
        present: Collection[CellKey] | None,
    ) -> None:
        """Write a row for each cell; cells without a value get a row too, as in nbgrader.

        A cell of another version of the assignment gets no row; if it has one, it earns nothing.
        """
        there = select(table.c.notebook_id, table.c.cell_id, table.c.id)
        found = self._db.execute(there.where(table.c.notebook_id.in_(sheets.values())))
        ids = {(sheet, cell): row for sheet, cell, row in found}
        new, old = [], []
        for key, cell in cells.items():
            sheet = sheets[self._notebooks[key[0]]]
            value = values.get(key)
            if value is None and present is not None and key not in present:
                if (sheet, cell) not in ids:
                    continue
                value = _OTHER[table.name]
            if (sheet, cell) not in ids:
                blank = {"id": new_uuid(), "notebook_id": sheet, "cell_id": cell}
                new.append({**blank, **(value or _BLANK[table.name])})
            elif value is not None:
                old.append({"at": ids[sheet, cell], **{f"new_{k}": v for k, v in value.items()}})
        self._many(insert(table), new)
        names = _BLANK[table.name]
        changed: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names}
        self._many(update(table).where(table.c.id == bindparam("at")).values(changed), old)

    def _many(self, statement: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._db.execute(statement, rows)

    def _cells(self, kind: Any) -> dict[CellKey, str]:
        names = {notebook: name for name, notebook in self._notebooks.items()}
        wanted = select(BaseCell.notebook_id, BaseCell.name, BaseCell.id).where(
            BaseCell.notebook_id.in_(names), BaseCell.type == kind.__name__
        )
        return {(names[book], name): cell for book, name, cell in self._db.execute(wanted)}

    def _pairs(self, statement: Any) -> dict[str, str]:
        return dict(list(self._db.execute(statement)))


def _known(db: Any, assignment: str, cells: Mapping[str, CellKey]) -> dict[str, Known]:
    """Return by student: the time of submission, extensions, points given by hand, extra credit.

    ``settled`` has the cells whose points a person gave and that wait for no one, without digests.

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
