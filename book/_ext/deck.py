"""The deck of all question cards for Anki: made with the site, and offered beside the cards."""

import os
from pathlib import Path

from docutils import nodes
from html_tag import tag
from sphinx.application import Sphinx

from plaincourse.cards.anki import write
from plaincourse.cards.cards import load_all
from plaincourse.exercise.course import distribution

FILE = f"{distribution()}-cards.apkg"
# One text gives one site, whatever the day. Who publishes newer cards says so by SOURCE_DATE_EPOCH,
# since Anki takes over a card that it knows only if it is later than its own.
EPOCH = 1_767_225_600  # 1 January 2026


def offer(docname: str) -> nodes.Node:
    """Link to the deck from a page."""
    address = "../" * docname.count("/") + f"_static/{FILE}"
    return tag(
        "p",
        nodes.Text("The cards of all chapters, to learn them in Anki: "),
        tag("a", nodes.Text(FILE), href=address, download=""),
        nodes.Text(". In Anki: File, Import."),
        class_="question-deck",
    )


def make(app: Sphinx, error: Exception | None) -> None:
    """Write the deck into a site that has cards."""
    decks = load_all(Path(app.srcdir) / "book" / "cards")
    if not error and decks and app.builder.format == "html" and app.builder.name != "epub":
        when = float(os.environ.get("SOURCE_DATE_EPOCH", EPOCH))
        write(decks, Path(app.outdir) / "_static" / FILE, when=when)
