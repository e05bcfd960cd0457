r"""The directives ``{cards}``, ``{gate}`` and ``{map}``: questions, mastery, and the way through.

In a page::

    ```{cards} 02
    ```
    ```{gate} 02
    ```
    ```{map}
    ```

Everything that is text is written here, so that the page can be read, searched and printed without
scripts. The scripts in ``_static/course`` add review with spaced repetition, the state of the gate
and the reader's progress, which never leaves the browser.
"""

from pathlib import Path
from typing import Any, ClassVar

from course_map import Chapter, chapters, course_map_picture, picture_node, visit_picture
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from html_tag import depart, html_tag, nothing, tag, visit
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from plaincourse import bank
from plaincourse.cards import Card, CardError, load
from plaincourse.concepts import Concept
from plaincourse.concepts import load as load_concepts

NEEDED = 0.8  # the share of the points that opens the gate


class Component(SphinxDirective):
    """What the three directives share: the book's data, and links to sections."""

    def data(self, name: str) -> Path:
        """Return a file of the book's data, which this page now depends on."""
        path = Path(self.env.srcdir) / "book" / name
        self.env.note_dependency(path.as_posix())
        return path

    def cards(self, chapter: str) -> list[Card]:
        """Read a chapter's cards.

        Raises:
            DirectiveError: there are none, or one cannot be used.
        """
        try:
            return load(self.data(f"cards/{chapter}.yml"))
        except CardError as error:
            raise self.error(str(error)) from None

    def concepts(self) -> dict[str, Concept]:
        """Read the prerequisite graph."""
        return load_concepts(self.data("concepts.yml"))

    def markdown(self, text: str) -> list[nodes.Node]:
        """Parse Markdown, formulas included."""
        lines = text.splitlines()
        where, _ = self.get_source_info()
        box = nodes.Element()
        self.state.nested_parse(StringList(lines, source=where), self.content_offset, box)
        return list(box.children)

    def link(self, concept: Concept) -> nodes.Node:
        """Link to the section that explains a concept; plain text where there is none yet."""
        if not concept.section:
            return nodes.inline("", concept.name)
        return addnodes.pending_xref(
            "",
            nodes.inline("", concept.name),
            refdoc=self.env.docname,
            refdomain="std",
            reftype="ref",
            reftarget=concept.section,
            refexplicit=True,
            refwarn=True,
        )


class Cards(Component):
    """The question cards of a chapter, each a question to unfold."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the cards, formulas set."""
        chapter = self.arguments[0]
        cards, concepts = self.cards(chapter), self.concepts()
        hint = (
            f"{len(cards)} questions. Answer each one aloud before you unfold it; what you recall "
            "without looking is what stays."
        )
        box = tag("section", class_="question-cards", data_chapter=chapter)
        box["attributes"]["aria-label"] = f"Question cards of chapter {chapter}"
        box += tag("p", nodes.Text(hint), class_="question-hint")
        for number, card in enumerate(cards, start=1):
            if unknown := [name for name in card.concepts if name not in concepts]:
                raise self.error(f"card {card.id}: {unknown[0]!r} is not in book/concepts.yml")
            box += self.card(card, number, [concepts[name] for name in card.concepts])
        return [box]

    def card(self, card: Card, number: int, concepts: list[Concept]) -> nodes.Node:
        """Write one card."""
        front = self.markdown(card.front)
        if len(front) != 1 or not isinstance(front[0], nodes.paragraph):
            raise self.error(f"card {card.id}: the front must be one paragraph of text")
        about = tag("p", nodes.Text(f"{card.level} · "), class_="question-about")
        for place, concept in enumerate(concepts):
            about += [nodes.Text(", ")] * bool(place) + [self.link(concept)]
        return tag(
            "details",
            tag(
                "summary",
                tag("span", nodes.Text(str(number)), class_="question-number"),
                tag("span", *front[0].children, class_="question-front"),
            ),
            tag("div", *self.markdown(card.back), about, class_="question-back"),
            class_="question-card",
            id=f"card-{card.id}",
            data_card=card.id,
        )


