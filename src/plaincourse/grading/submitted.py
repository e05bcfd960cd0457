"""A submitted notebook while it is mended: its cells, what each is, and what was told."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.source import Source, SourceCell


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


def named(cells: list[NotebookNode], source: Source) -> Submitted:
    """Say of each cell what it is, as far as nbgrader's data in it tells."""
    items = []
    for cell in cells:
        meta = cell.metadata.pop("nbgrader", {})
        name = meta.get("grade_id")
        known = source.by_name.get(name) if isinstance(name, str) else None
        items.append(Item(cell=cell, source=known, meta=meta))
    return Submitted(items=items, source=source)


def listed(names: list[str]) -> str:
    """Write names as code, with commas and an "and"."""
    marked = ["`{}`".format(name.replace("`", "'")) for name in names]
    return " and ".join(([", ".join(marked[:-1])] if marked[1:] else []) + marked[-1:])
