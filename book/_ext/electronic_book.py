"""The course as one EPUB 3 file: ``make epub`` writes ``_build/epub/plainformer.epub``.

The builder writes the same pages as the site's, with a head of its own and without scripts, style
sheets and listings of the source. Formulas are MathML with their words as alternative text, the
answers to predictions are at the end of their chapter, and an interactive picture is its still,
with the address at which it moves. ``book/_epub`` has the templates.
"""

import os
import shutil
import time
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar
from urllib.parse import quote

from code_lines import plainer
from deck import EPOCH
from docutils import nodes
from html_tag import html_tag, tag
from interactive import STILL, interactive
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from map_drawing import map_drawing
from myst_nb.sphinx_ import HideCodeCellNode
from page_head import description
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder, validate_config_values
from theme_fixes import valid_html

TEMPLATES = Path(__file__).parents[1] / "_epub"
MADE = ("mimetype", "content.opf", "META-INF/container.xml")
# What only a browser can use.
DROPPED = {"front-grid", "question-deck", "gate-run", "headerlink", "keep-book"}
ANSWERS = "answers"
ANSWER_AT_END = "The output and the answer are at the end of this chapter"
STILL_HERE = "An interactive picture, here as a still. "


@dataclass
class Entry:
    """One line of the contents, and the lines below it."""

    title: str
    address: str = ""
    inner: list["Entry"] = field(default_factory=list)


