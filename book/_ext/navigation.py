"""Pages that name others are written again when a title or the order of pages changes.

Each page lists all chapters at its side and names its neighbours. Sphinx writes only those pages
again whose own text has changed, and the others would go on showing the former titles.
"""

from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return all pages if the titles or the contents are others than at the last build."""
    titles = {name: title.astext() for name, title in env.titles.items()}
    now = sorted(titles.items()), sorted(env.toctree_includes.items())
    before = getattr(env, "navigation", now)
    env.navigation = now  # type: ignore[attr-defined]  # Sphinx stores it for us
    return sorted(env.found_docs) if before != now else []


def setup(app: Sphinx) -> dict[str, Any]:
    """Compare when everything has been read."""
    app.connect("env-updated", write_again)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
