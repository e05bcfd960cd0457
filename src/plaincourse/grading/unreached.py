"""Make answers in code next to or above a stub count, and report those that cannot run."""

import re
from collections.abc import Iterable

from plaincourse.grading.assignment import SourceCell
from plaincourse.grading.own_work import Writing, is_blank, parsed, wanted
from plaincourse.grading.recognise import Item, Submitted
from plaincourse.grading.stubs import (
    free,
    in_the_way,
    is_stub,
    may_hold_stub,
    without,
    without_stub,
)

_FREED = "In cell {number}, in your answer to `{name}`, {said}. What you wrote was graded."
_COVERED = (
    "In cell {number}, `{name}` stood once more, with nothing in it, below your answer, and would "
    "have taken its place. It was left out."
)
_STOPPED = (
    "Your answer to `{name}` has code of yours in it, and cannot be graded as it stands: {why}."
)
_LOOKED_AT = " A person looks at it."
_STOPPED_WHY = (
    "The answer to `{name}` has code of the student's in it, which the check could not reach: "
    "{why}. Read it, and give points by hand."
)

_MARKS = re.compile(r"^[ \t]*(?:<{7}|>{7})(?:[ \t]|$)", flags=re.MULTILINE)
_CONFLICT = "it has the marks of a merge conflict in it, and so two versions"


def free_answers(work: Submitted) -> None:
    """Remove the parts of given stubs that keep answers in code from running."""
    asked = {
        cell: wanted(cell, work.source)
        for cell in work.source.cells
        if cell.solution and cell.cell_type == "code"
    }
    for item in work.items:
        if item.cell.cell_type != "code" or _is_locked(item):
            continue
        if not may_hold_stub(item.cell.source):
            continue
        for cell, names in asked.items():
            text = item.cell.source
            ours = item.source is cell or names & Writing(text, code=True).binds
            if not ours or _is_passed_over(work, cell, item, names):
                continue
            item.cell["source"], done = free(text, cell.source, names)
            name = work.test_name(cell)
            for said in done:
                work.tell(_FREED.format(number=item.number, name=name, said=said), name)


def uncover_answers(work: Submitted) -> None:
    """Remove stubs between an answer and its check, which would test the stub instead."""
    for cell in work.source.cells:
        if not cell.solution or cell.cell_type != "code":
            continue
        own = (work.items[place] for place in work.places(cell.name))
        item = work.elsewhere.get(cell.name) or next(own, None)
        if item is None:
            continue
        test = work.test_name(cell)
        between = work.items[work.items.index(item) + 1 : max(work.places(test), default=0)]
        stubs = [each for each in between if each.cell.cell_type == "code" and not _is_locked(each)]
        stubs = [each for each in stubs if may_hold_stub(each.cell.source)]
        names = wanted(cell, work.source) if stubs else set()
        text = item.cell.source
        if not stubs or is_blank(text, cell) or is_stub(text, cell.source, names):
            continue
        for other in stubs:
            was = other.cell.source
            other.cell["source"] = left = without_stub(was, cell.source, names)
            if left != was and other.copied is not cell:  # copies are reported already
                work.tell(_COVERED.format(number=other.number, name=min(names)), test)


def tell_what_stops(work: Submitted) -> None:
    """Flag answers in code that hold a student's own code and cannot earn anything."""
    for cell in work.source.cells:
        own = [work.items[place] for place in work.places(cell.name)]
        item = work.elsewhere.get(cell.name) or next(iter(own), None)
        if item is None or not cell.solution or item.cell.cell_type != "code":
            continue
        text = item.cell.source
        if _MARKS.search(text) and parsed(text) is None:
            _tell(work, cell, _CONFLICT)
            continue
        if cell.cell_type != "code" or not may_hold_stub(text) or is_blank(text, cell):
            continue
        foreign = [each for each in work.source.cells if work.elsewhere.get(each.name) is item]
        if cell not in foreign and is_blank(without(text, _names(work, foreign)), cell):
            continue  # the code next to the stub answers another task
        if why := in_the_way(text, cell.source, wanted(cell, work.source)):
            _tell(work, cell, why)


def _tell(work: Submitted, cell: SourceCell, why: str) -> None:
    name = work.test_name(cell)
    said = {"name": name, "why": why}
    if not work.counts(cell):  # no points to give by hand
        work.tell(_STOPPED.format(**said), name)
        return
    flag = _STOPPED_WHY.format(**said)
    work.tell(_STOPPED.format(**said) + _LOOKED_AT, name, kind="elsewhere", why=flag)


def _is_passed_over(work: Submitted, cell: SourceCell, item: Item, names: set[str]) -> bool:
    """Return whether a cell is a copy, or below the check, of an answer that its own cell holds."""
    own = next((work.items[place] for place in work.places(cell.name)), item)
    if own is item or is_blank(own.cell.source, cell):
        return False
    if is_stub(own.cell.source, cell.source, names):
        return False
    checks = work.places(work.test_name(cell))
    return item.copied is cell or (bool(checks) and max(checks) < work.items.index(item))


def _is_locked(item: Item) -> bool:
    return item.source is not None and item.source.locked


def _names(work: Submitted, cells: Iterable[SourceCell]) -> set[str]:
    return {name for cell in cells for name in wanted(cell, work.source)}