class Gate(Component):
    """What must hold before the next chapter, and what to revisit."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the two criteria and the concepts."""
        chapter = self.arguments[0]
        cards = self.cards(chapter)
        points = self.points(chapter)
        concepts = [c for c in self.concepts().values() if c.chapter == chapter]
        score = (
            f"You earn at least {NEEDED * points:g} of the {points:g} points of the graded notebook. "
            "Add up what its checks report; grade what you wrote in words by its rubric."
        )
        known = f"You have answered each of the {len(cards)} cards with Good at least once."
        revisit = tag("ul", class_="gate-concepts")
        for concept in concepts:
            ids = " ".join(card.id for card in cards if concept.id in card.concepts)
            revisit += tag("li", self.link(concept), data_cards=ids)
        box = tag(
            "section",
            tag("p", nodes.Text(f"The gate of chapter {chapter}"), class_="gate-title"),
            tag("p", nodes.Text("You are through when both of these hold.")),
            tag(
                "ol",
                tag("li", nodes.Text(score), data_criterion="score"),
                tag("li", nodes.Text(known), data_criterion="cards"),
            ),
            tag(
                "details",
                tag("summary", nodes.Text("What to revisit, by concept")),
                revisit,
                class_="gate-revisit",
            ),
            class_="course-gate",
            **mastery_data(Chapter(id=chapter, cards=[c.id for c in cards], points=points)),
        )
        box["attributes"]["aria-label"] = f"Gate of chapter {chapter}"
        return [box]

    def points(self, chapter: str) -> float:
        """Return all points of a chapter's graded notebook.

        Raises:
            DirectiveError: it has no graded tasks.
        """
        try:
            return sum(task.points for task in bank.chapter(chapter))
        except LookupError as error:
            raise self.error(f"gate {chapter}: {error.args[0]}") from None


class Map(Component):
    """All chapters, what each needs, and what is written."""

    option_spec: ClassVar = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        """Write the drawing, then the same as a list."""
        concepts = self.concepts()
        found = chapters(self.data("chapters.yml"), concepts, self.env.found_docs)
        for chapter in found:
            if chapter.document:
                chapter.cards = [card.id for card in self.cards(chapter.id)]
                chapter.points = sum(task.points for task in bank.chapter(chapter.id))
        box = tag("section", course_map_picture(found), class_="course-map")
        box["attributes"]["aria-label"] = "Map of the course"
        for part in dict.fromkeys(chapter.part for chapter in found):
            box += tag("p", nodes.Text(part), class_="map-part")
            items = [self.item(c, found) for c in found if c.part == part]
            box += tag("ul", *items, class_="map-list")
        return [box]

    def item(self, chapter: Chapter, found: list[Chapter]) -> nodes.Node:
        """Write one chapter of the list."""
        title: nodes.Node = nodes.Text(chapter.name)
        if chapter.document:
            title = addnodes.pending_xref(
                "",
                nodes.inline("", chapter.name),
                refdoc=self.env.docname,
                refdomain="std",
                reftype="doc",
                reftarget="/" + chapter.document,
                refexplicit=True,
                refwarn=True,
            )
        names = {c.id: c.title for c in found}
        needs = ", ".join(f"{n} {names[n]}" for n in chapter.needs) or "nothing of this course"
        written = "" if chapter.document else "planned, "
        note = f" ({written}{chapter.concepts} concepts; needs {needs})"
        return tag("li", title, nodes.Text(note), **mastery_data(chapter))


def mastery_data(chapter: Chapter) -> dict[str, str]:
    """Attributes from which the scripts tell whether a gate is open."""
    if not chapter.cards:
        return {"data_chapter": chapter.id}
    return {
        "data_chapter": chapter.id,
        "data_cards": " ".join(chapter.cards),
        "data_points": f"{chapter.points:g}",
        "data_needed": f"{NEEDED:g}",
    }


def load_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the scripts of the components that a page has, and their style."""
    scripts = {"question-cards": "cards", "course-gate": "gate", "course-map": "map"}
    classes = {
        node["attributes"].get("class") for node in (doctree.findall(html_tag) if doctree else [])
    }
    used = [script for name, script in scripts.items() if name in classes]
    for script in used:
        app.add_js_file(f"course/{script}.js", type="module")
    if used:
        app.add_css_file("course/components.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    others = {name: (nothing, nothing) for name in ("latex", "text", "man", "texinfo")}
    app.add_node(html_tag, html=(visit, depart), **others)
    app.add_node(picture_node, html=(visit_picture, nothing), **others)
    app.add_directive("cards", Cards)
    app.add_directive("gate", Gate)
    app.add_directive("map", Map)
    app.connect("html-page-context", load_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
