"""Numbers that begin with the number of their chapter, and the number in the chapter's own title.

A chapter's number stands in its file name: ``02-attention`` is chapter 2 also while chapter 1 does
not exist. Its equations are (2.1), (2.2), …; so are its figures, tables and exercises; on a page
that is no chapter they begin with 1. A chapter's title carries the number wherever the site shows
it: above the text, in the contents, in the browser's tab, in links to the next chapter. Labels keep
the bare title, so that a sentence may name it.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

CHAPTER = re.compile(r"(?:.*/)?(\d\d)-[^/]+")


def numbered_title(app: Sphinx, doctree: nodes.document) -> None:
    """Put the number before the title, before Sphinx collects titles for its contents."""
    chapter = CHAPTER.fullmatch(app.env.docname)
    title = next(doctree.findall(nodes.title), None)
    if chapter and title is not None:
        number = nodes.inline("", f"{chapter[1]} · ", classes=["chapter-number"])
        title.insert(0, number)


def bare(title: nodes.Element) -> str:
    """Return a title's words without the number, for where another number names the chapter."""
    return re.sub(r"^\d\d · ", "", title.astext())


def by_chapter(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Number by pages what Sphinx numbered through the whole book."""
    changed = []
    for docname, kinds in env.toc_fignumbers.items():
        chapter = CHAPTER.fullmatch(docname)
        first = (int(chapter[1]),) if chapter else ()
        for numbers in kinds.values():
            in_order = sorted(numbers, key=numbers.get)
            new = {label: (*first, n) for n, label in enumerate(in_order, start=1)}
            if new != numbers:
                numbers.update(new)
                changed.append(docname)
    return sorted(set(changed))


def setup(app: Sphinx) -> dict[str, Any]:
    """Number titles before the collectors see them, the rest after Sphinx has numbered it."""
    app.connect("doctree-read", numbered_title, priority=100)
    app.connect("env-get-updated", by_chapter, priority=900)
    return {
        "version": "1",
        "env_version": 1,  # raise it when titles are written otherwise
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
