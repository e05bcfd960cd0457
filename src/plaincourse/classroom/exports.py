"""Grades as CSV for Canvas, Moodle and Gradescope, in the columns that each documents.

Files are UTF-8 without a byte order mark. They are meant for uploading, but people will also open
them in a spreadsheet. It treats text that begins with ``=``, ``+``, ``-`` or ``@`` as a formula,
and students can choose their names. https://owasp.org/www-community/attacks/CSV_Injection

The measurements of projects are exported as JSON lines.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plaincourse.classroom.model import Classroom, Student

_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # also the full-width characters
# Without brackets, quotes, "!", "|" and ":", a formula cannot call, fetch or start anything.
_HARMLESS = re.compile(r"[+@-][\w.@+-]*")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an export.

    Attributes:
        column: the assignment's column; for an assignment that exists in Canvas, ``Title (12345)``
            as in Canvas's own export. Default: the assignment's name.
        canvas_id: which of Canvas's ids the gradebook's student ids are.
        provisional: whether to export totals without the answers that a person has yet to grade.
        zeros: whether students without a submission get a 0.
    """

    column: str = ""
    canvas_id: Literal["login", "sis"] = "login"
    provisional: bool = False
    zeros: bool = False


def canvas(room: Classroom, options: Options) -> str:
    """Return a file for Canvas: Grades, Import.

    The columns are those of Canvas's own export, in its order: Student, ID, SIS User ID,
    SIS Login ID, Section, then the assignment; the second row has the points possible. Canvas
    finds a student by ID, then by SIS id, then by login, then by name. ID is Canvas's own number:
    the gradebook's ``lms_user_id``, where that is a number.

    An empty cell does not change a student's grade in Canvas.

    https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807
    and ``lib/gradebook_importer.rb`` of https://github.com/instructure/canvas-lms

    Args:
        room: the class.
        options: the options of the export.
    """
    column = text(options.column or room.assignment)
    rows = [
        ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", column),
        ("    Points Possible", "", "", "", "", points(room.points)),
    ]
    for student, grade in grades(room, options):
        # Canvas reads the digits at the start of an ID: "12ab" would match student 12.
        number = student.lms if student.lms.isascii() and student.lms.isdigit() else ""
        id = identifier(student.id)
        sis, login = (id, "") if options.canvas_id == "sis" else ("", id)
        rows.append((text(student.name), number, sis, login, "", _cell(grade)))
    return write(rows)


def moodle(room: Classroom, options: Options) -> str:
    """Return a file for Moodle: Grades, Import, CSV file.

    The columns are those of Moodle's own export. The import asks which column identifies the
    student (``Email address`` or ``ID number``) and which grade item the last column belongs to. It
    stops at the first student that it does not find, and rejects grades above 100 unless the site
    allows them. A dash means no grade.

    https://docs.moodle.org/en/Grade_import and ``grade/import/csv/classes/load_data.php`` of
    https://github.com/moodle/moodle

    Args:
        room: the class.
        options: the options of the export.
    """
    column = text(options.column or room.assignment)
    rows = [("First name", "Last name", "ID number", "Email address", column)]
    for student, grade in grades(room, options):
        id, email = identifier(student.id), identifier(student.email)
        rows.append((text(student.first), text(student.last), id, email, _cell(grade) or "-"))
    return write(rows)


def gradescope(room: Classroom, options: Options) -> str:
    """Return a roster for Gradescope: Roster, Add Students or Staff, CSV file.

    Gradescope documents an upload for rosters, but none for grades that were given elsewhere. So
    this file has the students without their grades. Students without an e-mail address are left
    out, because Gradescope needs one.

    https://guides.gradescope.com/hc/en-us/articles/21926598776333-Adding-Students-and-Staff

    Args:
        room: the class.
        options: the options of the export.
    """
    rows = [("First Name", "Last Name", "Email", "SID")]
    for student, _ in grades(room, options):
        if student.email:
            first, last = text(student.first), text(student.last)
            rows.append((first, last, identifier(student.email), identifier(student.id)))
    return write(rows)


