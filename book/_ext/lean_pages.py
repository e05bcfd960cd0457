"""What a page loads: one style sheet, no script that stops it, nothing that it does not use.

Sphinx, the theme and the extensions link a dozen style sheets, of which the site uses a tenth, and
scripts that the browser must run before it shows a word. Here each page links ``site.css``, which
``styles.mjs`` makes when all pages are written: the sheets in the order in which pages name them,
those of others without what no page and no script mentions. Scripts wait until the page is read.
"""

import json
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
SCRIPT = Path(__file__).with_name("styles.mjs")
# Inline scripts that only switch off what is off, and the tabs' script, needed where tabs are.
OFF = ("DOCUMENTATION_OPTIONS.",)
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


def one_sheet(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Link one sheet instead of all, and remember which these were."""
    sheets = sorted(context["css_files"], key=lambda sheet: sheet.priority)
    merge(app.lean_sheets, [*THEME, *(str(sheet.filename) for sheet in sheets)])  # type: ignore[attr-defined]
    context["css_files"] = [_CascadingStyleSheet(SHEET)]


def scripts_wait(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Defer every script that is a file, in their order; leave out what is there twice or unused."""
    kept, bodies = [], set()
    for script in sorted(context["script_files"], key=lambda each: each.priority):
        attributes = script.attributes
        body = attributes.get("body")
        if body:
            if body in bodies or body.startswith(OFF):
                continue
            bodies.add(body)
        elif str(script.filename).endswith(TABS) and "sd-tab-set" not in context.get("body", ""):
            continue
        elif attributes.get("type") != "module" and "async" not in attributes:
            attributes["defer"] = "defer"
        kept.append(script)
    context["script_files"] = kept


def begin(app: Sphinx) -> None:
    """Know the sheets of pages that this build does not write again."""
    record = Path(app.doctreedir) / "sheets.json"
    app.lean_sheets = json.loads(record.read_text()) if record.is_file() else []  # type: ignore[attr-defined]
    (Path(app.outdir) / SHEET).unlink(missing_ok=True)  # Sphinx would put its old hash in the pages


def write_sheet(app: Sphinx, error: Exception | None) -> None:
    """Make ``site.css``.

    Raises:
        ExtensionError: Node or what it needs is not there, or a sheet is missing.
    """
    if error or app.builder.format != "html":
        return
    sheets: list[str] = app.lean_sheets  # type: ignore[attr-defined]
    (Path(app.doctreedir) / "sheets.json").write_text(json.dumps(sheets))
    folders = [Path(app.srcdir) / folder for folder in app.config.html_static_path]
    own = [folder for folder in folders if folder.is_relative_to(app.srcdir)]  # no extension's
    asked = {
        "out": str(app.outdir),
        "to": SHEET,
        "sheets": [
            {"path": sheet, "own": any((f / sheet.removeprefix("_static/")).is_file() for f in own)}
            for sheet in sheets
        ],
    }
    command = ["node", str(SCRIPT)]
    done = subprocess.run(
        command, input=json.dumps(asked), text=True, capture_output=True, check=False
    )
    if done.returncode:
        raise ExtensionError(
            f"{SCRIPT.name} could not make {SHEET}: {done.stderr.strip()}\nRun `make book`, which "
            "sets up what the site needs, or `npm ci`."
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Change what pages load when all else has said what it needs."""
    app.connect("builder-inited", begin)
    app.connect("html-page-context", one_sheet, priority=990)
    app.connect("html-page-context", scripts_wait, priority=990)
    app.connect("build-finished", write_sheet)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
