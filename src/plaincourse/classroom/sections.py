"""The report's sections on points and on misconceptions.

They show totals, exercises, requirements and times, the beliefs of the class, and the topics to
teach again.
"""

from collections import Counter

from plaincourse.classroom import charts, measures, tasks
from plaincourse.classroom.markup import Html, count, html, join, number, prose, table, tag
from plaincourse.classroom.measures import FEW, Figures, Finding
from plaincourse.classroom.model import Classroom, Key, Student
from plaincourse.classroom.tasks import Book, Section

_AGAIN, _SHOWN = 3, 12
_MISCONCEPTION_HEADS = (
    "Misconception",
    "Exercise",
    "Students#",
    "Of those checked",
    "What they believed~",
    "What they were told~",
)


def totals(room: Classroom) -> Html:
    """Return the section on the distribution of totals."""
    values = [work.total for work in room.counted]
    five = measures.summary(values)
    if five is None or room.points <= 0:
        return tag("p", "No submission is graded yet, so there is nothing to distribute.")
    bins = measures.histogram(values, room.points)
    edges = [room.points * edge / len(bins) for edge in range(len(bins) + 1)]
    rows = [
        (f"{number(low)} to {number(high)}", many)
        for low, high, many in zip(edges, edges[1:], bins, strict=False)
    ]
    waiting = sum(bool(work.waiting) for work in room.counted)
    facts = [
        ("Median", number(five.median)),
        ("Quartiles", f"{number(five.lower)} and {number(five.upper)}"),
        ("Mean", number(five.mean)),
        ("Lowest, highest", f"{number(five.least)}, {number(five.most)}"),
    ]
    caption = (
        f"How many submissions have how many of the {number(room.points)} points. The strip below "
        "the bars: a line from lowest to highest, a box over the middle half, a stroke at the "
        "median. Late penalties are not taken off."
    )
    parts = [
        tag("figure", charts.totals(bins, five, room.points), tag("figcaption", caption)),
        facts_list(facts),
        tag(
            "details",
            tag("summary", "The same as a table"),
            table("Submissions by total", ("Points", "Submissions#"), rows),
        ),
    ]
    if waiting:
        said = f"{count(waiting, 'total')} can still rise: answers wait for a person."
        parts.insert(0, tag("p", said, class_="warn"))
    return join(parts)


def exercises(room: Classroom) -> Html:
    """Return the section on the difficulty and discrimination of each exercise."""
    all_ = measures.figures(room)
    heads = (
        "Exercise",
        "Points#",
        "Mean share, difficulty",
        "Discrimination#",
        "What it says~",
        "Full#",
        "Partial#",
        "None#",
        "Blank#",
        "Waiting#",
    )
    parts = [table("Exercises, in the order of the notebook", heads, map(_exercise, all_))]
    if len(room.counted) < FEW:
        parts.insert(0, tag("p", _few(len(room.counted)), class_="warn"))
    parts.append(tag("p", _DEFINITIONS, class_="quiet"))
    return join(parts)


def again(room: Classroom, book: Book) -> Html:
    """Return the section on topics to teach again: the commonest beliefs, and where to read.

    Args:
        room: the class.
        book: the book's sections.
    """
    found = measures.beliefs(room)[:_AGAIN]
    if not found:
        return tag("p", "Nothing stands out: no answer matches a known misconception.")
    return tag("ol", *(_belief(room, book, each) for each in found), class_="again")


def misconceptions(room: Classroom) -> Html:
    """Return the section on the misconceptions and their frequency, the commonest first."""
    found = measures.misconceptions(room)
    if not found:
        return tag("p", "No answer matches a misconception that the bank holds.")
    rows = list(map(_misconception, found))
    parts = [table("Misconceptions, the commonest first", _MISCONCEPTION_HEADS, rows[:_SHOWN])]
    if rest := rows[_SHOWN:]:
        most = len(found[_SHOWN].students)
        said = f"{len(rest)} more, each held by at most {count(most, 'student')}"
        more = table("The other misconceptions", _MISCONCEPTION_HEADS, rest, said=True)
        parts.append(tag("details", tag("summary", said), more))
    return join(parts)


def requirements(room: Classroom) -> Html:
    """Return the section on the share of students who met each requirement."""
    found = measures.requirements(room)
    if not found:
        return tag("p", prose("No record holds requirements: grade with `plaincourse autograde`."))
    parts = []
    for key, rungs in found.items():
        rows = [(rung.name, charts.share(rung.share), f"{rung.met} of {rung.of}") for rung in rungs]
        caption = f"Requirements of {key[1]} in {key[0]}"
        shown = table(caption, ("Requirement~", "Share that met it", "Met by#"), rows, said=True)
        parts.append(tag("div", tag("h3", title_of(key)), shown))
    return tag("div", *parts, class_="grid")


