"""What a page loads: one style sheet, no script that stops it, nothing that it does not use.

Sphinx, the theme and the extensions link a dozen style sheets, of which the site uses a tenth, and
scripts that the browser must run before it shows a word. Here each page links ``site.css``, which
``styles.mjs`` makes when all pages are written: the sheets in the order in which pages name them,
those of others without what no page and no script mentions. Scripts wait until the page is read.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _CascadingStyleSheet
from sphinx.errors import ExtensionError

SHEET = "_static/site.css"
# What the theme's own template links, before what Sphinx knows of.
THEME = ("_static/basic.css", "_static/styles/pydata-sphinx-theme.css")
STYLES = Path(__file__).with_name("styles.mjs")
# What is changed in the theme's scripts: for each script, what is replaced and by what.
MENDS = {
    "_static/scripts/pydata-sphinx-theme.js": [
        # It asks each scroller for its size when a page is loaded and whenever anything changes,
        # which lays out the whole page each time; course.js watches them instead.
        (r',"complete"===document\.readyState\?(\w)\(\):window\.addEventListener\("load",\1\)', ""),
        # It asks as well where the chapter stands in the list, which a telephone does not show
        # (course.js sees to it when it does), and how high the header is, which is empty.
        (
            r'(if\(!document\.querySelector\("\.bd-docs-nav"\))\)return',
            r'\1||!matchMedia("(min-width: 960px)").matches)return',
        ),
        (r'sessionStorage\.setItem\("sidebar-scroll-top",(\w)', r"\1.clientHeight&&\g<0>"),
        (r'document\.querySelector\("#pst-header"\)\.getBoundingClientRect\(\)\.height', "0"),
        # The contents at the side follow headings that come into sight, and stay behind where one
        # jumps past them. Here they follow sections: the last that has begun.
        (r'return (\w)\.querySelector\(":is\(h1,h2,h3,h4,h5,h6\)"\)\|\|\1', r"return \1"),
        (
            r"if\((\w)\)return;const (\w)=(\w)\.filter\(\w=>\w\.isIntersecting\)\.pop\(\);"
            r"if\(!\2\)return;const (\w)=\2\.target;(\w)\((\w)\.get\(\4\)\)",
            r"\3.forEach(e=>{e.target.seen=e.isIntersecting});if(\1)return;"
            r"const \4=[...\6.keys()].filter(e=>e.seen).pop();\4&&\5(\6.get(\4))",
        ),
    ],
    "_static/scripts/sphinx-book-theme.js": [
        # It looks through the whole page for notes in the margin, of which there are none.
        (
            r'document\.querySelectorAll\((\w)\.join\(", "\)\)\.forEach\('
            r"\((\w)=>\{\w\.observe\(\2\)\}\)\)",
            "0",
        ),
    ],
}
OFF = "DOCUMENTATION_OPTIONS."  # inline scripts that only switch off what is off
TABS = "design-tabs.js"


def merge(known: list[str], page: Sequence[str]) -> None:
    """Add a page's sheets to those known, each after the one that it follows on the page.

    Args:
        known: sheets in their order; this list grows.
        page: the sheets of one page, in their order.
    """
    place = 0
    for sheet in page:
        if sheet not in known:
            known.insert(place, sheet)
        place = known.index(sheet) + 1


class Sheets:
    """The style sheets that pages name, and the one that is made of them."""

    def __init__(self) -> None:
        """Know none yet."""
        self.known: list[str] = []
        self.media: dict[str, str] = {}

    def begin(self, app: Sphinx) -> None:
        """Read those of pages that this build does not write again."""
        record = Path(app.doctreedir) / "sheets.json"
        if record.is_file():
            self.known, self.media = json.loads(record.read_text())
        # Of an old one, Sphinx would put the hash into the pages.
        (Path(app.outdir) / SHEET).unlink(missing_ok=True)

    def link(self, app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
        """Link one sheet instead of all, and remember which these were."""
        sheets = sorted(context["css_files"], key=lambda sheet: sheet.priority)
        merge(self.known, [*THEME, *(str(sheet.filename) for sheet in sheets)])
        for sheet in sheets:
            if media := sheet.attributes.get("media"):
                self.media[str(sheet.filename)] = media
        context["css_files"] = [_CascadingStyleSheet(SHEET)]

    def write(self, app: Sphinx, error: Exception | None) -> None:
        """Make ``site.css``.

        Raises:
            ExtensionError: Node or what it needs is not there, or a sheet is missing.
        """
        if error or app.builder.format != "html" or app.builder.name == "epub":
            return
        (Path(app.doctreedir) / "sheets.json").write_text(json.dumps([self.known, self.media]))
        # Extensions name their folders by whole paths.
        folders = [Path(folder) for folder in app.config.html_static_path]
        own = [app.srcdir / folder for folder in folders if not folder.is_absolute()]
        names = [(sheet, sheet.removeprefix("_static/")) for sheet in self.known]
        sheets = [
            {
                "path": sheet,
                "own": any((folder / name).is_file() for folder in own),
                "media": self.media.get(sheet),
            }
            for sheet, name in names
        ]
        asked = json.dumps({"out": str(app.outdir), "to": SHEET, "sheets": sheets})
        done = subprocess.run(
            ["node", str(STYLES)], input=asked, text=True, capture_output=True, check=False
        )
        if done.returncode:
            raise ExtensionError(
                f"{STYLES.name} could not make {SHEET}: {done.stderr.strip()}\nRun `make book`, "
                "which sets up what the site needs, or `npm ci`."
            )


def scripts_wait(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Defer each script that is a file, in their order; leave out what comes twice or is unused."""
    kept, bodies = [], set()
    for script in sorted(context["script_files"], key=lambda each: each.priority):
        attributes = script.attributes
        if body := attributes.get("body"):
            if body in bodies or body.startswith(OFF):
                continue
            bodies.add(body)
        elif str(script.filename).endswith(TABS) and "sd-tab-set" not in context.get("body", ""):
            continue
        elif "type" not in attributes and "async" not in attributes:
            attributes["defer"] = "defer"
        kept.append(script)
    context["script_files"] = kept


