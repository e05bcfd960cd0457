"""The drawing of the map: layers from top to bottom, lines that pass between the boxes."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from docutils import nodes

WIDTH, HEIGHT, DOWN = 168, 56, 96  # of a box; from row to row
GAP, LANE = 18, 10  # between neighbours; the width that a line takes in a row it passes


@dataclass(kw_only=True)
class Chapter:
    """One chapter of the map.

    Attributes:
        id: two digits.
        title: its title.
        part: the part of the course that it belongs to.
        document: the page, without suffix; empty while it is planned.
        needs: chapters that must come right before it; those that they need are left out.
        concepts: how many concepts it teaches.
        shows: what it shows, in a line.
    """

    id: str
    title: str = ""
    part: str = ""
    document: str = ""
    needs: list[str] = field(default_factory=list)
    concepts: int = 0
    shows: str = ""

    @property
    def name(self) -> str:
        """Number and title, as the contents show them."""
        return f"{self.id} · {self.title}"


class map_drawing(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """The drawing; its links are known when the page is written."""


@dataclass(eq=False, kw_only=True)
class Spot:
    """A place in a row: a chapter's box, or a line that passes through (no chapter)."""

    chapter: Chapter | None
    row: int
    above: list["Spot"] = field(default_factory=list)
    x: float = 0.0

    @property
    def width(self) -> float:
        """How much of the row it takes."""
        return WIDTH if self.chapter else LANE

    @property
    def y(self) -> float:
        """The middle of the row."""
        return self.row * DOWN + HEIGHT / 2 + 3


def layout(found: Sequence[Chapter]) -> list[Spot]:
    """Place each chapter one row below the lowest that it needs, near what it needs."""
    boxes: dict[str, Spot] = {}
    spots: list[Spot] = []
    for chapter in found:
        near = [boxes[name] for name in chapter.needs]
        box = Spot(chapter=chapter, row=1 + max((spot.row for spot in near), default=-1))
        for spot in near:
            for row in range(spot.row + 1, box.row):
                lane = Spot(chapter=None, row=row, above=[spot])
                spots.append(lane)
                spot = lane
            box.above.append(spot)
        boxes[chapter.id] = box
        spots.append(box)
    for row in range(1 + max(spot.row for spot in spots)):
        _place([spot for spot in spots if spot.row == row])
    left = min(spot.x - spot.width / 2 for spot in spots) - 3
    for spot in spots:
        spot.x -= left
    return spots


def _place(row: list[Spot]) -> None:
    row.sort(key=lambda s: sum(a.x for a in s.above) / max(len(s.above), 1))
    total = sum(spot.width for spot in row) + GAP * (len(row) - 1)
    x = -total / 2
    for spot in row:
        spot.x = x + spot.width / 2
        x += spot.width + GAP


def visit_drawing(writer: Any, node: map_drawing) -> None:
    """Write the drawing. It repeats the list below it, so that screen readers skip it."""
    builder = writer.builder
    page = getattr(builder, "current_docname", "")  # one page for all has no such name
    writer.body.append(draw(node["chapters"], lambda name: builder.get_relative_uri(page, name)))


def draw(found: Sequence[Chapter], address: Callable[[str], str]) -> str:
    """Draw boxes and lines as SVG; ``address`` gives the link to a page."""
    spots = layout(found)
    lines = [_line(spot, above) for spot in spots for above in spot.above]
    boxes = [_box(spot.chapter, spot.x, spot.y, address) for spot in spots if spot.chapter]
    width = max(spot.x + spot.width / 2 for spot in spots) + 3
    height = max(spot.y for spot in spots) + HEIGHT / 2 + 3
    return (
        f'<svg class="map-picture" viewBox="0 0 {width:g} {height:g}" aria-hidden="true">'
        f"{''.join(lines)}{''.join(boxes)}</svg>\n"
    )


def _line(spot: Spot, above: Spot) -> str:
    top, bottom = above.y + HEIGHT / 2, spot.y - HEIGHT / 2
    middle = (top + bottom) / 2
    start = (
        f"M{above.x:g} {above.y:g}V{top:g}" if above.chapter is None else f"M{above.x:g} {top:g}"
    )
    end = f"V{spot.y:g}" if spot.chapter is None else ""
    curve = f"C{above.x:g} {middle:g} {spot.x:g} {middle:g} {spot.x:g} {bottom:g}"
    return f'<path class="map-line" d="{start}{curve}{end}"/>'


def _box(chapter: Chapter, x: float, y: float, address: Callable[[str], str]) -> str:
    lines = textwrap.wrap(chapter.name, 20)
    texts = "".join(
        f'<tspan x="{x:g}" y="{y + 5 + 18 * (n - (len(lines) - 1) / 2):g}">{escape(text)}</tspan>'
        for n, text in enumerate(lines)
    )
    box = (
        f'<g class="map-box {"written" if chapter.document else "planned"}" '
        f'data-chapter="{chapter.id}"><rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" '
        f'width="{WIDTH}" height="{HEIGHT}" rx="9"/><text text-anchor="middle">{texts}</text></g>'
    )
    if not chapter.document:
        return box
    return f'<a href="{escape(address(chapter.document))}" tabindex="-1">{box}</a>'
