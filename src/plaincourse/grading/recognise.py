"""Say which cell of the assignment each cell of a submitted notebook is.

A cell is known by nbgrader's data in it. Where a tool has dropped that, it is known by its id, by
its text, by the name that it defines, or, for an answer in words, by where it stands.

Where a student copied a cell, all copies stay where they are and run, in order, as cells of the
student's own; one is graded.

- Of an answer in code, the last that differs from what was given: it is what the name means from
  there on.
- Of an answer in words, all that differ, one below the other: a person reads them.
- Of a locked cell, the first below the answer that it tests, else the last. Its text comes from
  the course anyway; only its place matters.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.assignment import Source, SourceCell, bare

_DEFINES = re.compile(
    r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", flags=re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} ", flags=re.MULTILINE)


@dataclass(kw_only=True)
class Item:
    """A submitted cell.

    Attributes:
        cell: the cell, without nbgrader's data.
        source: the cell of the assignment that it is; ``None`` if it is the student's own.
        meta: what the submission said in nbgrader's data.
    """

    cell: NotebookNode
    source: SourceCell | None
    meta: dict[str, Any]

    @property
    def name(self) -> str:
        """Its grade id, or an empty text."""
        return self.source.name if self.source else ""


@dataclass(kw_only=True)
class Submitted:
    """A notebook as it is being mended.

    Attributes:
        items: its cells in order.
        source: what the assignment's cells are.
        notes: what was mended, in sentences for the student and the instructor.
        flags: what the instructor may want to look at: cell, kind, why.
    """

    items: list[Item]
    source: Source
    notes: list[str] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)

    def tell(self, note: str, *names: str, kind: str = "mended") -> None:
        """Note what was done, once, and flag each cell that it was done to."""
        self.notes.append(note)
        self.flags += [{"cell": name, "kind": kind, "why": note} for name in names]

    def places(self, name: str) -> list[int]:
        """Return where a cell of the assignment stands; more than once if it was copied."""
        return [index for index, item in enumerate(self.items) if item.name == name]

    def missing(self) -> list[SourceCell]:
        """List the cells of the assignment that are not there."""
        there = {item.name for item in self.items}
        return [cell for cell in self.source.cells if cell.name not in there]

    def gap(self, cell: SourceCell) -> range:
        """Return the places between the neighbours of a cell that are there."""
        order = [each.name for each in self.source.cells]
        number = order.index(cell.name)
        above = (self.places(name) for name in reversed(order[:number]))
        below = (self.places(name) for name in order[number + 1 :])
        first = next((found[-1] + 1 for found in above if found), 0)
        last = next((found[0] for found in below if found), len(self.items))
        return range(first, last)


def by_grade_id(cells: list[NotebookNode], source: Source) -> Submitted:
    """Say of each cell what it is, as far as nbgrader's data in it tells."""
    items = []
    for cell in cells:
        meta = cell.metadata.pop("nbgrader", {})
        name = meta.get("grade_id")
        known = source.by_name.get(name) if isinstance(name, str) else None
        items.append(Item(cell=cell, source=known, meta=meta))
    return Submitted(items=items, source=source)


def recognise(work: Submitted) -> None:
    """Put back what the missing cells of the assignment are, where it can be told."""
    found = []
    for how in (_by_id, _by_text, _by_name, _by_place):
        for cell in work.missing():
            index = how(work, cell)
            if index is not None:
                work.items[index].source = cell
                found.append(cell)
    lost = [cell.name for cell in work.source.cells if cell in found]
    if lost:
        many = len(lost) > 1
        work.tell(
            f"The {'cells' if many else 'cell'} {_listed(lost)} had lost "
            f"{'their' if many else 'its'} nbgrader data, as some editors drop it. "
            f"{'They were' if many else 'It was'} recognised and graded.",
            *lost,
        )
    foreign = [item for item in work.items if item.source is None and item.meta]
    names = sorted({str(item.meta.get("grade_id"))[:64] for item in foreign} - {"None", ""})
    if names:
        work.tell(
            f"There were cells that this assignment does not have: {_listed(names)}. They were "
            "taken as cells of your own, without points."
        )


def keep_one_copy(work: Submitted) -> None:
    """Leave one copy of each cell of the assignment."""
    for cell in sorted(work.source.cells, key=lambda cell: cell.locked):
        places = work.places(cell.name)
        if len(places) < 2:
            continue
        if not cell.solution:
            kept, told = _behind(work, cell, places), "Its place below your answer was graded"
        elif cell.cell_type == "code":
            own = _written_in(work, cell, places)
            kept, told = (own or places[:1])[-1], "The last one that you wrote in was graded"
        else:
            kept, told = _joined(work, cell, places), "All that you wrote in them was kept"
        for place in places:
            if place != kept:
                work.items[place].source = None
                work.items[place].meta = {}
        times = {2: "twice"}.get(len(places), f"{len(places)} times")
        work.tell(f"The cell `{cell.name}` was there {times}. {told}.", cell.name)


def may_be_unrecognised(work: Submitted, cell: SourceCell) -> bool:
    """Say whether an answer in words may stand in a cell that was not recognised."""
    if _texts(work, cell):
        return True
    words = any(item.cell.cell_type != "code" and item.cell.source for item in work.items)
    return words and not any(item.meta for item in work.items)


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
    """Look for what defines the same name, or, if the stub defines none, what the test asks for."""
    if not cell.solution or cell.cell_type != "code":
        return None
    fits = [index for index in _defining(work, cell) if work.items[index].source is None]
    return _nearest(fits, work.gap(cell), -1)


def is_answered(work: Submitted, cell: SourceCell) -> bool:
    """Say whether any cell defines what an answer in code is to define."""
    return bool(_defining(work, cell))


def _defining(work: Submitted, cell: SourceCell) -> list[int]:
    wanted = _defined(cell.source)[:1]
    if not wanted:
        order = work.source.cells
        tests = [each for each in order[order.index(cell) + 1 :] if each.locked][:1]
        wanted = [name for test in tests for name in re.findall(r"\w+", test.visible)]
    return [
        index
        for index, item in enumerate(work.items)
        if item.cell.cell_type == "code" and set(wanted) & set(_defined(item.cell.source))
    ]


def _by_place(work: Submitted, cell: SourceCell) -> int | None:
    if not (cell.solution and cell.grade) or cell.cell_type == "code":
        return None
    texts = _texts(work, cell)
    return texts[0] if len(texts) == 1 else None


def _texts(work: Submitted, cell: SourceCell) -> list[int]:
    """Return where texts without a heading stand in the place of an answer in words."""
    return [
        index
        for index in work.gap(cell)
        if (item := work.items[index]).source is None
        and item.cell.cell_type != "code"
        and bare(item.cell.source)
        and not _HEADING.search(item.cell.source)
    ]


def _defined(code: str) -> list[str]:
    return [one or other for one, other in _DEFINES.findall(code)]


def _nearest(fits: list[int], places: range, which: int) -> int | None:
    inside = [index for index in fits if index in places]
    found = inside or fits
    return found[which] if found else None


def _listed(names: list[str]) -> str:
    """Write names as code, with commas and an "and"."""
    marked = ["`{}`".format(name.replace("`", "'")) for name in names]
    return " and ".join(([", ".join(marked[:-1])] if marked[1:] else []) + marked[-1:])


def _written_in(work: Submitted, cell: SourceCell, places: list[int]) -> list[int]:
    """Keep the places where something other than the given text stands."""
    blank = {"", *cell.known}
    return [place for place in places if bare(work.items[place].cell.source) not in blank]


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
