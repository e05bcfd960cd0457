r"""The directives ``{cards}``, ``{deck}``, ``{gate}``, ``{map}``, ``{minutes}``.

``{front}`` and ``{chapter-cards}``, of the front page, are in :mod:`front`.

In a page::

    ```{cards} 02
    ```
    ```{deck}
    ```
    ```{gate} 02
    ```
    ```{map}
    ```
    ```{minutes} 02
    ```

Everything that is text is written here, so that the page can be read, searched and printed without
scripts. The scripts in ``_static/course`` add review with spaced repetition, the state of the gate
and the reader's progress, which never leaves the browser.
"""

from typing import Any

from component import Component, mastery_data
from course_map import Map
from deck import make, offer
from docutils import nodes
from front import ChapterCards, Front
from html_tag import depart, html_tag, nothing, tag, visit
from map_drawing import map_drawing, visit_drawing
from sphinx.application import Sphinx

from plaincourse.cards.cards import Card
from plaincourse.cards.concepts import Concept
from plaincourse.exercise import Essay
from plaincourse.notebooks.counting import said
from plaincourse.notebooks.references import NEEDED

RUN = "book/run-it-yourself"


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
        box += offer(self.env.docname)
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
                tag("span", nodes.Text(f"{number} "), class_="question-number"),
                tag("span", *front[0].children, class_="question-front"),
            ),
            tag("div", *self.markdown(card.back), about, class_="question-back"),
            class_="question-card",
            id=f"card-{card.id}",
            data_card=card.id,
        )


class Deck(Component):
    """Where the cards of all chapters are, for Anki."""

    def run(self) -> list[nodes.Node]:
        """Link to the deck."""
        return [offer(self.env.docname)]


class Gate(Component):
    """What must hold before the next chapter, and what to revisit."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the two criteria and the concepts."""
        chapter = self.arguments[0]
        cards = self.cards(chapter)
        points, words = self.points(chapter), self.points(chapter, Essay)
        concepts = [c for c in self.concepts().values() if c.chapter == chapter]
        least = f"You earn at least {NEEDED * points:g} of the {points:g} points"
        adds = " at its end adds up what the checks give"
        adds += ", and you grade your own words by the rubric." if words else "."
        known = f"You have answered each of the {len(cards)} cards with Good at least once."
        revisit = tag("ul", class_="gate-concepts")
        for concept in concepts:
            ids = " ".join(card.id for card in cards if concept.id in card.concepts)
            revisit += tag("li", self.link(concept), data_cards=ids)
        slug = self.env.docname.rpartition("/")[2]
        colab = self.in_colab(f"exercises/{slug}/{slug}.ipynb", "Open the graded notebook in Colab")
        ways = [colab] if colab else []
        if RUN in self.env.found_docs:
            here = self.page(RUN, nodes.inline("", "Run it yourself"))
            ways = [nodes.Text("How to open the graded notebook: "), here, nodes.Text(". "), *ways]
        box = tag(
            "section",
            tag("p", nodes.Text(f"The gate of chapter {chapter}"), class_="gate-title"),
            tag("p", nodes.Text("You are through when both of these hold.")),
            tag(
                "ol",
                tag(
                    "li",
                    nodes.Text(f"{least} of the graded notebook: "),
                    nodes.literal("", "total()"),
                    nodes.Text(adds),
                    data_criterion="score",
                ),
                tag("li", nodes.Text(known), data_criterion="cards"),
            ),
            *([tag("p", *ways, class_="gate-run")] if ways else []),
            tag(
                "details",
                tag("summary", nodes.Text("What to revisit, by concept")),
                revisit,
                class_="gate-revisit",
            ),
            class_="course-gate",
            id=f"gate-{chapter}",
            data_words=f"{words:g}",
            **mastery_data(chapter, cards, points),
        )
        box["attributes"]["aria-label"] = f"Gate of chapter {chapter}"
        return [box]


class Minutes(Component):
    """The minutes that each part of a chapter takes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a sentence."""
        chapter = self.arguments[0]
        page = self.text(self.env.docname)
        graded = sum(task.minutes for task in self.tasks(chapter))
        return self.markdown(said(page, cards=len(self.cards(chapter)), graded=graded))


def load_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the scripts of the components that a page has, and their style."""
    scripts = {
        "question-cards": "cards",
        "course-gate": "gate",
        "course-map": "map",
        "chapter-cards": "front",
    }
    classes = {
        node["attributes"].get("class") for node in (doctree.findall(html_tag) if doctree else [])
    }
    used = [script for name, script in scripts.items() if name in classes]
    for script in used:
        app.add_js_file(f"course/{script}.js", type="module")
    if used:
        app.add_css_file("course/front.css" if used == ["front"] else "course/components.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (nothing, nothing))
    app.add_node(html_tag, html=(visit, depart), **others)
    app.add_node(map_drawing, html=(visit_drawing, nothing), **others)
    app.add_directive("cards", Cards)
    app.add_directive("deck", Deck)
    app.add_directive("gate", Gate)
    app.add_directive("map", Map)
    app.add_directive("minutes", Minutes)
    app.add_directive("front", Front)
    app.add_directive("chapter-cards", ChapterCards)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", make)
    return {
        "version": "1",
        "env_version": 5,  # of what is written above: raise it when that changes
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
