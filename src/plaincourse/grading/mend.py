"""Mend a submitted notebook, so that it can be graded: pure, and without the gradebook."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from plaincourse.grading.cells import unique
from plaincourse.grading.duplicates import settle
from plaincourse.grading.locked import put_right
from plaincourse.grading.order import put_below
from plaincourse.grading.reading import LIMIT, Reading, parse
from plaincourse.grading.recognise import recognise
from plaincourse.grading.restore import restore
from plaincourse.grading.shown import put_aside
from plaincourse.grading.source import Source
from plaincourse.grading.submitted import named

#: Where a graded notebook's metadata keeps what was mended, and why it earns nothing.
KEY = "plaincourse"
_ID, _TITLE = "mended", "**What was mended before grading**"


def is_notes(cell: Mapping[str, Any]) -> bool:
    """Say whether a cell of a graded notebook is the list of what was mended."""
    return cell.get("id") == _ID and "".join(cell["source"]).startswith(_TITLE)


@dataclass(frozen=True, kw_only=True)
class Mended:
    """A notebook that can be graded.

    Attributes:
        notebook: each cell of the assignment once, in today's format, with the assignment's own
            metadata, locked text and kernel; without outputs, which are put aside. Its metadata
            under ``plaincourse`` holds the notes, the flags and ``unread``.
        notes: what was mended, in sentences for the student and the instructor.
        flags: the same for the record: cell, kind, why.
        unread: why nothing could be read, in a sentence; all points are 0 then. Else empty.
    """

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)
    unread: str = ""


def mend(raw: bytes, source: Source, *, notes: tuple[str, ...] = (), limit: int = LIMIT) -> Mended:
    """Read a notebook and mend it. It never raises: what cannot be read earns 0, and says why.

    Args:
        raw: the file's content.
        source: the assignment's cells.
        notes: what is already known to be odd, such as the file's name.
        limit: how many bytes are read at most.
    """
    return mended(parse(raw, limit=limit), source, notes=notes)


def mended(reading: Reading, source: Source, *, notes: tuple[str, ...] = ()) -> Mended:
    """Mend what was read; of what was not, make a blank notebook that earns nothing."""
    if reading.notebook is None:
        return _blank(reading.why, source, notes)
    work = named(reading.notebook.cells, source)
    work.notes += reading.notes
    for note in notes:
        work.tell(note, "")
    recognise(work)
    settle(work)
    put_below(work)
    put_right(work)
    restore(work)
    cells = [item.cell for item in work.items]
    return _finished(cells, source, work.notes, work.flags, "")


def _blank(why: str, source: Source, notes: tuple[str, ...]) -> Mended:
    cells = [cell.node() for cell in source.cells]
    flags = [{"cell": "", "kind": "mended", "why": note} for note in (*notes, why)]
    return _finished(cells, source, [*notes, why], flags, why)


def _finished(
    cells: list[NotebookNode],
    source: Source,
    notes: list[str],
    flags: list[dict[str, str]],
    unread: str,
) -> Mended:
    if notes:
        said = f"{_TITLE}\n\n" + "\n".join(f"- {each}" for each in notes)
        cells = [new_markdown_cell(said, id=_ID), *cells]
    put_aside(cells)
    notebook = NotebookNode(
        cells=unique(cells),
        metadata=NotebookNode(
            {
                "kernelspec": NotebookNode(source.kernelspec),
                KEY: NotebookNode(mended=notes, flags=flags, unread=unread),
            }
        ),
        nbformat=4,
        nbformat_minor=5,
    )
    return Mended(notebook=notebook, notes=list(notes), flags=list(flags), unread=unread)
