"""The ``{map}`` directive: the chapters, what each needs, which are written."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml
from component import Component, mastery_data
from docutils import nodes
from html_tag import tag
from map_drawing import Chapter, map_drawing

from plaincourse.cards.concepts import Concept


class Map(Component):
    """All chapters, what each needs, and what is written."""

    def run(self) -> list[nodes.Node]:
        """Write the drawing, then the same as a list."""
        concepts = self.concepts()
        found = chapters(self.data("chapters.yml"), concepts, self.env.found_docs)
        box = tag("section", map_drawing("", chapters=found), class_="course-map")
        box["attributes"]["aria-label"] = "Map of the course"
        rows: dict[str, int] = {}
        items: list[nodes.Node] = []
        for chapter in found:
            if chapter.part not in {c.part for c in found if c.id in rows}:
                items.append(tag("li", nodes.Text(chapter.part), class_="map-part"))
            items.append(self.item(chapter, found))
            rows[chapter.id] = len(items)
        sides = rail(found)
        items += [
            tag("li", class_="map-need", aria_hidden="true",
                style=f"grid-row: {rows[above]} / {rows[c.id]}; grid-column: {sides[above]} / -2")
            for c in found for above in c.needs
        ]  # fmt: skip
        lanes = f"--lanes: {max(sides.values(), default=1)}"
        box += tag("ol", *items, class_="map-list", style=lanes)
        return [box]

    def item(self, chapter: Chapter, found: list[Chapter]) -> nodes.Node:
        """Write one chapter of the list."""
        title: nodes.Node = nodes.Text(chapter.name)
        if chapter.document:
            title = self.page(chapter.document, nodes.inline("", chapter.name))
        names = {c.id: c.title for c in found}
        needs = ", ".join(f"{n} {names[n]}" for n in chapter.needs) or "nothing of this course"
        written = "" if chapter.document else "planned, "
        concepts = f"{chapter.concepts} concept{'s' * (chapter.concepts != 1)}"
        note = f" ({written}{concepts}; needs {needs})"
        data = {"data_chapter": chapter.id}
        if chapter.document:
            data = mastery_data(chapter.id, self.cards(chapter.id), self.points(chapter.id))
        return tag("li", title, nodes.Text(note), **data)


def rail(found: list[Chapter]) -> dict[str, int]:
    """Give each chapter that others need a lane beside the list, so that no two lines overlap.

    Returns:
        For each such chapter its lane, 1 the outermost.
    """
    place = {chapter.id: row for row, chapter in enumerate(found)}
    ends = {above: place[c.id] for c in found for above in c.needs}  # of the last that needs it
    inner: dict[str, int] = {}
    for name in sorted(ends, key=lambda name: ends[name] - place[name]):
        near = {
            lane for other, lane in inner.items()
            if place[other] <= ends[name] and place[name] <= ends[other]
        }  # fmt: skip
        inner[name] = next(lane for lane in range(len(ends)) if lane not in near)
    widest = max(inner.values(), default=0) + 1
    return {name: widest - lane for name, lane in inner.items()}


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
                    shows=row.get("shows", ""),
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