OPENING = "<section"
SECTION = re.compile(rf"{OPENING}\b|</section>")
TAG = re.compile(r"<[^>]*>")


def guess_heights(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Say how high each section may be on a telephone, which lays it out when it comes near.

    The guess, from the number of its letters, is rather too high: what a section that is too low
    holds would lie under the next one.
    """
    body, sized = context.get("body", ""), ""
    depth = start = done = 0
    for mark in SECTION.finditer(body):
        opens = mark[0] == OPENING
        depth += opens
        if depth == 2 and opens:
            start = mark.start()
        elif depth == 2:
            letters = len(TAG.sub("", body[start : mark.start()]))
            name = start + len(OPENING)
            sized += f'{body[done:name]} style="--guess: {900 + letters * 85 // 100}px"'
            done = name
        depth -= not opens
    context["body"] = sized + body[done:]


def mend_scripts(app: Sphinx, error: Exception | None) -> None:
    """Change the theme's scripts, from what they are in the theme: nothing is changed twice.

    Raises:
        ExtensionError: A script is not there, or no longer has what is to be changed.
    """
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    folders = [Path(folder) / "static" for folder in app.builder.theme.get_theme_dirs()]
    for name, mends in MENDS.items():
        within = [folder / name.removeprefix("_static/") for folder in folders]
        script = next((path for path in within if path.is_file()), None)
        if script is None:
            raise ExtensionError(f"the theme has no {name}: see MENDS in {__file__}")
        text = script.read_text("utf-8")
        for old, new in mends:
            text, found = re.subn(old, new, text)
            if not found:
                raise ExtensionError(f"{name} has nothing like {old}: see MENDS in {__file__}")
        (Path(app.outdir) / name).write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Change what pages load when all else has said what it needs."""
    sheets = Sheets()
    app.connect("builder-inited", sheets.begin)
    app.connect("html-page-context", sheets.link, priority=990)
    app.connect("html-page-context", scripts_wait, priority=990)
    app.connect("html-page-context", guess_heights, priority=990)
    app.connect("build-finished", sheets.write)
    app.connect("build-finished", mend_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
