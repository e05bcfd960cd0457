"""Match each cell of a submitted notebook with its cell of the assignment.

A cell is identified by nbgrader's data in it. If a tool has dropped them, it is identified by its
id, by its text, by the name that it defines, or, for an answer in words, by its place.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.assignment import Source, SourceCell, heading
from plaincourse.grading.own_work import (
    defines,
    imports,
    is_the_courses,
    own_writing,
    wanted,
)
from plaincourse.grading.released import is_as_released
from plaincourse.grading.text import bare, with_and

_CHAPTER = (
    "this is the notebook of the chapter, \u201c{title}\u201d, and not the exercise, "
    "\u201c{wanted}\u201d. It has no cells for answers. Hand in the notebook of the exercise"
)
_ANOTHER = (
    "this is another notebook{named}, and not the exercise{wanted}: it has {few} of the "
    "{many} cells for answers and tests. Hand in the notebook of the exercise"
)
_MADE_UP = (
    "The notebook has cells for points that no release has: {names}. They earned nothing, and what "
    "is written in them may stand where an answer was missing."
)


@dataclass(kw_only=True, eq=False)
class Item:
    """A submitted cell.

    Attributes:
        cell: the cell, without nbgrader's data.
        source: the corresponding cell of the assignment; ``None`` if it is the student's own.
        meta: nbgrader's data in the submission.
        number: its place in the notebook as submitted, from 1; 0 if it was not in it.
        copied: the cell of the assignment of which it is a further copy, if it is one.
    """

    cell: NotebookNode
    source: SourceCell | None
    meta: dict[str, Any]
    number: int = 0
    copied: SourceCell | None = None

    @property
    def name(self) -> str:
        """Its grade id, or an empty text."""
        return self.source.name if self.source else ""


@dataclass(kw_only=True)
class Submitted:
    """A notebook under repair.

    Attributes:
        items: its cells in order.
        source: the assignment's cells.
        notes: the repairs, in sentences for the student and the instructor.
        flags: matters for the instructor to check: cell, kind, why.
        elsewhere: cells that hold another cell's answer, by the answer's name.
        recognised: whether any cell is certainly one of the assignment.
    """

    items: list[Item]
    source: Source
    elsewhere: dict[str, Item] = field(default_factory=dict)
    recognised: bool = False
    notes: list[str] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)
    _places: dict[str, list[int]] | None = None

    def tell(self, note: str, *names: str, kind: str = "mended", why: str = "") -> None:
        """Note a change once, and flag each cell that it concerns.

        Args:
            note: a sentence for the student.
            names: the cells.
            kind: of the flags.
            why: the sentence for the instructor, if it differs.
        """
        self.notes.append(note)
        self.flags += [{"cell": name, "kind": kind, "why": why or note} for name in names]

    def places(self, name: str) -> list[int]:
        """Return the places of a cell of the assignment; more than one if it was copied."""
        if self._places is not None:
            return self._places.get(name, [])
        return [index for index, item in enumerate(self.items) if item.name == name]

    @contextlib.contextmanager
    def settled(self) -> Iterator[None]:
        """Look the places up instead of searching for them, while nothing is moved or renamed."""
        self._places = {}
        for index, item in enumerate(self.items):
            self._places.setdefault(item.name, []).append(index)
        try:
            yield
        finally:
            self._places = None

    def test_name(self, cell: SourceCell) -> str:
        """Return the name of the check of an answer in code, which carries its points."""
        tests = (each.name for each in self.source.cells if self.source.answer_of(each) is cell)
        return next(tests, cell.name)

    def counts(self, cell: SourceCell) -> bool:
        """Return whether an answer carries points: those of a further task are 0."""
        tests = [each for each in self.source.cells if self.source.answer_of(each) is cell]
        return any(each.points != 0 for each in tests or [cell])

    def missing(self) -> list[SourceCell]:
        """List the cells of the assignment that are missing."""
        there = {item.name for item in self.items}
        return [cell for cell in self.source.cells if cell.name not in there]

    def gap(self, cell: SourceCell) -> range:
        """Return the places between the nearest existing neighbours of a cell."""
        order = [each.name for each in self.source.cells]
        number = order.index(cell.name)
        above = (self.places(name) for name in reversed(order[:number]))
        below = (self.places(name) for name in order[number + 1 :])
        first = next((found[-1] + 1 for found in above if found), 0)
        last = next((found[0] for found in below if found), len(self.items))
        return range(first, last)


def by_grade_id(cells: list[NotebookNode], source: Source) -> Submitted:
    """Match each cell with its cell of the assignment, as far as nbgrader's data in it permits."""
    items = []
    for number, cell in enumerate(cells, start=1):
        meta = cell.metadata.pop("nbgrader", {})
        name = meta.get("grade_id")
        known = source.by_name.get(name) if isinstance(name, str) else None
        items.append(Item(cell=cell, source=known, meta=meta, number=number))
    return Submitted(items=items, source=source)


