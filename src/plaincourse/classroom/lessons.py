"""The report's sections on what the class believes, and what to teach again."""

from collections import Counter

from plaincourse.classroom import charts, findings
from plaincourse.classroom.findings import Finding
from plaincourse.classroom.markup import Html, count, join, prose, table, tag
from plaincourse.classroom.model import Classroom, Student
from plaincourse.classroom.sections import title_of
from plaincourse.classroom.tasks import Book, Section

_AGAIN, _SHOWN = 3, 12
_HEADS = (
    "Misconception",
    "Exercise",
    "Students#",
    "Of those checked",
    "What they believed~",
    "What they were told~",
)


def misconceptions(room: Classroom) -> Html:
    """Return the section on which misconceptions hit how many, the commonest first."""
    found = findings.misconceptions(room)
    if not found:
        return tag("p", "No answer matches a misconception that the bank holds.")
    rows = list(map(_row, found))
    parts = [table("Misconceptions, the commonest first", _HEADS, rows[:_SHOWN])]
    if rest := rows[_SHOWN:]:
        most = len(found[_SHOWN].students)
        said = f"{len(rest)} more, each held by at most {count(most, 'student')}"
        more = table("The other misconceptions", _HEADS, rest, said=True)
        parts.append(tag("details", tag("summary", said), more))
    return join(parts)


def again(room: Classroom, book: Book) -> Html:
    """Return the section on what to teach again: the commonest beliefs, and where to look.

    Args:
        room: the class.
        book: the book's sections.
    """
    found = findings.beliefs(room)[:_AGAIN]
    if not found:
        return tag("p", "Nothing stands out: no answer matches a known misconception.")
    return tag("ol", *(_belief(room, book, each) for each in found), class_="again")


def _belief(room: Classroom, book: Book, held: list[Finding]) -> Html:
    first, students = held[0], findings.holders(held)
    believed = prose(first.believed) if first.believed else tag("code", first.name)
    where = join((title_of(each.key) for each in held), by=", ")
    who = f"{len(students)} of {count(len(room.counted), 'student')}, in "
    parts = [tag("p", tag("strong", believed)), tag("p", who, where, ".")]
    if sections := _sections(book, held):
        parts += [tag("p", "Read again:"), tag("ul", *map(_section, sections))]
    return tag("li", *parts, _fold(students))


def _sections(book: Book, held: list[Finding]) -> list[Section]:
    """List the sections that teach against a belief: those most of its holders just practised."""
    weights: Counter[Section] = Counter()
    for each in held:
        weights.update(dict.fromkeys(book.sections(each.key), len(each.students)))
    return [section for section, _ in weights.most_common(_AGAIN)]


def _section(section: Section) -> Html:
    text = prose(section.text)
    linked = tag("a", text, href=section.url) if section.url else text
    return tag("li", linked, f" ({section.place})")


def _row(each: Finding) -> tuple[object, ...]:
    told = [tag("p", prose(each.says))] if each.says else []
    return (
        tag("code", each.name),
        title_of(each.key),
        len(each.students),
        charts.share(len(each.students) / each.of) if each.of else "–",
        prose(each.believed) if each.believed else "The bank does not hold it.",
        tag("details", tag("summary", "Diagnosis and names"), *told, _names(each.students)),
    )


def _fold(students: tuple[Student, ...]) -> Html:
    summary = tag("summary", count(len(students), "name"))
    return tag("details", summary, _names(students))


def _names(students: tuple[Student, ...]) -> Html:
    return tag("p", join((tag("bdi", student.name) for student in students), by="; "))
