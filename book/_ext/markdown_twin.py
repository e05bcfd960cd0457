"""Each page as Markdown beside it; ``llms.py`` lists these twins.

A program that reads the course, such as a language model or a converter, needs none of a page's
markup. The twin of ``02-attention.html`` is ``02-attention.html.md``, as https://llmstxt.org
proposes; the page's head names it. It is written from the page's tree, in which references,
numbers and the outputs of cells are known: formulas as TeX, outputs as text, pictures as their
alternative text with an address.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import Any

from docutils import nodes
from figures import RASTER
from html_tag import INLINE, html_tag
from sphinx import addnodes
from sphinx.application import Sphinx

SUFFIX = ".html.md"
SKIPPED = (
    nodes.comment,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.raw,
    nodes.target,
    nodes.label,
    addnodes.index,
    addnodes.toctree,
)
SKIPPED_CLASSES = {"toctree-wrapper", "viewcode-link", "headerlink"}
LANGUAGES = {"ipython3": "python", "ipython": "python", "default": "", "none": "", "myst-ansi": ""}
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
MARKS = re.compile(r"[*$<\\]")  # of Markdown, where the text has them as letters
BLANK_LINES = re.compile(r"\n\s*\n")
AROUND = {nodes.emphasis: "*", nodes.strong: "**", addnodes.literal_strong: "**"}


class Twin:
    """Writes one page as Markdown.

    Args:
        app: the application.
        page: the name of the page.
    """

    def __init__(self, app: Sphinx, page: str) -> None:
        self.app, self.page = app, page
        self.numbers = app.env.toc_fignumbers.get(page, {})
        self.up = "../" * page.count("/")

    def document(self, document: nodes.document) -> str:
        """Return the whole page."""
        return "\n\n".join(self.blocks(document.children)) + "\n"

    def blocks(self, children: Iterable[nodes.Node], level: int = 0) -> Iterator[str]:
        """Give the blocks of some nodes in order; neighbours within a line are one block."""
        for inline, group in groupby((c for c in children if not _skipped(c)), _is_inline):
            if inline:
                if text := " ".join("".join(map(self.inline, group)).split()):
                    yield text
                continue
            for node in group:
                assert isinstance(node, nodes.Element)
                yield from self.block(node, level)

    def block(self, node: nodes.Element, level: int) -> Iterator[str]:
        """Give the blocks of one node."""
        made = _made(node)
        if isinstance(node, nodes.section):
            yield from self.blocks(node.children, level + 1)
        elif isinstance(node, nodes.title):
            words = self.words(node)
            yield f"{'#' * level} {words}" if _is_heading(node) else f"**{words}**"
        elif isinstance(node, nodes.literal_block | nodes.doctest_block):
            yield _fenced(node)
        elif isinstance(node, nodes.math_block):
            yield self.formula(node)
        elif isinstance(node, nodes.image):
            yield self.inline(node)
        elif isinstance(node, nodes.table):
            yield from self.table(node)
        elif isinstance(node, addnodes.desc):
            yield from self.blocks(node.children, level + 1)
        elif isinstance(node, nodes.Admonition | nodes.block_quote):
            yield _quoted("\n\n".join(self.blocks(node.children, level)))
        elif isinstance(node, nodes.bullet_list) or made in ("ul", "dl"):
            yield self.items(node, level, ordered=False)
        elif isinstance(node, nodes.enumerated_list) or made == "ol":
            yield self.items(node, level, ordered=True)
        elif isinstance(node, nodes.term | nodes.field_name) or made == "summary":
            yield f"**{self.words(node)}**"
        elif made == "div" and all(_made(child) in ("dt", "dd") for child in node.children):
            yield ": ".join(self.words(child) for child in node.children)
        elif isinstance(node, nodes.caption):
            yield self.numbered(node) + self.words(node)
        elif isinstance(node, addnodes.desc_signature):
            yield f"{'#' * level} `{' '.join(_without_links(node).astext().split())}`"
        elif isinstance(node, nodes.footnote | nodes.citation):
            label = next(node.findall(nodes.label)).astext()
            yield f"[{label}] " + " ".join(self.blocks(node.children, level))
        else:
            yield from self.blocks(node.children, level)

    def words(self, node: nodes.Node) -> str:
        """Return the text of a heading or a caption in one line."""
        return " ".join("".join(map(self.inline, node.children)).split())

    def inline(self, node: nodes.Node) -> str:
        """Return what stands within a line."""
        if isinstance(node, nodes.Text):
            return MARKS.sub(r"\\\g<0>", str(node))
        if _skipped(node) or not isinstance(node, nodes.Element):
            return ""
        if isinstance(node, nodes.math):
            return f"{node.get('before', '')}${node.astext().strip()}${node.get('after', '')}"
        if isinstance(node, nodes.literal):
            code = node.astext()
            return f"`` {code} ``" if "`" in code else f"`{code}`"
        if isinstance(node, nodes.image):
            return self.picture(node)
        inside = "".join(map(self.inline, node.children))
        if isinstance(node, nodes.reference):
            address = self.address(node)
            return f"[{inside}]({address})" if address and inside else inside
        if isinstance(node, nodes.footnote_reference | nodes.citation_reference):
            return f"[{inside}]"
        mark = next((mark for kind, mark in AROUND.items() if isinstance(node, kind)), "")
        return f"{mark}{inside}{mark}" if inside.strip() else inside

    def address(self, node: nodes.Element) -> str:
        """Return where a reference leads: to the twin of a page, or to another site."""
        path, mark, place = node.get("refuri", "").partition("#")
        if not node.get("internal"):
            return f"{path}{mark}{place}"
        return path + ".md" if path.endswith(".html") and "_modules/" not in path else ""

    def picture(self, node: nodes.image) -> str:
        """Return a picture as its alternative text and, if it is the site's, its address."""
        words = " ".join(node.get("alt", "").split()) or "A picture"
        uri = node.get("candidates", {}).get("*", node["uri"])
        if uri not in self.app.env.images:
            return f"({words})"
        name = Path(self.app.env.images[uri][1])
        if name.suffix in RASTER:  # figures.py writes it in another format
            name = name.with_suffix(".webp")
        folder = getattr(self.app.builder, "imagedir", "_images")
        return f"![{words.replace(']', ')').replace('[', '(')}]({self.up}{folder}/{name})"

    def numbered(self, caption: nodes.Element) -> str:
        """Return the number of a figure or a table, as the page shows it."""
        kind = "table" if isinstance(caption.parent, nodes.table) else "figure"
        number = self.number(kind, caption.parent)
        return f"**{kind.title()} {number}.** " if number else ""

    def number(self, kind: str, node: nodes.Node | None) -> str:
        """Return a number that Sphinx gave to a figure, a table or an equation."""
        ids = node["ids"] if isinstance(node, nodes.Element) else []
        known = self.numbers.get(kind, {})
        return next((".".join(map(str, known[each])) for each in ids if each in known), "")

    def formula(self, node: nodes.math_block) -> str:
        """Return a displayed formula with its number."""
        tex = BLANK_LINES.sub("\n", node.astext().strip())
        number = self.number("displaymath", node)
        return f"$$\n{tex}\n" + (f"\\tag{{{number}}}\n" if number else "") + "$$"

    def items(self, node: nodes.Element, level: int, *, ordered: bool) -> str:
        """Return a list."""
        found: list[str] = []
        for item in node.children:
            if not isinstance(item, nodes.Element) or _skipped(item):
                continue
            made = _made(item)
            text = "\n\n".join(self.blocks([item] if made == "div" else item.children, level))
            mark = f"{len(found) + 1}. " if ordered else "- "
            found.append(mark + indent(text, " " * len(mark)).lstrip())
        apart = "\n\n" if any("\n\n" in item for item in found) else "\n"
        return apart.join(found)

    def table(self, node: nodes.table) -> Iterator[str]:
        """Give a table's caption and its rows."""
        for title in node.findall(nodes.title):
            yield self.numbered(title) + self.words(title)
        rows = []
        width = len(next(node.findall(nodes.row)))
        for row in node.findall(nodes.row):
            cells = [" ".join(self.blocks(entry.children)) for entry in row.findall(nodes.entry)]
            words = (" ".join(cell.split()).replace("|", r"\|") for cell in cells)
            rows.append(f"| {' | '.join(words)} |")
        yield "\n".join([rows[0], "|---" * width + "|", *rows[1:]])