def what_else(work: Submitted) -> str:
    """Describe a notebook that is not the assignment's; return an empty text if it may be.

    Defining the same names does not make it the assignment's, because chapters define the same
    functions as exercises.

    Args:
        work: a result of `by_grade_id`.
    """
    cells, (ours, foreign, others) = work.source.cells, _kinds(work)
    work.recognised = bool(ours)
    if 2 * len(ours) >= len(cells):
        return ""
    title = next(
        (found for item in work.items if item.cell.cell_type != "code"
         and (found := heading(item.cell.source))), ""
    )  # fmt: skip
    wanted_title = work.source.title
    shown = {"title": _quoted(title), "wanted": _quoted(wanted_title)}
    if not ours and title != wanted_title and wanted_title.startswith(title or "\0"):
        return _CHAPTER.format(**shown)
    if len(foreign) > len(ours) or (not ours and others > 1):
        named, wanted_name = (f", \u201c{each}\u201d" if each else "" for each in shown.values())
        few = len(ours) or "none"
        return _ANOTHER.format(named=named, wanted=wanted_name, few=few, many=len(cells))
    return ""


def _kinds(work: Submitted) -> tuple[set[str], set[str], int]:
    """Return our cells, other cells that nbgrader knew, and the number of cells of other pages."""
    ours, foreign, others = set(), set(), 0
    ids = {cell.id: cell.name for cell in work.source.cells}
    texts = {text: cell.name for cell in work.source.cells if cell.locked for text in cell.known}
    for item in work.items:
        text = bare(item.cell.source)
        name = item.name or ids.get(item.cell.id) or texts.get(text)
        if name:
            ours.add(name)
        elif isinstance(item.meta.get("grade_id"), str):
            foreign.add(item.meta["grade_id"])
        elif text not in work.source.given_texts and is_the_courses(item.cell):
            others += 1
    return ours, foreign, others


def _quoted(title: str) -> str:
    short = title if len(title) <= 80 else title[:79] + "\u2026"
    return short.replace("`", "'")


def recognise(work: Submitted) -> None:
    """Match the remaining cells of the assignment with cells that lost nbgrader's data."""
    found = []
    for how in (_by_id, _by_text, _by_name, _by_place):
        for cell in work.missing():
            index = how(work, cell)
            if index is not None:
                work.items[index].source = cell
                found.append(cell)
    _leave_own_cells(work, found)
    lost = [cell.name for cell in work.source.cells if cell in found]
    if lost:
        many = len(lost) > 1
        work.tell(
            f"The {'cells' if many else 'cell'} {listed(lost)} had lost "
            f"{'their' if many else 'its'} nbgrader data, as some editors drop it. "
            f"{'They were' if many else 'It was'} recognised and graded.",
            *lost,
        )
    foreign = [item for item in work.items if item.source is None and item.meta]
    names = sorted({str(item.meta.get("grade_id"))[:64] for item in foreign} - {"None", ""})
    if names:
        work.tell(
            f"There were cells that this assignment does not have: {listed(names)}. They were "
            "taken as cells of your own, without points."
        )
    made_up = {str(each.meta.get("grade_id"))[:64] for each in foreign if _is_made_up(each, work)}
    if made_up:
        why = _MADE_UP.format(names=listed(sorted(made_up)))
        work.flags.append({"cell": "", "kind": "tampered", "why": why})


