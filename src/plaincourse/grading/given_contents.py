"""Restore the type, points, role and locked text of each cell of the assignment."""

from plaincourse.grading.assignment import SourceCell
from plaincourse.grading.changed_text import binds_names, what_changed
from plaincourse.grading.notebook import cast
from plaincourse.grading.recognise import Item, Submitted
from plaincourse.grading.released import is_as_released
from plaincourse.grading.text import bare

#: The student's cell is as it was released to them.
_CORRECTED = (
    "The course changed the cell `{name}` after this notebook was released: {said}. You did not "
    "change it. It was graded as it is now."
)


def put_contents_right(work: Submitted) -> None:
    """Restore every cell of the assignment, except for the student's answers."""
    items: list[Item] = []
    for item in work.items:
        if item.source is None:
            items.append(item)
            continue
        released = is_as_released(item.cell, item.meta)
        _give_type_back(work, item, item.source)
        _tell_claims(work, item, item.source, released)
        rescued = None
        if item.source.locked:
            rescued = _give_text_back(work, item, item.source, released)
        if item.source.solution and item.source.cell_type != "code":
            _give_stub_back(item, item.source)
        items += [rescued, item] if rescued else [item]
        item.cell.metadata = type(item.cell.metadata)(nbgrader=item.source.metadata)
    work.items = items


def _give_type_back(work: Submitted, item: Item, cell: SourceCell) -> None:
    if item.cell.cell_type == cell.cell_type:
        return
    was = "a text cell" if item.cell.cell_type != "code" else "a code cell"
    now = "code" if cell.cell_type == "code" else "text"
    work.tell(
        f"The cell `{cell.name}` had been turned into {was}. It was read as {now}.", cell.name
    )
    cast(item.cell, cell.cell_type)


def _tell_claims(work: Submitted, item: Item, cell: SourceCell, released: bool) -> None:
    """Report metadata in the submission that claims other points or another role."""
    claimed = item.meta.get("points")
    claimed = cell.points if claimed is None else claimed
    if cell.points is not None and claimed != cell.points and released:
        said = f"is worth {cell.points:g} now, and was worth {claimed:g}"
        work.tell(_CORRECTED.format(name=cell.name, said=said), cell.name, kind="corrected")
    elif cell.points is not None and claimed != cell.points:
        said = str(claimed)[:20].replace("`", "'")
        work.tell(
            f"The cell `{cell.name}` said that it is worth {said} "
            f"{'point' if said == '1' else 'points'}. It is worth {cell.points:g}.",
            cell.name,
            kind="tampered" if _is_forged(item, cell) else "mended",
        )
    for key, known in (("grade", cell.grade), ("solution", cell.solution)):
        if key in item.meta and bool(item.meta[key]) != known:
            work.tell(
                f"The cell `{cell.name}` had another role in its metadata ({key}). It was graded "
                "in the role that it was given.",
                cell.name,
            )
            return


def _is_forged(item: Item, cell: SourceCell) -> bool:
    """Return whether a cell's metadata claims points that no release gave it.

    A student writes into the cell of an answer, so it need not fit its checksum. It may be from a
    release with other points, unless its checksum is that of the present one.
    """
    return not cell.solution or item.meta.get("checksum") == cell.released_checksum


def _give_text_back(work: Submitted, item: Item, cell: SourceCell, released: bool) -> Item | None:
    """Restore a locked text; return the lines that were added to it, as a cell."""
    got = item.cell.source
    item.cell["source"] = cell.source
    if bare(got) in cell.known:
        return None
    if released:
        what, _ = what_changed(got, cell.visible)
        work.tell(_CORRECTED.format(name=cell.name, said=what), cell.name, kind="corrected")
        return None
    what, added = what_changed(cell.visible, got)
    code = "\n".join(added)
    keeps = cell.cell_type == "code" and binds_names(code)
    also = " What you had written there was run above it." if keeps else ""
    work.tell(
        f"The locked cell `{cell.name}` had been changed: {what}. It was graded as it was given."
        + also,
        cell.name,
        kind="tampered",
    )
    if not keeps:
        return None
    # An answer written into the test's own cell still counts as an answer.
    kept = type(item.cell)(cell_type="code", source=code, metadata=type(item.cell.metadata)())
    kept["id"] = f"kept-{len(work.items)}-{item.number}"
    cast(kept, "code")
    return Item(cell=kept, source=None, meta={})


def _give_stub_back(item: Item, cell: SourceCell) -> None:
    """Restore an empty answer in words to its stub, which earns 0."""
    if not item.cell.source.strip():
        item.cell["source"] = cell.source
