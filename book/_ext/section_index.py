"""What the search knows: every section of the site, in one file that is loaded when it is needed.

A section has its heading, where it stands, its first sentences, the terms in bold and the names
that it introduces, other words for what it teaches (``also`` in ``concepts.yml``), and the words of
its prose that few sections have. ``_static/search/rank.js`` ranks them. The file assigns a
variable, so that it can be loaded from a saved copy of the site too, and esbuild makes plain
scripts of the modules that use it. Sphinx's own search is switched off.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docutils import nodes
from numbering import CHAPTER
from plain_text import inline, paragraphs
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util import logging

from plaincourse.cards import concepts

FOLDER = "_static/search"
FILE = f"{FOLDER}/sections.js"
SCRIPTS = ("box.js", "show.js")
UNUSED = ("searchtools.js", "language_data.js", "sphinx_highlight.js", "../searchindex.js")
ESBUILD = Path(__file__).parents[2] / "node_modules" / ".bin" / "esbuild"
OPTIONS = ("--bundle", "--minify", "--format=iife", "--charset=utf8", "--target=es2022")
VARIABLE = "courseSections"
SNIPPET = 300  # characters of a section's first sentences
SHORT = 90  # characters of what is said of a module or a name of the API
RARE = 10  # a word in more sections than this does not tell them apart
COMMON = 4  # a heading that more chapters have is one of the frame: "Practice", "References"
WORD = re.compile(r"[^\W\d_][\w'’-]*\w")
LETTERS = re.compile(r"[a-z]{3}")
NAME = re.compile(r"[A-Za-z_][\w.]*(\(\))?")
DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
VERSION = re.compile(r"Version \d")

log = logging.getLogger(__name__)


@dataclass
class Section:
    """One place that a hit leads to.

    Attributes:
        kind: ``chapter``, ``reference`` or ``api``.
        labels: all anchors of the place; the first is the one to link to.
        parent: number of the section around it on its page, or -1.
        words: the words of its prose.
    """

    kind: str
    labels: list[str]
    heading: str
    parent: int
    text: str = ""
    terms: list[str] = field(default_factory=list)
    words: set[str] = field(default_factory=set)


def collect(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep the sections of a page that is being written."""
    if app.builder.format == "html":
        _known(app)[page] = sections(doctree, page)


def _known(app: Sphinx) -> dict[str, list[Section]]:
    found: dict[str, list[Section]] = app.__dict__.setdefault("searched_sections", {})
    return found


def sections(doctree: nodes.document, page: str) -> list[Section]:
    """List what of a page can be found."""
    whole = "bibliography" in page
    kind = "chapter" if CHAPTER.fullmatch(page) else "reference"
    kind = "api" if any(doctree.findall(addnodes.desc)) else kind
    found: list[Section] = []
    seen: set[str] = set()
    for node in doctree.children:
        if isinstance(node, nodes.section):
            _add(node, -1, kind, found, seen, whole)
    return found


def _add(
    node: nodes.section, parent: int, kind: str, found: list[Section], seen: set[str], whole: bool
) -> None:
    here = len(found)
    prose = list(paragraphs(node))
    most = SHORT if kind == "api" and parent >= 0 else SNIPPET
    text = first_sentences(prose, most)
    found.append(Section(kind, _anchors(node), inline(node[0]), parent, text))
    found[here].terms = list(_terms(node, seen))
    found[here].words = {word for text in prose for word in words(text)}
    for child in node.children:
        if isinstance(child, nodes.section) and not whole:
            _add(child, here, kind, found, seen, whole)
    for entry in node.findall(addnodes.desc):
        if _section_of(entry) is node:
            found.extend(_names(entry, here))


def _section_of(node: nodes.Node) -> nodes.Node:
    while not isinstance(node, nodes.section):
        node = node.parent
    return node


def _names(entry: addnodes.desc, parent: int) -> Iterator[Section]:
    """Give the name that an entry of the API defines, with the first paragraph about it."""
    for signature in entry.findall(addnodes.desc_signature):
        if signature.parent is entry and signature["ids"]:
            name = signature["ids"][0]
            about = next(iter(paragraphs(entry[-1])), "")
            last = signature.get("fullname") or name.rpartition(".")[2]
            yield Section("api", [name], last, parent, first_sentences([about], SHORT))


def _anchors(node: nodes.section) -> list[str]:
    """Return the labels of a section; those that the author wrote first, since they stay."""
    return sorted(node["ids"], key=lambda label: not label.startswith(("sec-", "ch-")))


def first_sentences(prose: list[str], most: int = SNIPPET) -> str:
    """Return the first sentences, of that many characters in all."""
    whole = " ".join(re.sub(r":$", " …", text) for text in prose)  # code or a formula followed
    kept = ""
    for sentence in re.split(r"(?<=[.!?…])\s+(?=[^a-z])", whole):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > most:
            break
        kept = longer
    return kept or whole[:most].rpartition(" ")[0] + " …" * bool(whole)


def words(text: str) -> Iterator[str]:
    """Give the words of a text, in lower case."""
    for word in WORD.findall(text.lower()):
        if LETTERS.search(word):  # not the letters of a formula
            yield word.replace("’", "'").removesuffix("'s")