def _is_made_up(item: Item, work: Submitted) -> bool:
    """Return whether a graded cell of a notebook cannot come from any release of a course.

    A cell from another notebook, or from another release, fits the checksum that it came with. An
    answer in words need not, because a student has written into it; its checksum is still not
    missing, and not that of another cell of this assignment.
    """
    if not item.meta.get("grade") or is_as_released(item.cell, item.meta):
        return False
    if not item.meta.get("solution"):
        return True
    known = {cell.released_checksum for cell in work.source.cells}
    said = item.meta.get("checksum")
    return not isinstance(said, str) or said in known


def _leave_own_cells(work: Submitted, found: list[SourceCell]) -> None:
    """Unmatch a student's own cell that holds several answers whose cells are gone.

    Args:
        work: the notebook.
        found: cells that were recognised; those that are unmatched are removed.
    """
    for cell in list(found):
        (place, *_) = work.places(cell.name)
        item = work.items[place]
        if item.cell.id == cell.id or not cell.solution or cell.cell_type != "code":
            continue
        others = [each for each in work.missing() if each.solution and each.cell_type == "code"]
        if any(place in _defining(work, each) for each in others):
            item.source = None
            found.remove(cell)


def _by_id(work: Submitted, cell: SourceCell) -> int | None:
    fits = (
        index
        for index, item in enumerate(work.items)
        if item.source is None and item.cell.id == cell.id
    )
    return next(fits, None)


def _by_text(work: Submitted, cell: SourceCell) -> int | None:
    places = work.gap(cell)
    fits = [
        index
        for index, item in enumerate(work.items)
        if item.source is None and bare(item.cell.source) in cell.known
    ]
    return _nearest(fits, places, 0)


def _by_name(work: Submitted, cell: SourceCell) -> int | None:
    """Look for code that defines the same name, or, if the stub has none, a name in the test."""
    if not cell.solution or cell.cell_type != "code":
        return None
    fits = [index for index in _defining(work, cell) if work.items[index].source is None]
    return _nearest(fits, work.gap(cell), -1)


def _defining(work: Submitted, cell: SourceCell) -> Iterator[int]:
    """Yield the places of code cells that define the name of an answer."""
    names = wanted(cell, work.source)
    for index, item in enumerate(work.items):
        text = item.cell.source if item.cell.cell_type == "code" else ""
        if text and defines(text, names) and not imports(text, names):
            yield index


def _by_place(work: Submitted, cell: SourceCell) -> int | None:
    if not (cell.solution and cell.grade) or cell.cell_type == "code":
        return None
    texts = _texts(work, cell)
    return texts[0] if len(texts) == 1 else None


def _texts(work: Submitted, cell: SourceCell) -> list[int]:
    """Return the places of texts, all the student's own, where an answer should be."""
    found = []
    for index in work.gap(cell):
        item = work.items[index]
        if item.source is None and item.cell.cell_type != "code":
            own = own_writing(item.cell, None, work.source)
            if own and bare(own.text) == bare(item.cell.source):
                found.append(index)
    return found


def _nearest(fits: list[int], places: range, which: int) -> int | None:
    inside = [index for index in fits if index in places]
    found = inside or fits
    return found[which] if found else None


def listed(names: list[str]) -> str:
    """Return names as code, with commas and an "and"."""
    return with_and(["`{}`".format(name.replace("`", "'")) for name in names])
