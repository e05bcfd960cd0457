"""Find the assignment's cells in a notebook whose nbgrader data a tool has dropped.

A cell is known by its id, by its text, by the name that it defines, or, for an answer in words, by
where it stands.
"""

import re

from plaincourse.grading.source import SourceCell, bare
from plaincourse.grading.submitted import Submitted, listed

_DEFINES = re.compile(
    r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", flags=re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} ", flags=re.MULTILINE)


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


def unsure(work: Submitted, cell: SourceCell) -> bool:
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
    places, wanted = work.gap(cell), _defined(cell.source)[:1]
    if not wanted:
        order = work.source.cells
        tests = [each for each in order[order.index(cell) + 1 :] if each.locked][:1]
        wanted = [name for test in tests for name in re.findall(r"\w+", test.visible)]
    fits = [
        index
        for index, item in enumerate(work.items)
        if item.source is None
        and item.cell.cell_type == "code"
        and set(wanted) & set(_defined(item.cell.source))
    ]
    return _nearest(fits, places, -1)


def _defined(code: str) -> list[str]:
    return [one or other for one, other in _DEFINES.findall(code)]


def _nearest(fits: list[int], places: range, which: int) -> int | None:
    inside = [index for index in fits if index in places]
    found = inside or fits
    return found[which] if found else None


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