EXPORTS: dict[str, Callable[[Classroom, Options], str]] = {
    "canvas": canvas,
    "moodle": moodle,
    "gradescope": gradescope,
}


def grades(room: Classroom, options: Options) -> Iterator[tuple[Student, float | None]]:
    """Yield each student's grade after the late penalty.

    Args:
        room: the class.
        options: the options of the export.

    Yields:
        students sorted by name, each with a grade, or ``None`` without a grade to export.
    """
    found: list[tuple[Student, float | None]] = []
    for work in room.works:
        waits = bool(work.waiting) and not options.provisional
        found.append((work.student, None if work.failed or waits else work.grade))
    found += [(student, 0.0 if options.zeros else None) for student in room.missing]
    found += [(each, None) for each in room.ungraded if each.id not in room.unknown]
    yield from sorted(found, key=lambda pair: pair[0].order)


def remarks(room: Classroom, kind: str, options: Options) -> list[str]:
    """List notes for the person who uploads an export, in sentences.

    Args:
        room: the class.
        kind: a key of :data:`EXPORTS`.
        options: the options of the export.
    """
    students = [student for student, _ in grades(room, options)]
    without_email = sum(not student.email for student in students)
    said = []
    changed = [s.id for s in students if identifier(s.id) != s.id]
    if changed:
        said.append(f"changed ids, because a spreadsheet would run them: {', '.join(changed)}")
    if kind == "gradescope":
        said.append("a roster without grades: Gradescope has no upload for grades given elsewhere")
        if without_email:
            said.append(f"{without_email} left out: no e-mail address, which Gradescope needs")
        return said
    if kind == "moodle" and without_email:
        said.append(f"{without_email} have no e-mail address: match them by ID number instead")
    if kind == "moodle" and room.points > 100:
        said.append("grades above 100 are refused unless the site allows unlimited grades")
    empty = sum(grade is None for _, grade in grades(room, options))
    if empty:
        said.append(f"{empty} without a grade: failed, waiting for a person, or nothing handed in")
    if waiting := sum(bool(work.waiting) for work in room.counted):
        what = "exported as they stand" if options.provisional else "left out (see --provisional)"
        said.append(f"{waiting} totals lack answers that wait for a person: {what}")
    return said


def leaderboard(room: Classroom) -> str:
    """Return a line for each student whose project was measured, the best first.

    A line holds ``student``, ``task``, ``score``, ``points``, ``parts`` (points earned) and
    ``facts``. The text is empty if the assignment has no project.

    Args:
        room: the class.
    """
    rows: list[dict[str, Any]] = [
        {
            "student": work.student.id,
            "task": task,
            "score": mark.score,
            "points": mark.points,
            "parts": {name: earned for name, earned, _ in mark.rungs},
            "facts": dict(mark.facts),
        }
        for work in room.works
        for (_, task), mark in work.marks.items()
        if mark.facts
    ]
    rows.sort(key=lambda row: (-(row["score"] or 0.0), row["student"]))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def text(value: str) -> str:
    """Return a name for a cell, on one line and safe from being read as a formula."""
    said = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", value).split())
    return f"'{said}" if said.startswith(_STARTS) else said


def identifier(value: str) -> str:
    """Return an id or an e-mail address for a cell, unchanged if that is harmless.

    A changed id would not match any student. Ids such as ``-ab12``, ``+49171`` and ``@ada`` are
    kept, because they cannot call anything. A value such as ``=HYPERLINK(…)`` is not a real id,
    and is neutralised like a name.
    """
    return value if _HARMLESS.fullmatch(value) else text(value)


def points(value: float) -> str:
    """Return points with a decimal point and at most two decimals, whatever the locale."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def write(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV by RFC 4180: commas, quotes where needed and doubled inside, CRLF."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def _cell(grade: float | None) -> str:
    return "" if grade is None else points(grade)