def _terms(node: nodes.section, seen: set[str]) -> Iterator[str]:
    """Give the terms in bold and the names that this section is the first of its page to have."""
    for child in node.children:
        if isinstance(child, nodes.section | addnodes.desc):
            continue
        for part in child.findall(lambda n: isinstance(n, nodes.strong | nodes.literal)):
            text = inline(part).strip(".,:;")
            name = isinstance(part, nodes.literal)
            if len(text) > 40 or VERSION.match(text) or (name and not NAME.fullmatch(text)):
                continue
            yield from _first(text.removesuffix("()"), seen)
        for block in child.findall(nodes.literal_block):
            for name_ in DEFINED.findall(block.astext()):
                yield from _first(name_, seen)


def _first(text: str, seen: set[str]) -> Iterator[str]:
    if len(text) > 1 and text.lower() not in seen:
        seen.add(text.lower())
        yield text


def written(pages: dict[str, tuple[str, str, list[Section]]], also: dict[str, list[str]]) -> str:
    """Return the file.

    Args:
        pages: of each page its address, its title and its sections, in the order of the book.
        also: other words for what a section teaches, by its label.
    """
    every = [section for _, _, found in pages.values() for section in found]
    often = Counter(word for section in every for word in section.words)
    heads = Counter(section.heading for section in every if section.kind == "chapter")
    rows: list[list[Any]] = []
    for number, (_, _, found) in enumerate(pages.values()):
        start = len(rows)
        for section in found:
            told = set(words(f"{section.heading} {section.text} {' '.join(section.terms)}"))
            rare = sorted(w for w in section.words - told if often[w] <= RARE)
            frame = section.kind == "chapter" and heads[section.heading] > COMMON
            kind = "frame" if frame else section.kind
            more = [word for label in section.labels for word in also.get(label, [])]
            parent = start + section.parent if section.parent >= 0 else -1
            place = [number, section.labels[0], _short(section), parent, kind]
            terms = [] if kind == "api" else section.terms  # a name is found by its path
            rows.append([*place, section.text, terms, more, " ".join(rare)])
    titles = [[address, _number(page), title] for page, (address, title, _) in pages.items()]
    data = json.dumps(
        {"pages": titles, "sections": rows}, ensure_ascii=False, separators=(",", ":")
    )
    return f"var {VARIABLE} = {data};\n"


def _short(section: Section) -> str | int:
    """Return a heading, or how many last parts of the label it is; 0 for all of a module's."""
    label, heading = section.labels[0], section.heading
    if label == f"module-{heading}":
        return 0
    return heading.count(".") + 1 if label.endswith(f".{heading}") else heading


def _number(page: str) -> str:
    chapter = CHAPTER.fullmatch(page)
    return chapter[1] if chapter else ""


def _in_order(app: Sphinx) -> Iterator[str]:
    """Give the pages in the order of the book."""
    listed: list[str] = [app.config.root_doc]
    for page in listed:
        yield page
        listed += [each for each in app.env.toctree_includes.get(page, []) if each not in listed]


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the index when all pages are written; pages that were not are read again."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    pages = {}
    for page in _in_order(app):
        if page not in _known(app):
            app.env.get_and_resolve_doctree(page, app.builder)
        title = inline(app.env.titles[page])
        pages[page] = (app.builder.get_target_uri(page), title, _known(app)[page])
    also: dict[str, list[str]] = {}
    for concept in concepts.load(Path(app.srcdir) / "book" / "concepts.yml").values():
        said = [concept.id.replace("-", " "), *concept.also]
        also.setdefault(concept.section, []).extend(said)
    text = written(pages, also)
    (Path(app.outdir) / FILE).write_text(text, encoding="utf-8")
    for name in UNUSED:
        (Path(app.outdir) / "_static" / name).unlink(missing_ok=True)
    _bundle(app)


def _bundle(app: Sphinx) -> None:
    """Make scripts of the modules, with what they import, for browsers that open a file."""
    if not ESBUILD.is_file():
        log.warning("%s is missing, so the search would not run. Run `npm ci`.", ESBUILD.name)
        return
    sources = [str(Path(__file__).parents[1] / FOLDER / name) for name in SCRIPTS]
    command = [str(ESBUILD), *sources, *OPTIONS, "--log-level=warning"]
    made = subprocess.run(
        [*command, f"--outdir={Path(app.outdir) / FOLDER}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        log.warning("esbuild could not bundle the search:\n%s", made.stderr.strip())


def without_sphinx_search(app: Sphinx) -> None:
    """Let Sphinx write no index of its own; the page that it would have made is made here."""
    if isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.search = False


def search_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Make search.html."""
    yield "search", {}, "search.html"


def without_its_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Leave out the script that marked what Sphinx's search had found."""
    scripts = context.get("script_files", [])
    scripts[:] = [each for each in scripts if "sphinx_highlight" not in str(each.filename or "")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Collect before other extensions change the pages for the browser."""
    app.connect("builder-inited", without_sphinx_search)
    app.connect("doctree-resolved", collect, priority=100)
    app.connect("html-collect-pages", search_page)
    app.connect("html-page-context", without_its_scripts, priority=900)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