def _made(node: nodes.Node) -> str:
    """Return the name of the HTML element that a directive of the course writes."""
    return str(node["tag"]) if isinstance(node, html_tag) else ""


def _skipped(node: nodes.Node) -> bool:
    classes = node.get("classes", []) if isinstance(node, nodes.Element) else []
    hidden = isinstance(node, html_tag) and "aria-hidden" in node["attributes"]
    return hidden or isinstance(node, SKIPPED) or not SKIPPED_CLASSES.isdisjoint(classes)


def _is_inline(node: nodes.Node) -> bool:
    if isinstance(node, html_tag):
        return _made(node) in INLINE
    return isinstance(node, nodes.Text | nodes.Inline) and not isinstance(
        node, addnodes.desc_signature
    )


def _is_heading(title: nodes.title) -> bool:
    return isinstance(title.parent, nodes.section)


def _without_links(signature: nodes.Element) -> nodes.Element:
    copied = signature.deepcopy()
    for node in list(copied.findall(nodes.reference)):
        if "viewcode-link" in [*node["classes"], *(c for n in node.children
                               if isinstance(n, nodes.Element) for c in n["classes"])]:  # fmt: skip
            node.parent.remove(node)
    return copied


def _fenced(node: nodes.Element) -> str:
    language = node.get("language", "")
    code = ANSI.sub("", node.astext()).rstrip("\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}{LANGUAGES.get(language, language)}\n{code}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def write(app: Sphinx, document: nodes.document, page: str) -> None:
    """Write the twin of a page, before others make HTML of its parts."""
    if app.builder.name != "html":
        return
    path = Path(app.outdir) / f"{page}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(Twin(app, page).document(document), "utf-8")


def link(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Name the twin in a page's head."""
    if doctree is not None and app.builder.name == "html":
        name = page.rpartition("/")[2] + SUFFIX
        tag = f'<link rel="alternate" type="text/markdown" href="{name}">'
        context["metatags"] = f"{context.get('metatags', '')}\n    {tag}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Write when a page is resolved."""
    app.connect("doctree-resolved", write, priority=400)
    app.connect("html-page-context", link, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
