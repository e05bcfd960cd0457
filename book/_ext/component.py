"""What the directives of the course share: the book's data, Markdown, links to sections."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from plaincourse.cards.cards import Card, CardError, load
from plaincourse.cards.concepts import Concept
from plaincourse.cards.concepts import load as load_concepts
from plaincourse.exercise import bank
from plaincourse.exercise.task import Task
from plaincourse.notebooks.references import NEEDED
from plaincourse.settings import load as load_settings


class Component(SphinxDirective):
    """A directive that reads the book's data."""

    def data(self, name: str) -> Path:
        """Return a file of the book's data, which this page now depends on."""
        path = Path(self.env.srcdir) / "book" / name
        self.env.note_dependency(path.as_posix())
        return path

    def text(self, document: str) -> str:
        """Return the text of a chapter.

        Args:
            document: Its page without suffix, such as ``book/02-attention``.
        """
        return self.data(f"{Path(document).name}.md").read_text("utf-8")

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

    def page(self, document: str, *words: nodes.Node, **attributes: Any) -> nodes.Node:
        """Link to a page of the book, such as ``book/02-attention``."""
        return addnodes.pending_xref(
            "",
            *words,
            refdoc=self.env.docname,
            refdomain="std",
            reftype="doc",
            reftarget="/" + document,
            refexplicit=True,
            refwarn=True,
            **attributes,
        )

    def in_colab(self, notebook: str, words: str, **attributes: Any) -> nodes.Node | None:
        """Link to a notebook of the repository in Colab; nothing while no owner is set."""
        settings = load_settings(Path(self.env.srcdir))
        self.env.note_dependency((Path(self.env.srcdir) / "pyproject.toml").as_posix())
        address = settings.colab_url(notebook)
        text = nodes.Text(words)
        return nodes.reference("", "", text, refuri=address, **attributes) if address else None

    def points(self, chapter: str, *kinds: type) -> float:
        """Return the points of a chapter's graded notebook.

        Args:
            chapter: two digits.
            kinds: of tasks; all when left out.

        Raises:
            DirectiveError: it has no graded tasks.
        """
        return sum(
            task.points for task in self.tasks(chapter) if not kinds or isinstance(task, kinds)
        )

    def tasks(self, chapter: str) -> list[Task]:
        """Return the tasks of a chapter's graded notebook that count.

        Raises:
            DirectiveError: it has none.
        """
        try:
            return bank.counted(chapter)
        except LookupError as error:
            raise self.error(f"{self.name} {chapter}: {error.args[0]}") from None


def mastery_data(chapter: str, cards: Sequence[Card], points: float) -> dict[str, str]:
    """Attributes from which the scripts tell whether a gate is open."""
    return {
        "data_chapter": chapter,
        "data_cards": " ".join(card.id for card in cards),
        "data_points": f"{points:g}",
        "data_needed": f"{NEEDED:g}",
    }
