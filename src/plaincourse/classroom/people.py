"""The report's sections on people: submissions that need a look, and the register."""

from collections.abc import Sequence

from plaincourse.classroom.markup import Html, code, count, html, join, number, prose, table, tag
from plaincourse.classroom.model import Classroom, Flag, Student, Work
from plaincourse.classroom.sections import title_of
from plaincourse.grading.jobs import EXPLAIN

_DO = {
    "unconfirmed": "The pass was decided in the student's own process. Read the answer before you "
    "trust it.",
    "forbidden": "Read the answer, or the file beside it: it uses what is not allowed.",
    "foreign": "It was not read: it is no plain file, or its name leads out of the archive. If "
    "work that counts is missing, ask its author for the file itself, put that into the student's "
    "folder, and grade again.",
    "unopened": "Look at the file. If it holds work that counts, unpack it into the student's "
    "folder, and grade again.",
    "tells": "Read the answers: they may recognise what they are tested on. If so, draw other "
    "seeds.",
    "table": "Read the answer: it may know what the check shows by heart, and nothing else.",
    "looks": "Read all cells of the notebook: it looks at the machinery that tests it.",
    "processes": "Read all cells of the notebook: a process that one starts or leaves running "
    "could answer for its author. If an answer is right but for a process that it was refused, "
    "give points by hand in formgrader.",
    "tampered": "If a locked cell or its points were changed, or cells for points made up, compare "
    "the submission with the release. If its process sent what no answer sends, read all its "
    "cells. Ask its author.",
    "package": "If students may use the package, install it where grading runs, and grade again; "
    "put a file that a student forgot beside the notebook. Otherwise read the answer: it may be "
    "right but for this.",
    "device": "Read the answer: it asks for a device that grading does not have. Run it where "
    "there is one, and give points by hand in formgrader.",
    "died": "The student's code ended its own process. Other cells were run again without it and "
    "kept their points; run the notebook by hand if that seems unfair.",
    "unread": "If you can put right in the student's folder what is said here, do so and grade "
    "again. Otherwise ask its author for the file that was meant.",
    "elsewhere": "An answer may stand where the check does not look. Read it there, and give "
    "points by hand in formgrader.",
    "lost": "Read the answers that are named. If they are right, give points by hand in "
    "formgrader, or mend the cell that stopped and grade again.",
    "left out": "If an answer reads one of these files, run the notebook with them by hand. "
    "Otherwise there is nothing to do.",
    "flood": "The output was cut. Nothing to do unless the score looks wrong.",
    "slow": "If the answer looks right, the machine may have been busy: raise c.Execute.timeout in "
    "nbgrader_config.py, and grade again.",
    "late": "Nothing to do, unless lateness shall cost something else: then set another penalty in "
    "nbgrader_config.py. What it costs now is in the table of all students.",
    "marked late": "If lateness shall cost points, write the time into timestamp.txt beside the "
    "notebook, and grade again.",
    "undated": "Write the time into timestamp.txt beside the notebook, as in 2027-02-01 23:59:00 "
    "UTC, and grade again.",
    "renamed": "Rename the student's folder in submitted/, and grade again.",
    "older": "Nothing to do.",
    "comment": "Read what the student wrote. Files that it speaks of were not graded.",
    "out of time": "It was not run, and earned nothing, because the submission took too long. Run "
    "it by hand, or raise c.SplitExecute.budget in nbgrader_config.py and grade again.",
    "earlier release": "Nothing to do, unless the present release shall count: then ask the "
    "student to fetch it again and to hand in anew.",
    "corrected": "The course was changed after the release. Nothing to do.",
    "penalty": "Correct the late plugin, or what it reads, and run `plaincourse autograde` again: "
    "points are kept, and only the penalty is computed.",
    "restored": "A locked cell was missing or changed and was put back. Nothing to do, unless it "
    "happens often.",
    "mended": "What is said here was put right before grading. Nothing to do.",
    "unsandboxed": "The code ran with your rights. Check what it did, and grade where there is a "
    "sandbox.",
}
_FLAG_HEADS = ("Name", "Id", "Cells", "Kind", "What happened~", "What to do~")
#: The number of rows, or names, up to which a list that needs no action is not folded.
_OPEN = 4
_NO_REASON = "no reason was recorded"
_OTHER = "Open the submission and look at this cell."


def attention(room: Classroom) -> Html:
    """Return the section on everything that needs the instructor's attention."""
    parts = [tag("p", note, class_="warn") for note in (*room.notes, *_together(room))]
    kinds = (_failed, _flagged, _waiting, _ungraded, _missing, _remarks)
    parts += [part for part in (kind(room) for kind in kinds) if part]
    return join(parts) or tag("p", "Nothing: all is graded, nobody is missing, no flag is raised.")


