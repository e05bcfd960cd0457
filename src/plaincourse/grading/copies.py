"""Choose among the copies of a cell of the assignment: one is graded, the others stay and run.

JupyterLab copies nbgrader's data with a cell, so several cells of a notebook can have one name.

- For an answer in code, the copy that the student's own check tested counts: the last one above
  that check, run from top to bottom. An answer that differs from it is reported and flagged, unless
  the chosen copy replaced it before any check had run. An unedited copy does not count, and does
  not replace the chosen one (`uncover_answers`).
- For an answer in words, all differing copies count, in order, because a person reads them.
- For a locked cell, the first copy below the answer that it tests counts, or else the last. Its
  text comes from the course anyway; only its place matters.
"""

from plaincourse.grading.assignment import SourceCell
from plaincourse.grading.own_work import defines, is_blank, same_code, wanted
from plaincourse.grading.recognise import Submitted
from plaincourse.grading.stubs import free, in_the_way, is_stub
from plaincourse.grading.text import bare, with_and

_LAST = "The last one that you wrote in was graded."
_ONE = "The one in cell {number} was graded."
_OTHERS = (
    "The cell `{name}` was there {times}, with different answers. The one in cell {number} was "
    "graded, because it is {why}. A person looks at {cells}."
)
_OTHERS_WHY = (
    "The cell `{name}` was there {times}, with different answers. The one in cell {number} was "
    "graded, because it is {why}. Read {cells} of the submission, and give points by hand if the "
    "answer that was meant is there."
)


def keep_one_copy(work: Submitted) -> None:
    """Leave one copy of each cell of the assignment."""
    for cell in sorted(work.source.cells, key=lambda cell: cell.locked):
        places = work.places(cell.name)
        if len(places) < 2:
            continue
        others: list[int] = []
        if not cell.solution:
            kept, told = _behind(work, cell, places), "Its place below your answer was graded."
        elif cell.cell_type == "code":
            kept, others, told = _seen(work, cell, places)
        else:
            kept, told = _joined(work, cell, places), "All that you wrote in them was kept."
        for place in places:
            if place != kept:
                work.items[place].source = None
                work.items[place].meta = {}
                work.items[place].copied = cell
        times = {2: "twice"}.get(len(places), f"{len(places)} times")
        if others and not work.counts(cell):
            others, told = [], _ONE.format(number=work.items[kept].number)
        if others:
            said = {"name": cell.name, "times": times, "number": work.items[kept].number}
            said |= {
                "why": told,
                "cells": cells_said([work.items[place].number for place in others]),
            }
            note, why = _OTHERS.format(**said), _OTHERS_WHY.format(**said)
            work.tell(note, work.test_name(cell), kind="elsewhere", why=why)
        else:
            work.tell(f"The cell `{cell.name}` was there {times}. {told}", cell.name)


def _seen(work: Submitted, cell: SourceCell, places: list[int]) -> tuple[int, list[int], str]:
    """Return which copy of an answer in code counts, which others may be meant, and a note."""
    names, own = wanted(cell, work.source), _written_in(work, cell, places)
    answers = [place for place in own if defines(work.items[place].cell.source, names)] or own
    if not answers:
        return places[0], [], _LAST
    kept, others, why = seen_by_check(work, cell, answers)
    if others:
        return kept, others, why
    return kept, [], _LAST if kept == own[-1] else _ONE.format(number=work.items[kept].number)


def seen_by_check(
    work: Submitted, cell: SourceCell, answers: list[int], *, stub: int = -1
) -> tuple[int, list[int], str]:
    """Return which of several answers in code counts, which others may be meant, and why.

    The student's own check decides: it tested the last one above it. Without a check below any of
    them, or if that one cannot earn points, the last that may earn points counts.

    Args:
        work: the notebook.
        cell: the cell for the answer.
        answers: the places of cells that hold one, in order; at least one.
        stub: the place of the unedited cell; it replaces an answer above it.
    """
    names = wanted(cell, work.source)
    texts = {place: work.items[place].cell.source for place in answers}
    checks = work.places(work.test_name(cell))
    above = [place for place in answers if place < max(checks, default=-1)]
    checked = [place for place in above if place > stub]
    kept = (checked or answers)[-1]
    if not (checked and _may_earn(texts[kept], cell, names)):
        below = [place for place in answers if place not in above[:-1] and place not in checked]
        kept = next((each for each in reversed(below) if _may_earn(texts[each], cell, names)), kept)
    others = [
        place
        for place in answers
        if not same_code(texts[place], texts[kept])
        and not (kept in checked and place < kept and not {*range(place, kept)} & {*checks})
    ]
    last = "the last one" if kept == answers[-1] else "the last complete one"
    return kept, others, "the last one above its check" if kept in checked else last


def _may_earn(text: str, cell: SourceCell, names: set[str]) -> bool:
    freed, _ = free(text, cell.source, names)
    return not (is_stub(freed, cell.source, names) or in_the_way(freed, cell.source, names))


def cells_said(numbers: list[int]) -> str:
    """Return a phrase that lists cells by their numbers."""
    return f"cell{'s' * (len(numbers) > 1)} {with_and(list(map(str, numbers)))}"


def _written_in(work: Submitted, cell: SourceCell, places: list[int]) -> list[int]:
    """Return the places whose text differs from the given one."""
    return [place for place in places if not is_blank(work.items[place].cell.source, cell)]


def _joined(work: Submitted, cell: SourceCell, places: list[int]) -> int:
    own = _written_in(work, cell, places) or places[:1]
    texts: list[str] = []
    for place in own:
        text = work.items[place].cell.source
        if not any(bare(text) in bare(other) for other in texts):
            texts = [other for other in texts if bare(other) not in bare(text)] + [text]
    work.items[own[-1]].cell["source"] = "\n\n".join(texts)
    return own[-1]


def _behind(work: Submitted, cell: SourceCell, places: list[int]) -> int:
    order = [each.name for each in work.source.cells]
    above = (work.source.by_name[name] for name in reversed(order[: order.index(cell.name)]))
    answer = next((each.name for each in above if each.solution), None)
    start = max(work.places(answer), default=-1) if answer else -1
    return next((place for place in places if place > start), places[-1])
