"""Put back graded and locked cells that a submission lacks.

Stock nbgrader leaves the score of a deleted test cell undefined, neither 0 nor what the answer
earns. Its own ``add_missing_cells`` changes the text of what it adds, and fails where the cell
above is missing too.
"""

from plaincourse.grading.recognise import unsure
from plaincourse.grading.source import SourceCell
from plaincourse.grading.submitted import Item, Submitted

MISSING = "The cell `{name}` was missing from the submission. It was put back for grading."
#: The text of an answer in words that may stand elsewhere in the notebook: no blank, so no 0.
ELSEWHERE = "*The cell of this answer was not recognised. A person looks for it in the notebook.*"
_READ = "The cell of your answer `{name}` was not recognised. A person reads the notebook for it."


def restore(work: Submitted) -> None:
    """Add missing cells where they were: below the answer that they test.

    Answers in code are not put back: a stub below what a student moved to another cell would undo
    it. Where the answer's own cell is gone too, the test goes as far down as it may.
    """
    order = work.source.cells
    for number, cell in enumerate(order):
        if not (cell.grade or cell.locked or cell.task) or work.places(cell.name):
            continue
        at = _where(work, order, number)
        made = cell.node()
        made["id"] = f"restored-{number}"
        work.items.insert(at, Item(cell=made, source=cell, meta={}))
        if cell.solution and unsure(work, cell):
            made["source"] = ELSEWHERE
            work.tell(_READ.format(name=cell.name), cell.name, kind="restored")
        else:
            work.tell(MISSING.format(name=cell.name), cell.name, kind="restored")


def _where(work: Submitted, order: tuple[SourceCell, ...], number: int) -> int:
    """Return the index below the cell above it, else above the next that is there, else the end."""
    above = work.places(order[number - 1].name) if number else []
    if above:
        return above[0] + 1
    below = (work.places(cell.name) for cell in order[number + 1 :])
    return next((places[0] for places in below if places), len(work.items))
