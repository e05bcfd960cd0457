"""Give each cell of the assignment its type, its points and, if it is locked, its text back.

Only a locked text that differs in more than white space is reported as changed. What editors do to
metadata and line ends is not worth a word.
"""

import ast
import difflib

from plaincourse.grading.cells import cast
from plaincourse.grading.source import SourceCell, bare
from plaincourse.grading.submitted import Item, Submitted

_LONGEST = 80


def put_right(work: Submitted) -> None:
    """Make every cell of the assignment what it was, except for the student's answers."""
    items: list[Item] = []
    for item in work.items:
        if item.source is None:
            items.append(item)
            continue
        _type(work, item, item.source)
        _claims(work, item, item.source)
        rescued = _text(work, item, item.source) if item.source.locked else None
        items += [rescued, item] if rescued else [item]
        item.cell.metadata = type(item.cell.metadata)(nbgrader=item.source.metadata)
    work.items = items


def _type(work: Submitted, item: Item, cell: SourceCell) -> None:
    if item.cell.cell_type == cell.cell_type:
        return
    was = "a text cell" if item.cell.cell_type != "code" else "a code cell"
    now = "code" if cell.cell_type == "code" else "text"
    work.tell(
        f"The cell `{cell.name}` had been turned into {was}. It was read as {now}.", cell.name
    )
    cast(item.cell, cell.cell_type)


def _claims(work: Submitted, item: Item, cell: SourceCell) -> None:
    """Tell where the submission's metadata gives other points or another role."""
    claimed = item.meta.get("points", cell.points)
    if cell.points is not None and claimed != cell.points:
        said = str(claimed)[:20].replace("`", "'")
        work.tell(
            f"The cell `{cell.name}` said that it is worth {said} points. "
            f"It is worth {cell.points:g}.",
            cell.name,
        )
    for key, known in (("grade", cell.grade), ("solution", cell.solution)):
        if key in item.meta and bool(item.meta[key]) != known:
            work.tell(
                f"The cell `{cell.name}` had another role in its metadata ({key}). It was graded "
                "in the role that it was given.",
                cell.name,
            )
            return


def _text(work: Submitted, item: Item, cell: SourceCell) -> Item | None:
    """Put a locked text back; return the lines that were added to it, as a cell."""
    got = item.cell.source
    item.cell["source"] = cell.source
    if bare(got) in cell.known:
        return None
    what, added = _change(cell.visible, got)
    code = "\n".join(added)
    keeps = cell.cell_type == "code" and _binds(code)
    also = " What you had written there was run above it." if keeps else ""
    work.tell(
        f"The locked cell `{cell.name}` had been changed: {what}. It was graded as it was given."
        + also,
        cell.name,
        kind="tampered",
    )
    if not keeps:
        return None
    # An answer written into the test's own cell is an answer still.
    kept = type(item.cell)(cell_type="code", source=code, metadata=type(item.cell.metadata)())
    kept["id"] = f"kept-{len(work.items)}-{work.items.index(item)}"
    cast(kept, "code")
    return Item(cell=kept, source=None, meta={})


def _change(given: str, got: str) -> tuple[str, list[str]]:
    """Say in words what the first change is, and return all lines that were added."""
    lines = list(
        difflib.ndiff(
            [line.rstrip() for line in given.split("\n") if line.strip()],
            [line.rstrip() for line in got.split("\n") if line.strip()],
        )
    )
    gone = [line[2:] for line in lines if line.startswith("- ")]
    added = [line[2:] for line in lines if line.startswith("+ ")]
    if gone and added:
        return f"{_short(gone[0])} became {_short(added[0])}", added
    if added:
        return f"{_short(added[0])} was added", added
    return f"{_short(gone[0])} was taken out" if gone else "its lines were put in order anew", added


def _short(line: str) -> str:
    line = line.strip().replace("`", "'")
    return f"`{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}`"


def _binds(code: str) -> bool:
    """Say whether code defines something, and can be read by itself."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
    return any(isinstance(each, kinds) for each in body)
