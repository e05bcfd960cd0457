"""Put a test that stands above the answer that it tests back below it."""

from plaincourse.grading.source import SourceCell, bare
from plaincourse.grading.submitted import Submitted

_MOVED = "The cell `{name}` stood above your answer, which it tests. It was put back below it."


def put_below(work: Submitted) -> None:
    """Move each test down to its answer, if that stands further down and is an answer.

    An answer's cell that holds nothing of the student's stays where it is, and so does its test:
    what they wrote may stand in a cell of their own above both. Each cell is there once, if at all.
    """
    for cell in work.source.cells:
        answer = tested(work, cell)
        if answer is None or not (work.places(cell.name) and work.places(answer.name)):
            continue
        (test,), (place,) = work.places(cell.name), work.places(answer.name)
        if test < place and bare(work.items[place].cell.source) not in {"", *answer.known}:
            work.items.insert(place, work.items.pop(test))
            work.tell(_MOVED.format(name=cell.name), cell.name)


def tested(work: Submitted, cell: SourceCell) -> SourceCell | None:
    """Return the answer in code that a graded test tests: the last one above it."""
    if not (cell.grade and cell.locked) or cell.solution or cell.cell_type != "code":
        return None
    order = work.source.cells
    above = [each for each in order[: order.index(cell)] if each.solution]
    return above[-1] if above and above[-1].cell_type == "code" else None
