"""Write grades into the CSV file of a platform, and change nothing else in it.

The file is Canvas's export of its gradebook, Moodle's grading worksheet of an assignment, or
Moodle's export of its gradebook. A row belongs to a student if the platform's own number, an id
or an e-mail address is the same. A name counts only if it occurs once on both sides and no
number or address contradicts it. Whatever is left over or not certain is named and not changed.

https://github.com/instructure/canvas-lms ``lib/gradebook_exporter.rb`` and
https://github.com/moodle/moodle ``mod/assign/feedback/offline``
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from plaincourse.classroom.exports import points
from plaincourse.classroom.model import Student
from plaincourse.grading.collected import Collected

#: The largest file to read, in bytes.
LARGEST = 2**25
#: Cells that say more than a grade: excused, and not assigned to this student.
_KEPT = {"ex", "n/a"}
_TITLE = re.compile(r"^(?:Assignment: )?(.*?)(?: \(\d+\)| \(Real\))?$", re.DOTALL)
_NOT_CSV = "it is not a CSV file in UTF-8: download it again, and do not save it in a spreadsheet"
_NOT_KNOWN = (
    "its first row is neither that of Canvas's gradebook, nor of Moodle's grading worksheet, nor "
    "of Moodle's export of grades. At Moodle, set the language to English for the download"
)


class IntoError(ValueError):
    """A file into which no grade can be written, and the reason."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of a platform's file, by the titles of its columns.

    Attributes:
        platform: as in `Collected`.
        needs: columns that only this kind has all of; each item lists alternatives.
        number: the column with the platform's own number of a student.
        ids: columns with an id or an e-mail address.
        names: columns that make the name together, the last name first; or one column.
        grade: the column of the grade, if it has the same title in each file.
        most: the column with the most points, in each row.
        locked: the column that says ``No`` if the grade may not be changed.
    """

    platform: str
    needs: tuple[tuple[str, ...], ...]
    number: str = ""
    ids: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    grade: str = ""
    most: tuple[str, ...] = ()
    locked: str = ""


KINDS = (
    Kind(
        platform="canvas",
        needs=(("Student", "LastName"), ("ID",), ("Section",)),
        number="ID",
        ids=("SIS User ID", "SIS Login ID"),
        names=(("Student",), ("LastName", "FirstName")),
    ),
    Kind(
        platform="moodle",
        needs=(("Identifier",), ("Grade",)),
        number="Identifier",
        ids=("Email address", "ID number", "Username"),
        names=(("Full name",),),
        grade="Grade",
        most=("Maximum grade", "Maximum Grade"),
        locked="Grade can be changed",
    ),
    Kind(
        platform="moodle",
        needs=(("First name",), ("Last name", "Surname"), ("Email address", "ID number")),
        ids=("Email address", "ID number", "Username"),
        names=(("Last name", "First name"), ("Surname", "First name")),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Filled:
    """A file with grades.

    Attributes:
        text: its whole content.
        platform: whose it is.
        written: the students whose grade is in it.
        replaced: rows that had another grade before.
        refused: why a row was not changed, in sentences.
        strangers: rows of the file without a student in the gradebook.
        absent: students with a grade and without a row.
    """

    text: str
    platform: str
    written: tuple[Student, ...]
    replaced: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    absent: tuple[Student, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Cell:
    start: int
    end: int
    value: str


@dataclass(kw_only=True)
class _Row:
    line: int
    cells: Mapping[str, _Cell]
    number: str
    ids: frozenset[str]
    names: frozenset[str]
    shown: str
    found: list[Student] = field(default_factory=list)
    why: str = ""
    kept: str = ""

    @property
    def label(self) -> str:
        return f"row {self.line} ({self.shown})"


def read(raw: bytes) -> str:
    """Return the content of a file as text.

    Raises:
        IntoError: it is not text in UTF-8, or too large.
    """
    if len(raw) > LARGEST:
        raise IntoError(f"it has {len(raw):,} bytes; at most {LARGEST:,} are read")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IntoError(_NOT_CSV) from error


def fill(
    text: str,
    grades: Iterable[tuple[Student, float | None]],
    *,
    assignment: str,
    most: float,
    column: str = "",
    came: Callable[[Student], Collected] = lambda student: Collected(),
) -> Filled:
    """Write grades into the text of a platform's file.

    Args:
        text: the content of the file.
        grades: each student's grade; ``None`` leaves the cell as it is.
        assignment: the assignment's name, for its column.
        most: the points that can be earned.
        column: the title of the column, if it is not the assignment's name.
        came: returns how a student's submission came from the platform.

    Raises:
        IntoError: the file is of no known kind, or its column or its points do not fit.
    """
    table = _table(text)
    titles = [cell.value.strip() for cell in table[0]] if table else []
    kind = next((each for each in KINDS if _fits(each, titles)), None)
    if kind is None:
        raise IntoError(_NOT_KNOWN)
    target = _column(kind, titles, column, assignment)
    rows = _rows(kind, titles, target, table[1:], most)
    known = list(grades)
    _match(rows, [student for student, _ in known], kind, came)
    given = {student.id: grade for student, grade in known}
    edits: list[tuple[_Cell, str]] = []
    written, replaced, refused, strangers = [], [], [], []
    for row in rows:
        if row.why:
            refused.append(f"{row.label}: {row.why}")
        elif not row.found:
            strangers.append(row.label)
        elif (grade := given[row.found[0].id]) is None:
            continue
        elif row.kept:
            refused.append(f"{row.label}: {row.kept}")
        else:
            cell, new = row.cells[target], points(grade)
            edits.append((cell, new))
            written.append(row.found[0])
            if cell.value.strip() not in {"", "-"} and _number(cell.value) != float(new):
                replaced.append(f"{row.label}: {cell.value.strip()} is now {new}")
    seen = {student.id for row in rows for student in row.found}
    return Filled(
        text=_edited(text, edits),
        platform=kind.platform,
        written=tuple(written),
        replaced=tuple(replaced),
        refused=tuple(refused),
        strangers=tuple(strangers),
        absent=tuple(each for each, grade in known if grade is not None and each.id not in seen),
    )


def _table(text: str) -> list[list[_Cell]]:
    """Split a file into rows of cells with their positions; empty lines are left out."""
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    mark = max(",;\t", key=first.count)
    pattern = re.compile(
        rf'("[^"]*(?:""[^"]*)*"|[^"{mark}\r\n][^{mark}\r\n]*|)({mark}|\r\n|\n|\r|\Z)'
    )
    position = len(text) - len(text.removeprefix("\ufeff"))
    table: list[list[_Cell]] = []
    row: list[_Cell] = []
    while position < len(text) or row:
        match = pattern.match(text, position)
        if match is None:
            raise IntoError(f"row {len(table) + 1} has a quotation mark that does not end")
        raw = match[1]
        value = raw[1:-1].replace('""', '"') if raw.startswith('"') else raw
        row.append(_Cell(start=match.start(1), end=match.end(1), value=value))
        position = match.end()
        if match[2] != mark:
            table.append(row)
            row = []
    return [cells for cells in table if any(cell.value for cell in cells)]


def _fits(kind: Kind, titles: Sequence[str]) -> bool:
    return all(any(each in titles for each in some) for some in kind.needs)


def _column(kind: Kind, titles: Sequence[str], column: str, assignment: str) -> str:
    """Return the title of the column for the grades."""
    column = kind.grade or column
    if column:
        found = [title for title in titles if title == column]
    else:
        found = [title for title in titles if _title(title) == _title(assignment)]
    if len(found) != 1:
        wanted = column or assignment
        what = "more than one column" if found else "no column"
        raise IntoError(f"{what} called {wanted!r}; --column chooses one of: {'; '.join(titles)}")
    return found[0]


def _title(title: str) -> str:
    found = _TITLE.match(title)
    return _plain(found[1] if found else title)


def _rows(
    kind: Kind, titles: Sequence[str], target: str, table: Sequence[Sequence[_Cell]], most: float
) -> list[_Row]:
    """Return the rows of students.

    Raises:
        IntoError: the platform has other points for the assignment.
    """
    rows: list[_Row] = []
    for line, cells in enumerate(table, start=2):
        by_title = dict(zip(titles, cells, strict=False))
        values = {title: cell.value.strip() for title, cell in by_title.items()}
        number = re.sub(r"[^0-9]", "", values.get(kind.number, "")) if kind.number else ""
        ids = frozenset(_plain(values[title]) for title in kind.ids if values.get(title))
        parts = next(some for some in kind.names if some[0] in titles) if kind.names else ()
        shown = ", ".join(values[part] for part in parts if values.get(part))
        above = "Points Possible" in shown or (not shown and not rows)
        if kind.platform == "canvas" and not number and not ids and above:
            _agree(values.get(target, ""), most)
            continue
        row = _Row(
            line=line,
            cells=by_title,
            number=number,
            ids=ids,
            names=_names(shown),
            shown=shown or values.get(kind.number, "") or "no name",
        )
        for title in kind.most:
            _agree(values.get(title, ""), most)
        if target not in by_title:
            row.kept = f"it has no cell under {target}"
        elif values[target].casefold() in _KEPT:
            row.kept = f"the platform has {values[target]} there"
        elif values.get(kind.locked, "") == "No":
            row.kept = "the platform says that its grade cannot be changed"
        rows.append(row)
    return rows


def _agree(shown: str, most: float) -> None:
    theirs = _number(shown)
    if theirs is not None and abs(theirs - most) > 0.005:
        raise IntoError(
            f"the platform has {shown} points for the assignment, and the gradebook has "
            f"{points(most)}: set {points(most)} on the platform and download the file again"
        )


def _number(shown: str) -> float | None:
    """Return a number with a decimal point or comma; ``None`` for anything else."""
    try:
        return float(shown.strip().replace(",", "."))
    except ValueError:
        return None


def _match(
    rows: Sequence[_Row],
    students: Sequence[Student],
    kind: Kind,
    came: Callable[[Student], Collected],
) -> None:
    """Find the student of each row, or the reason why that is not certain."""
    by_number: dict[str, list[Student]] = {}
    by_id: dict[str, list[Student]] = {}
    by_name: dict[str, list[Student]] = {}
    numbers: dict[str, str] = {}
    for student in students:
        arrived = came(student)
        number = arrived.number if arrived.platform == kind.platform else ""
        if not number and kind.platform == "canvas" and student.lms.isascii():
            number = student.lms if student.lms.isdigit() else ""
        if number and kind.number:
            numbers[student.id] = number
            by_number.setdefault(number, []).append(student)
        for id in {_plain(student.id), _plain(student.email)} - {""}:
            by_id.setdefault(id, []).append(student)
        for name in _names(student.id) | _names(student.name):
            by_name.setdefault(name, []).append(student)
    called = Counter(name for row in rows for name in row.names)
    for row in rows:
        sure = list(by_number.get(row.number, ())) if row.number else []
        sure += [student for id in row.ids for student in by_id.get(id, ())]
        found = {student.id: student for student in sure}
        if not found:
            alike = [student for name in row.names for student in by_name.get(name, ())]
            found = {each.id: each for each in alike if not _differ(row, each, numbers)}
            twice = any(called[name] > 1 for name in row.names)
            if found and twice:
                row.why = "the file has this name more than once, and no id decides"
        row.found = list(found.values())
        if len(found) > 1:
            who = ", ".join(sorted(found))
            row.why = f"it could be any of these students: {who}"
    claimed = Counter(student.id for row in rows for student in row.found)
    for row in rows:
        for student in row.found:
            if claimed[student.id] > 1:
                row.why = row.why or f"{student.id} fits more than one row"


def _differ(row: _Row, student: Student, numbers: Mapping[str, str]) -> bool:
    """Return whether a number or an address contradicts a match by name."""
    if row.number and student.id in numbers:
        return True  # the same number would have matched
    email = _plain(student.email)
    return "@" in email and any("@" in id for id in row.ids) and email not in row.ids


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _names(name: str) -> frozenset[str]:
    """Return the forms of a name: ``Last, First`` is also ``First Last``."""
    plain = _plain(name)
    last, comma, first = plain.partition(", ")
    return frozenset({plain, f"{first} {last}"} if comma else {plain}) - {""}


def _edited(text: str, edits: Iterable[tuple[_Cell, str]]) -> str:
    """Return a text with new values in some cells; a cell in quotes stays in quotes."""
    parts, position = [], 0
    for cell, new in sorted(edits, key=lambda edit: edit[0].start):
        quote = '"' if text[cell.start : cell.start + 1] == '"' and cell.end > cell.start else ""
        parts += [text[position : cell.start], quote, new, quote]
        position = cell.end
    return "".join([*parts, text[position:]])
