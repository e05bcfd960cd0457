"""Reading without a network: the service worker, the list of the book's files, and the button.

``sw.js`` at the site's root keeps the pages that were read and, at the button, the whole book. Its
edition is the digest of the list of all files of the book with their digests, so it changes with
each of them. The list is a file of its own, ``sw.json``: a browser asks for the worker
again and again, and for the list only when the reader wants the book.

Each page has the box ``keep-book`` in its footer. ``{offline}`` places it in the text instead.
"""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin

from classic_scripts import bundle
from component import Component
from digests import mark
from docutils import nodes
from html_tag import html_tag, tag
from sphinx.application import Sphinx

WORKER, LIST = "sw.js", "sw.json"
SOURCE, SCRIPT = "offline/sw.js", "offline/offline.js"
BOX = "keep-book"
WAYS = "book/run-it-yourself"
PLACE = "sec-run-offline"
SAID = "This book can be read without a network."
LINK = "Ways to take it along"
# For those who ask for them; they are no part of what is read.
LEFT_OUT = re.compile(r"^(_sources|_downloads)/|^_static/.*\.html$|^404\.html$|\.(md|ipynb|apkg)$")
IN_PAGE = re.compile(r"""\b(?:href|src)="([^"#]+)""")
IN_INLINE_SCRIPT = re.compile(r'"((?:\.\./)*_static/[^"#]+)"')  # fonts that are loaded early
IN_SHEET = re.compile(r"""url\(["']?([^"')#]+)""")
IN_SCRIPT = re.compile(r"""["'`](_static/[^"'`#]+)""")
OTHER_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def files(site: Path) -> list[str]:
    """List the addresses of the pages and of all that they use, from the site's root.

    Args:
        site: the folder of the site.
    """
    pages = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    left = [quote(page) for page in pages if not LEFT_OUT.search(page)]
    found = set(left)
    while left:
        for address in _named(site, left.pop()):
            path = _path(address)
            known = address in found or LEFT_OUT.search(path) or path.endswith(".html")
            if not known and (site / path).is_file():
                found.add(address)
                left.append(address)
    return sorted(found)


def _path(address: str) -> str:
    """Return the path of the file at an address, from the site's root."""
    return unquote(address.partition("?")[0])


def _named(site: Path, address: str) -> Iterator[str]:
    """Give the addresses that a file names."""
    path = _path(address)
    kind = Path(path).suffix
    if kind not in (".html", ".css", ".js"):
        return
    text = (site / path).read_text("utf-8")
    if kind == ".html":
        named = [*IN_PAGE.findall(text), *IN_INLINE_SCRIPT.findall(text)]
    else:
        named = IN_SHEET.findall(text) if kind == ".css" else IN_SCRIPT.findall(text)
    base = "" if kind == ".js" else path
    for each in named:
        if not OTHER_HOST.match(each):
            yield urljoin(base, each.replace("&amp;", "&"))


def listing(site: Path) -> dict[str, Any]:
    """Return the list of files: address, digest and size of each; and the digest of all this.

    Args:
        site: the folder of the site.
    """
    rows = []
    for address in files(site):
        body = (site / _path(address)).read_bytes()
        rows.append([address, mark(body), len(body)])
    return {"release": mark(json.dumps(rows).encode()), "files": rows}


def edition(site: Path, found: dict[str, Any], missing: str) -> dict[str, Any]:
    """Return what the worker knows of its edition.

    Args:
        site: the folder of the site.
        found: the list of files.
        missing: the page that it shows for one that is not kept.
    """
    packed = 0
    for address, _, size in found["files"]:
        path = site / _path(address)
        text = path.suffix in (".html", ".css", ".js", ".svg")
        packed += len(gzip.compress(path.read_bytes(), 6)) if text else size
    return {
        "release": found["release"],
        "total": sum(size for _, _, size in found["files"]),
        "packed": packed,
        "list": LIST,
        "missing": missing,
    }


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the worker and the list when all files are what they will be."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    site = Path(app.outdir)
    known = {"language": app.config.language, "project": app.config.project}
    missing = app.builder.templates.render("offline.html", known).strip()
    found = listing(site)
    about = json.dumps(edition(site, found, missing), ensure_ascii=False)
    code = (site / "_static" / bundle(app, [SOURCE])).read_text("utf-8")
    (site / LIST).write_text(json.dumps(found, separators=(",", ":")), "utf-8")
    (site / WORKER).write_text(f"self.EDITION = {about};\n{code}", "utf-8")


class Offline(Component):
    """What is kept on this device, and the button."""

    def run(self) -> list[nodes.Node]:
        """Write the box; its script fills it."""
        words = nodes.paragraph("", SAID, classes=["keep-said"])
        return [tag("div", words, class_=BOX)]


def footer(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the box into the footer of a page that has none, and load its script."""
    app.add_js_file(SCRIPT, type="module", **{"data-later": "later"})
    boxes = doctree.findall(html_tag) if doctree else ()
    if any(BOX in node["attributes"].get("class", "") for node in boxes):
        return
    ways = ""
    if WAYS in app.env.found_docs:
        here = f"{context['pathto'](WAYS)}#{PLACE}"
        ways = f'<p class="keep-ways"><a href="{here}">{LINK}</a></p>'
    box = f'<div class="{BOX}"><p class="keep-said">{SAID}</p>{ways}</div>'
    context["theme_extra_footer"] = (context.get("theme_extra_footer") or "") + box


def setup(app: Sphinx) -> dict[str, Any]:
    """Write at the very end; load the script before classic_scripts looks."""
    app.add_directive("offline", Offline)
    app.connect("html-page-context", footer)
    app.connect("build-finished", write, priority=1000)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
