"""The page that a host shows for an address where there is none: ``404.html``.

It is shown at whatever depth the reader asked for, so nothing in it depends on where it lies: its
look is its own, and its links start from the site's root. That is the path of ``html_baseurl``; a
script finds it where the site was put elsewhere.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx

NAME = "404.html"


def chapters(app: Sphinx) -> list[tuple[str, str]]:
    """Return the name and the title of each page in the contents, in their order."""
    found: list[tuple[str, str]] = []
    left = [app.config.root_doc]
    while left:
        page = left.pop(0)
        left = [*app.env.toctree_includes.get(page, []), *left]
        if page != app.config.root_doc and page in app.env.titles:
            found.append((page, app.env.titles[page].astext()))
    return found


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    root = urlsplit(app.config.html_baseurl or "/").path
    found = {
        "language": app.config.language,
        "project": app.config.project,
        "root": root if root.endswith("/") else f"{root}/",
        "name": NAME,
        "chapters": [(app.builder.get_target_uri(page), title) for page, title in chapters(app)],
    }
    text = app.builder.templates.render(NAME, found)
    (Path(app.outdir) / NAME).write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page when the build ends."""
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
