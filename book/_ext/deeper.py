"""What goes deeper is folded: a section headed "Deeper: …", which is skipped without loss.

Its heading stays, as the summary of a ``<details>`` around all else, so that the contents, the
search and links find it; ``_static/course.js`` opens what an address leads to. On paper it is open.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

DEEPER = "Deeper:"


def fold(app: Sphinx, document: nodes.document, page: str) -> None:
    """Fold the sections of a page that go deeper, when all else has read them."""
    for section in document.findall(nodes.section):
        if section[0].astext().startswith(DEEPER):
            section["classes"].append("deeper")
            section.insert(0, _html("<details><summary>"))
            section.insert(2, _html("</summary>"))
            section += _html("</details>")


def _html(tags: str) -> nodes.raw:
    return nodes.raw("", tags, format="html")


def setup(app: Sphinx) -> dict[str, Any]:
    """Fold last, since others expect a section to begin with its title."""
    app.connect("doctree-resolved", fold, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