def register(room: Classroom) -> Html:
    """Return the table of all students, sorted by name."""
    heads = ("Name", "Id", "Status", "Total#", "Late penalty#", "Grade#")
    items = [f"{item.key[1]}#" for item in room.items]
    rows = [(work.student.order, _row(work, room)) for work in room.works]
    for said, students in (("nothing handed in", room.missing), ("not graded yet", room.ungraded)):
        blank = ("–",) * (3 + len(items))
        rows += [(s.order, (_name(s), tag("code", s.id), said, *blank)) for s in students]
    ordered = [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    caption = (
        f"{count(len(ordered), 'student')}, by name. Waits: an answer waits for a person, and the "
        "total lacks its points."
    )
    return table(caption, (*heads, *items), ordered)


def status(work: Work) -> str:
    """Return the status of a submission in a few words."""
    if work.failed:
        return "failed"
    said = ["flagged"] if work.status == "flagged" else []
    if work.waiting:
        said.append("waits")
    return ", ".join(said) or "graded"


def _row(work: Work, room: Classroom) -> tuple[object, ...]:
    marks = [work.marks.get(item.key) for item in room.items]
    scores = ["–" if mark is None else _score(mark.score) for mark in marks]
    points = ("–", "–", "–")
    if not work.failed:
        points = (number(work.total), number(work.penalty), number(work.grade))
    return (_name(work.student), tag("code", work.student.id), status(work), *points, *scores)


def _score(score: float | None) -> str:
    return "waits" if score is None else number(score)


def _together(room: Classroom) -> list[Html]:
    together = sum(work.together for work in room.works)
    some = f"{together} of {len(room.works)}"
    who = "All submissions" if together == len(room.works) else f"{some} submissions"
    why = "graded with `--one-process`, where student code can make up a pass"
    return [prose(f"{who} were {why}: no pass is confirmed.")] if together else []


def _failed(room: Classroom) -> Html:
    rows = [
        (_name(work.student), tag("code", work.student.id), code(work.why or _NO_REASON))
        for work in room.works
        if work.failed
    ]
    advice = "These have no grade. Mend what the reason names and run `plaincourse autograde` "
    advice += "again, or give the points by hand in formgrader."
    return _part("Failed submissions", advice, ("Name", "Id", "Why~"), rows)


def _flagged(room: Classroom) -> Html:
    rows = _flags(room, explain=False)
    for work in room.works:
        if work.status == "flagged" and not work.flags:
            who = (_name(work.student), tag("code", work.student.id))
            rows.append((*who, "–", "flagged", code(work.why or _NO_REASON), _OTHER))
    advice = "Their grades stand as they are until you change them in formgrader."
    return _part("Flagged submissions", advice, _FLAG_HEADS, rows)


def _remarks(room: Classroom) -> Html:
    advice = "These explain a grade. They raise no suspicion."
    return _part("Remarks", advice, _FLAG_HEADS, _flags(room, explain=True), one="remark")


def _flags(room: Classroom, *, explain: bool) -> list[tuple[object, ...]]:
    """List the flags that explain a grade, or the others, one row per student and kind."""
    found: dict[tuple[str, str], tuple[Student, list[Flag]]] = {}
    for work in room.works:
        for flag in work.flags:
            if (flag.kind in EXPLAIN) == explain:
                key = work.student.id, flag.kind
                found.setdefault(key, (work.student, []))[1].append(flag)
    return [
        (
            _name(who),
            tag("code", id),
            _cells([flag.cell for flag in flags]),
            kind,
            _reasons([flag.why for flag in flags]),
            _DO.get(kind, _OTHER),
        )
        for (id, kind), (who, flags) in found.items()
    ]


def _reasons(whys: list[str]) -> Html:
    """Show each reason once; all but the first are folded."""
    first, *more = (code(why) for why in dict.fromkeys(whys))
    if not more:
        return first
    listed = tag("ul", *(tag("li", why) for why in more))
    return join([first, tag("details", tag("summary", f"{len(more)} more"), listed)])


def _cells(names: list[str]) -> Html:
    """Show the names of some cells, folded if there are many."""
    codes = [tag("code", name) for name in dict.fromkeys(names) if name]
    if not codes:
        return html("whole notebook")
    listed = join(codes, by=", ")
    if len(codes) <= _OPEN:
        return listed
    return tag("details", tag("summary", count(len(codes), "cell")), listed)


def _waiting(room: Classroom) -> Html:
    waiting = {
        item.key: [work.student for work in room.counted if item.key in work.waiting]
        for item in room.items
    }
    rows = [
        (title_of(key), len(students), _fold(students))
        for key, students in waiting.items()
        if students
    ]
    advice = "Read these in formgrader (Manual Grading). Until then the totals lack their points."
    return _part("Answers that wait for a person", advice, ("Exercise", "Students#", "Who"), rows)


def _ungraded(room: Classroom) -> Html:
    rows = [(_name(student), tag("code", student.id)) for student in room.ungraded]
    advice = "These are in submitted/ and nowhere else: run `plaincourse autograde`."
    return _part("Handed in, not graded yet", advice, ("Name", "Id"), rows)


def _missing(room: Classroom) -> Html:
    rows = [(_name(student), tag("code", student.id), student.email) for student in room.missing]
    advice = "They are in the gradebook, and there is no submission of theirs."
    return _part("Nothing handed in", advice, ("Name", "Id", "E-mail"), rows, one="student")


def _part(
    title: str,
    advice: str,
    heads: tuple[str, ...],
    rows: Sequence[Sequence[object]],
    *,
    one: str = "",
) -> Html:
    """Return a list under its heading, folded if it is long and ``one``, its noun, is given."""
    if not rows:
        return Html("")
    listed = table(title, heads, rows, said=True)
    if one and len(rows) > _OPEN:
        listed = tag("details", tag("summary", count(len(rows), one)), listed)
    return join([tag("h3", title), tag("p", prose(advice)), listed])


def _fold(students: list[Student]) -> Html:
    return tag(
        "details",
        tag("summary", count(len(students), "name")),
        join(map(_name, students), by="; "),
    )


def _name(student: Student) -> Html:
    return tag("bdi", student.name)
