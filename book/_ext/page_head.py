"""What search engines and tabs show of a page: its title once, and a description."""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SHORTEST, LONGEST = 50, 160
VIEWPORT = re.compile(r'<meta [^>]*name="viewport"[^>]*>\s*')


def description(doctree: nodes.document, title: str) -> str:
    """Return the first paragraph of a page that says something, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        aside = isinstance(paragraph.parent, nodes.Admonition | nodes.footnote | nodes.list_item)
        if len(text) < SHORTEST or aside or next(paragraph.findall(nodes.math), None):
            continue
        if len(text) <= LONGEST:
            return text
        return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:.–") + " …"
    return title


def write(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Write the description; leave out what the page has already."""
    title = re.sub(r"<[^>]+>", "", context.get("title", ""))
    name = app.config.project
    if title == name:
        context["docstitle"] = ""
    said = description(doctree, title) if doctree else title
    said = said if len(said) >= SHORTEST else f"{said}: a page of {name}, a course on transformers"
    tags = VIEWPORT.sub("", context.get("metatags", ""))  # the theme writes one
    context["metatags"] = f'{tags}\n    <meta name="description" content="{escape(said)}" />'


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to each page."""
    app.connect("html-page-context", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