class ElectronicBook(Epub3Builder):
    """Writes the pages, their list and the file that holds them."""

    name = "epub"
    format = "html"
    epilog = "The book is %(outdir)s/" + "plainformer.epub."
    search = False
    allow_parallel = False
    supported_image_types: ClassVar = ["image/svg+xml", "image/png", "image/gif", "image/jpeg"]

    def init(self) -> None:
        """Begin with an empty folder: what an earlier build left would go into the file."""
        shutil.rmtree(self.outdir, ignore_errors=True)
        Path(self.outdir).mkdir(parents=True)
        super().init()
        self.use_index = False
        self.templates_of_book = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
        )

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write one page."""
        adapt(doctree, self.config.html_baseurl, docname)
        self.said[docname] = description(doctree, "")
        super().write_doc(docname, doctree)

    def prepare_writing(self, docnames: set[str]) -> None:
        """Prepare what the pages have in common."""
        self.said: dict[str, str] = {}
        super().prepare_writing(docnames)
        self.domain_indices = []

    def handle_page(
        self,
        pagename: str,
        addctx: dict[str, Any],
        templatename: str = "page.html",
        outfilename: str | None = None,
        event_arg: Any = None,
    ) -> None:
        """Write a page of the contents; indices and listings of the source are left to the site."""
        if event_arg is None:
            return
        context = {"body": plainer(addctx["body"])}
        valid_html(self.app, pagename, templatename, context, event_arg)
        self.render(
            "page.xhtml",
            pagename + self.out_suffix,
            title=self.env.titles[pagename].astext(),
            up="../" * pagename.count("/"),
            body=context["body"],
        )

    def render(self, template: str, to: str, **context: Any) -> None:
        """Write a file from its template."""
        path = Path(self.outdir) / to
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self.templates_of_book.get_template(template).render(
            language=self.config.language or "en", **context
        )
        path.write_text(text, "utf-8")

    def copy_static_files(self) -> None:
        """Copy the style sheet, the only file of the pages besides their pictures."""
        shutil.copy(TEMPLATES / "book.css", self.outdir)
        (Path(self.outdir) / "_static").mkdir()  # where extensions put what the book does not hold

    def handle_finish(self) -> None:
        """Write the contents and the list of files, and put all into one."""
        folder = Path(self.outdir)
        self.render("nav.xhtml", "nav.xhtml", contents=self.contents())
        (folder / "mimetype").write_text("application/epub+zip", "ascii")
        (folder / "META-INF").mkdir()
        shutil.copy(TEMPLATES / "container.xml", folder / "META-INF")
        made = {*MADE, ".buildinfo"}
        found = (path for path in folder.rglob("*") if path.is_file())
        names = sorted(path.relative_to(folder).as_posix() for path in found)
        files = [name for name in names if name not in made]
        ids = {name: f"f{number}" for number, name in enumerate(files)}
        pages = [f"{page}{self.out_suffix}" for page in self.in_order()]
        self.render(
            "content.opf",
            "content.opf",
            **self.metadata(),
            items=[self.item(name, ids[name]) for name in files],
            spine=[ids[page] for page in pages if page in ids],
        )
        pack(folder, [*MADE, *files], folder / f"{self.config.epub_basename}.epub")

    def item(self, name: str, id: str) -> dict[str, str]:
        """Describe a file for the list of files."""
        text = (Path(self.outdir) / name).read_text("utf-8") if name.endswith(".xhtml") else ""
        known = {"nav": name == "nav.xhtml", "mathml": "<math" in text, "svg": "<svg" in text}
        return {
            "id": id,
            "address": quote(name),
            "type": self.media_types[PurePosixPath(name).suffix],
            "properties": " ".join(each for each, holds in known.items() if holds),
        }

    def metadata(self) -> dict[str, str]:
        """Return what the file says of itself."""
        site = self.config.html_baseurl
        when = time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)))
        name = site or self.config.project
        said = self.said.get(self.config.root_doc, "")
        return {
            "title": self.env.titles[self.config.root_doc].astext(),
            "identifier": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}",
            "author": self.config.author,
            "description": said or self.config.project,
            "rights": f"© {self.config.copyright}. Text and figures: CC BY 4.0. Code: MIT.",
            "site": site,
            "modified": time.strftime("%Y-%m-%dT%H:%M:%SZ", when),
        }

    def in_order(self) -> Iterator[str]:
        """Give the pages in the order of the contents."""
        left = [self.config.root_doc]
        while left:
            page = left.pop(0)
            left = [*self.env.toctree_includes.get(page, []), *left]
            yield page

    def contents(self) -> list[Entry]:
        """Return the parts of the book with their pages."""
        root = self.config.root_doc
        entries = [self.entry(root)]
        entries[0].inner.clear()
        for toctree in self.env.get_doctree(root).findall(addnodes.toctree):
            pages = [self.entry(page) for _, page in toctree["entries"] if page in self.env.titles]
            if toctree.get("caption"):
                entries.append(Entry(toctree["caption"], pages[0].address, pages))
            else:
                entries += pages
        return entries

    def entry(self, page: str) -> Entry:
        """Return a page with its sections and the pages below it."""
        address = quote(page + self.out_suffix)
        entry = Entry(self.env.titles[page].astext(), address)
        for reference in self.env.tocs[page].findall(nodes.reference):
            anchor = reference["anchorname"]
            if anchor and _depth(reference) == 2:
                anchored = address + self.fix_fragment("#", anchor.removeprefix("#"))
                entry.inner.append(Entry(reference.astext(), anchored))
        entry.inner += [self.entry(below) for below in self.env.toctree_includes.get(page, [])
                        if page != self.config.root_doc]  # fmt: skip
        return entry


def _depth(node: nodes.Node) -> int:
    depth = 0
    while node.parent is not None:
        node = node.parent
        depth += isinstance(node, nodes.bullet_list)
    return depth


def adapt(doctree: nodes.document, site: str, page: str) -> None:
    """Change what a page has for a browser into what a reader of books can show.

    Args:
        doctree: the page.
        site: the address of the site; empty if it is not known.
        page: the name of the page.
    """
    for node in list(doctree.findall(map_drawing)):
        node.parent.remove(node)  # a list with the same content follows
    for node in list(doctree.findall(html_tag)):
        attributes = node["attributes"]
        if attributes.get("class") == "front-facts":  # the text below is about the grid
            after = node.parent[node.parent.index(node) + 1]
            after.parent.remove(after)
        if DROPPED.intersection(attributes.get("class", "").split()) or "aria-hidden" in attributes:
            node.parent.remove(node)
        attributes.pop("style", None)
        attributes.pop("download", None)
    for raw in list(doctree.findall(nodes.raw)):
        if "<script" in raw.astext() or "<svg" in raw.astext():  # of Thebe; marks of folded boxes
            raw.parent.remove(raw)
    for cell in list(doctree.findall(nodes.container)):
        for place, fold in enumerate(cell.children):
            if isinstance(fold, HideCodeCellNode):  # whose summary would hold paragraphs
                words = tag("summary", nodes.Text(fold["prompt_show"]))
                cell[place] = tag("details", words, *fold.children)
    for picture in doctree.findall(nodes.image):
        picture.attributes.pop("loading", None)
    for widget in list(doctree.findall(interactive)):
        widget.replace_self(still(widget, f"{site}{page}.html" if site else ""))
    answers_last(doctree)


def still(widget: interactive, address: str) -> nodes.container:
    """Return a widget as its picture and where it moves."""
    box = nodes.container("", *widget.children, classes=["still"])
    for line in box.findall(nodes.paragraph):
        if "fallback" in line["classes"]:
            there = nodes.Text("It moves on the course's site.")
            if address:
                at = f"{address}#interactive-{widget['name']}"
                there = nodes.inline("", "It moves at ", nodes.reference("", address, refuri=at))
            known = line.astext() == STILL
            line.children[:] = []
            line += [nodes.Text(STILL_HERE if known else f"{widget['alt']} "), there]
    return box


def answers_last(doctree: nodes.document) -> None:
    """Move the answer to each prediction to the end of its chapter, with links both ways."""
    section = nodes.section("", nodes.title("", "Answers"), ids=[ANSWERS])
    for node in list(doctree.findall(html_tag)):
        if node["attributes"].get("class") != "predicted":
            continue
        number = len(section.children)
        here, there = f"prediction-{number}", f"answer-{number}"
        link = nodes.reference("", ANSWER_AT_END, refid=there, internal=True)
        node.replace_self(nodes.paragraph("", "", link, nodes.Text("."), ids=[here]))
        back = nodes.reference("", f"Prediction {number}", refid=here, internal=True)
        answer = nodes.container("", nodes.paragraph("", "", back, classes=["rubric"]), ids=[there])
        answer += node.children[1:]
        section += answer
    top = next(doctree.findall(nodes.section), None)
    if len(section.children) > 1 and top is not None:
        top += section


def pack(folder: Path, names: list[str], to: Path) -> None:
    """Put files into one; the first is not compressed, so that its kind can be seen from outside.

    Args:
        folder: where they are.
        names: their paths in the folder, in the order in which they are stored.
        to: the file.
    """
    when = time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)))[:6]
    with zipfile.ZipFile(to, "w") as book:
        for name in names:
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            entry = zipfile.ZipInfo(name, date_time=(max(when[0], 1980), *when[1:]))
            entry.compress_type = kind
            book.writestr(entry, (folder / name).read_bytes(), compresslevel=9)


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the place of Sphinx's own builder."""
    app.add_builder(ElectronicBook, override=True)
    # Sphinx would warn of settings that only its own list of files uses.
    listeners = app.events.listeners["builder-inited"]
    listeners[:] = [each for each in listeners if each.handler is not validate_config_values]
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
