"""``llms.txt``: the pages of the site for language models, as https://llmstxt.org defines it.

A name, a summary, how to read what follows, then a list of the Markdown twins for each part of the
course, with what each chapter shows and which concepts it explains. Pages for looking things up
are in the section "Optional", which a program with little room may leave out.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from course_map import chapters
from markdown_twin import SUFFIX
from not_found import chapters as contents
from sphinx.application import Sphinx

from plaincourse.cards.concepts import load

NAME = "llms.txt"
READ = """\
Each page of the site is also Markdown, at the page's address with `.md` at its end. Formulas are
TeX; code cells are followed by what they print; pictures are described in words. A reader of the
site sees the answer to a prediction only after choosing an option, so a tutor should ask first.
Letters of axes have one meaning throughout: see the page on notation."""
MORE = ("playground", "run-it-yourself", "map", "instructors", "notation")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
LONGEST = 200  # characters of what is said of a page


def first_words(twin: Path) -> str:
    """Return the first paragraph below the title of a page's twin, cut at a word."""
    for block in twin.read_text("utf-8").split("\n\n")[1:]:
        if block[0].isalpha():
            text = LINK.sub(r"\1", " ".join(block.split()))
            cut = text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:.–") + " …"
            return text if len(text) <= LONGEST else cut
    return ""


def listing(app: Sphinx) -> str:
    """Return the text of ``llms.txt``."""
    site, source = Path(app.outdir), Path(app.srcdir)
    root = app.config.html_baseurl
    root = f"{root.rstrip('/')}/" if root else ""
    concepts = load(source / "book" / "concepts.yml")
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]

    def line(page: str, title: str, note: str) -> str:
        words = title.replace("[", "(").replace("]", ")")
        return f"- [{words}]({root}{page}{SUFFIX})" + (f": {note}" if note else "")

    sections: dict[str, list[str]] = {}
    listed = set()
    for chapter in chapters(source / "book" / "chapters.yml", concepts, app.env.found_docs):
        if chapter.document:
            names = [each.name for each in concepts.values() if each.chapter == chapter.id]
            note = f"{chapter.shows}. Concepts: {'; '.join(names)}."
            here = line(chapter.document, f"{chapter.id} · {chapter.title}", note)
            sections.setdefault(chapter.part, []).append(here)
            listed.add(chapter.document)
    for page, title in contents(app):
        twin = site / f"{page}{SUFFIX}"
        if page not in listed and twin.is_file():
            part = "The way through" if page.rpartition("/")[2] in MORE else "Optional"
            sections.setdefault(part, []).append(line(page, title, first_words(twin)))
    in_order = sorted(sections, key=lambda part: part == "Optional")  # by the format, the last
    lists = [f"## {part}\n\n" + "\n".join(sections[part]) for part in in_order]
    head = [f"# {app.config.project}", f"> {project['description']}", READ]
    return "\n\n".join([*head, *lists]) + "\n"


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the list when every page is written."""
    if not error and app.builder.name == "html":
        (Path(app.outdir) / NAME).write_text(listing(app), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write at the end of the build."""
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