def times(room: Classroom) -> Html:
    """Return the section on the time of grading."""
    parts = []
    whole = measures.summary([work.seconds for work in room.works if work.seconds is not None])
    if whole:
        facts = [
            ("A submission, median", f"{number(whole.median)} s"),
            ("Slowest submission", f"{number(whole.most)} s"),
            ("All together", f"{number(whole.mean * whole.count, 1)} s"),
        ]
        held = measures.summary([work.memory for work in room.works if work.memory is not None])
        if held:
            facts.append(("Memory of a student's kernel, median", f"{number(held.median, 0)} MB"))
            facts.append(("Most memory of a kernel", f"{number(held.most, 0)} MB"))
        parts.append(facts_list(facts))
    rows = [
        (
            title_of(cost.item.key),
            number(cost.seconds.median, 3),
            number(cost.seconds.most, 3),
        )
        for cost in measures.costs(room)
    ]
    if rows:
        heads = ("Exercise", "Median seconds#", "Most seconds#")
        parts.append(table("Time by exercise, the slowest first", heads, rows))
    none = prose("No record holds times: grade with `plaincourse autograde`.")
    return join(parts) or tag("p", none)


def facts_list(facts: list[tuple[str, str]]) -> Html:
    """Return a few numbers with their labels."""
    return tag(
        "dl",
        *(tag("div", tag("dt", what), tag("dd", value)) for what, value in facts),
        class_="facts",
    )


def title_of(key: Key) -> Html:
    """Return an exercise's title with its grade id."""
    title = tasks.title(key)
    code = tag("code", key[1])
    return code if title == key[1] else join([title, code], by=" ")


def _exercise(each: Figures) -> tuple[object, ...]:
    r = each.discrimination
    return (
        title_of(each.item.key),
        number(each.item.points),
        _difficulty(each.share),
        "–" if r is None else f"{r:.2f}".replace("-", "−"),
        measures.meaning(r, each.count),
        each.full,
        each.partial,
        each.none,
        each.blank,
        each.waiting,
    )


def _difficulty(share: float | None) -> Html:
    if share is None:
        return html("not scored yet")
    return join([charts.share(share), measures.difficulty(share)], by=" ")


def _few(how_many: int) -> str:
    return (
        f"With {count(how_many, 'submission')} these numbers are mostly chance. Read a "
        f"correlation from {FEW} on, and trust it from 50 on."
    )


def _belief(room: Classroom, book: Book, held: list[Finding]) -> Html:
    first, students = held[0], measures.holders(held)
    believed = prose(first.believed) if first.believed else tag("code", first.name)
    where = join((title_of(each.key) for each in held), by=", ")
    who = f"{len(students)} of {count(len(room.counted), 'student')}, in "
    parts = [tag("p", tag("strong", believed)), tag("p", who, where, ".")]
    if sections := _sections(book, held):
        parts += [tag("p", "Read again:"), tag("ul", *map(_section, sections))]
    return tag("li", *parts, _fold(students))


def _sections(book: Book, held: list[Finding]) -> list[Section]:
    """List the sections that correct a belief: those that most of its holders just practised."""
    weights: Counter[Section] = Counter()
    for each in held:
        weights.update(dict.fromkeys(book.sections(each.key), len(each.students)))
    return [section for section, _ in weights.most_common(_AGAIN)]


def _section(section: Section) -> Html:
    text = prose(section.text)
    linked = tag("a", text, href=section.url) if section.url else text
    return tag("li", linked, " (", prose(section.place), ")")


def _misconception(each: Finding) -> tuple[object, ...]:
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


_DEFINITIONS = (
    "Difficulty is the share of its points that the class earned: easy from 85 %, hard below 50 %. "
    "Discrimination is the correlation between the points in an exercise and the share earned in "
    "all the others: from 0.4 good, from 0.2 fair, below 0.2 low. An exercise with a low one tells "
    "little about who understands; with a negative one it rewards those who do worse elsewhere, "
    "which is most often an unclear prompt or a wrong check. An exercise that nearly all solve, or "
    "nearly none, has a low one of necessity. Blank: the answer is as it was handed out. None: it "
    "was worked on and earned nothing. Failed submissions are left out."
)
