"""The instructor's page: one file, no script, no request."""

from datetime import datetime

from plaincourse.classroom import lessons, people, sections
from plaincourse.classroom.markup import Html, join, tag
from plaincourse.classroom.model import Classroom
from plaincourse.classroom.style import CSS
from plaincourse.classroom.tasks import Book

# Even if something slipped through the escaping, the browser would neither run nor fetch it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(room: Classroom, book: Book, *, made: datetime) -> str:
    """Return the report as one HTML page.

    Args:
        room: the class.
        book: where the book teaches what.
        made: the time to put on it.
    """
    parts = {
        "attention": ("What needs you", people.attention(room)),
        "totals": ("Distribution of totals", sections.totals(room)),
        "exercises": ("Exercises: difficulty and discrimination", sections.exercises(room)),
        "again": ("What to teach again", lessons.again(room, book)),
        "misconceptions": ("Misconceptions", lessons.misconceptions(room)),
        "requirements": ("Requirements", sections.requirements(room)),
        "times": ("Time and memory", sections.times(room)),
        "students": ("All students", people.register(room)),
    }
    links = (tag("li", tag("a", title, href=f"#{id}")) for id, (title, _) in parts.items())
    body = (
        tag("section", tag("h2", title, id=id), content, aria_labelledby=id)
        for id, (title, content) in parts.items()
    )
    title = f"Class report: {room.assignment}"
    head = join(
        [
            Html('<meta charset="utf-8">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html(
                '<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">'
            ),
            tag("title", title),
            tag("style", Html(CSS)),
        ]
    )
    top = tag(
        "header",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag("h1", title),
        tag("p", f"Made on {made:%d %B %Y at %H:%M}. It holds names and grades: keep it private."),
        sections.facts_list(_facts(room)),
        tag("nav", tag("ul", *links), aria_label="Sections"),
    )
    foot = tag(
        "footer",
        tag(
            "p",
            "Scores and names come from nbgrader's gradebook, the rest from the records of "
            "autograding. Your browser's search finds any name on this page.",
            class_="quiet",
        ),
    )
    main = tag("main", *body, id="report", tabindex="-1")
    whole = tag("html", tag("head", head), tag("body", top, main, foot), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _facts(room: Classroom) -> list[tuple[str, str]]:
    flagged = sum(work.status == "flagged" for work in room.counted)
    waiting = sum(bool(work.waiting) for work in room.counted)
    return [
        ("Submissions", str(len(room.works))),
        ("Graded", str(len(room.counted))),
        ("Flagged", str(flagged)),
        ("Failed", str(len(room.works) - len(room.counted))),
        ("Wait for a person", str(waiting)),
        ("Nothing handed in", str(len(room.missing))),
    ]
