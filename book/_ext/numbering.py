"""Numbers that begin with the number of their chapter.

A chapter's number stands in its file name: ``02-attention`` is chapter 2 also while chapter 1 does
not exist. Its equations are (2.1), (2.2), …; so are its figures, tables and exercises.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

CHAPTER = re.compile(r"(?:.*/)?(\d\d)-[^/]+")


def by_chapter(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Renumber what Sphinx numbered through the whole book."""
    changed = []
    for docname, kinds in env.toc_fignumbers.items():
        chapter = CHAPTER.fullmatch(docname)
        if not chapter:
            continue
        for numbers in kinds.values():
            in_order = sorted(numbers, key=numbers.get)
            new = {label: (int(chapter[1]), n) for n, label in enumerate(in_order, start=1)}
            if new != numbers:
                numbers.update(new)
                changed.append(docname)
    return sorted(set(changed))


def setup(app: Sphinx) -> dict[str, Any]:
    """Run after Sphinx has numbered everything."""
    app.connect("env-get-updated", by_chapter, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
