"""The map of the course: chapters, what each needs, drawn as layers from top to bottom."""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes

from plaincourse.concepts import Concept

WIDTH, HEIGHT, ACROSS, DOWN = 172, 56, 190, 92  # of a box; from box to box


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
        cards: ids of its question cards.
        points: points of its graded notebook.
    """

    id: str
    title: str = ""
    part: str = ""
    document: str = ""
    needs: list[str] = field(default_factory=list)
    concepts: int = 0
    cards: list[str] = field(default_factory=list)
    points: float = 0

    @property
    def name(self) -> str:
        """Number and title, as the contents show them."""
        return f"{self.id} · {self.title}"


class picture_node(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """The drawing; its links are known when the page is written."""


def chapters(
    path: Path, concepts: Mapping[str, Concept], documents: Collection[str]
) -> list[Chapter]:
    """Read all chapters, and find what each needs from what its concepts need."""
    parts: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    needs = chapter_needs(concepts)
    found = []
    for part in parts:
        for row in part["chapters"]:
            document = f"book/{row['id']}-{row['slug']}"
            found.append(
                Chapter(
                    id=row["id"],
                    title=row["title"],
                    part=part["part"],
                    document=document if document in documents else "",
                    needs=needs.get(row["id"], []),
                    concepts=sum(c.chapter == row["id"] for c in concepts.values()),
                )
            )
    return found


def chapter_needs(concepts: Mapping[str, Concept]) -> dict[str, list[str]]:
    """Return the chapters right before each chapter, without those that are implied."""
    direct: dict[str, set[str]] = {}
    for concept in concepts.values():
        others = {concepts[name].chapter for name in concept.prerequisites} - {concept.chapter}
        direct.setdefault(concept.chapter, set()).update(others)
    reach: dict[str, set[str]] = {}
    for chapter in sorted(direct):
        behind = [reach.get(name, set()) for name in direct[chapter]]
        reach[chapter] = direct[chapter].union(*behind)
    return {
        chapter: sorted(name for name in near if not any(name in reach[o] for o in near))
        for chapter, near in direct.items()
    }


def layers(found: Sequence[Chapter]) -> list[list[Chapter]]:
    """Put each chapter one row below the lowest that it needs."""
    row: dict[str, int] = {}
    for chapter in found:
        row[chapter.id] = 1 + max((row[name] for name in chapter.needs), default=-1)
    return [[c for c in found if row[c.id] == n] for n in range(max(row.values()) + 1)]


def course_map_picture(found: Sequence[Chapter]) -> nodes.Node:
    """Return the place of the drawing."""
    return picture_node("", chapters=list(found))


def visit_picture(writer: Any, node: picture_node) -> None:
    """Write the drawing. It repeats the list below it, so that screen readers skip it."""
    builder = writer.builder
    page = getattr(builder, "current_docname", "")  # one page for all has no such name

    def address(document: str) -> str:
        link: str = builder.get_relative_uri(page, document)
        return link

    writer.body.append(draw(node["chapters"], address))


def draw(found: Sequence[Chapter], address: Any) -> str:
    """Draw boxes and lines as SVG; ``address`` gives the link to a page."""
    rows = layers(found)
    width = max(map(len, rows)) * ACROSS
    spot = {
        chapter.id: (width / 2 + (n - (len(row) - 1) / 2) * ACROSS, DOWN * line + HEIGHT / 2 + 4)
        for line, row in enumerate(rows)
        for n, chapter in enumerate(row)
    }
    lines = [_line(spot[name], spot[c.id]) for c in found for name in c.needs]
    boxes = [_box(c, *spot[c.id], address) for c in found]
    height = DOWN * (len(rows) - 1) + HEIGHT + 8
    return (
        f'<svg class="map-picture" viewBox="0 0 {width} {height}" aria-hidden="true">'
        f"{''.join(lines)}{''.join(boxes)}</svg>\n"
    )


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = (start[0], start[1] + HEIGHT / 2), (end[0], end[1] - HEIGHT / 2)
    bend = (y2 - y1) / 2
    return (
        f'<path class="map-line" d="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} '
        f'{x2:g} {y2:g}"/>'
    )


def _box(chapter: Chapter, x: float, y: float, address: Any) -> str:
    lines = textwrap.wrap(chapter.title, 19)
    texts = "".join(
        f'<tspan x="{x:g}" y="{y + 5 + 18 * (n - (len(lines) - 1) / 2):g}">{escape(text)}</tspan>'
        for n, text in enumerate([f"{chapter.id} · {lines[0]}", *lines[1:]])
    )
    box = (
        f'<g class="map-box {"written" if chapter.document else "planned"}" '
        f'data-chapter="{chapter.id}"><rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" '
        f'width="{WIDTH}" height="{HEIGHT}" rx="9"/><text text-anchor="middle">{texts}</text></g>'
    )
    if not chapter.document:
        return box
    return f'<a href="{escape(address(chapter.document))}" tabindex="-1">{box}</a>'
