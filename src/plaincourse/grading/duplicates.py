"""Settle cells of the assignment that a student copied.

All copies stay where they are and run, in order, as cells of the student's own; one is graded.

- Of an answer in code, the last that differs from what was given: it is what the name means from
  there on.
- Of an answer in words, all that differ, one below the other: a person reads them.
- Of a locked cell, the first below the answer that it tests, else the last. Its text comes from
  the course anyway; only its place matters.
"""

from plaincourse.grading.source import SourceCell, bare
from plaincourse.grading.submitted import Submitted


def settle(work: Submitted) -> None:
    """Leave one copy of each cell of the assignment."""
    for cell in sorted(work.source.cells, key=lambda cell: cell.locked):
        places = work.places(cell.name)
        if len(places) < 2:
            continue
        if not cell.solution:
            kept, told = _behind(work, cell, places), "Its place below your answer was graded"
        elif cell.cell_type == "code":
            own = _written(work, cell, places)
            kept, told = (own or places[:1])[-1], "The last one that you wrote in was graded"
        else:
            kept, told = _joined(work, cell, places), "All that you wrote in them was kept"
        for place in places:
            if place != kept:
                work.items[place].source = None
                work.items[place].meta = {}
        times = {2: "twice"}.get(len(places), f"{len(places)} times")
        work.tell(f"The cell `{cell.name}` was there {times}. {told}.", cell.name)


def _written(work: Submitted, cell: SourceCell, places: list[int]) -> list[int]:
    """Keep the places where something other than the given text stands."""
    blank = {"", *cell.known}
    return [place for place in places if bare(work.items[place].cell.source) not in blank]


def _joined(work: Submitted, cell: SourceCell, places: list[int]) -> int:
    own = _written(work, cell, places) or places[:1]
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
