"""What a page needs where the browser runs no script, or refuses storage.

The theme shows a page by the attribute ``data-theme``, light or dark, which a script sets. Without
scripts it stays at ``auto``, of which no style sheet knows. So all rules for light and for dark are
written once more, for ``auto``, under what the reader's system wishes, in a sheet that comes after
the others. ``noscript.css`` and ``head.html`` do the rest; none of it is loaded where scripts run.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import tinycss2
from docutils import nodes
from sphinx.application import Sphinx

WISHES = {
    "light": "print, (prefers-color-scheme: light)",
    "dark": "screen and (prefers-color-scheme: dark)",
}
SHEET = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="(?:\.\./)*(_static/[^"?]+)')
CONTENTS = (
    '<noscript><p class="no-script-contents"><a href="#pst-primary-sidebar">All chapters</a></p>'
    "</noscript>"
)


def palette(sheets: Iterable[str]) -> str:
    """Return what style sheets say of light and dark, for ``data-theme="auto"``."""
    parsed = [
        tinycss2.parse_stylesheet(s, skip_comments=True, skip_whitespace=True) for s in sheets
    ]
    found = ""
    for theme, wish in WISHES.items():
        rules = "".join(line for each in parsed for line in _themed(each, theme))
        found += f"@media {wish} {{\n{rules}}}\n"
    return found


def _themed(rules: Iterable[Any], theme: str) -> Iterator[str]:
    for rule in rules:
        if (
            rule.type == "at-rule"
            and rule.content
            and rule.lower_at_keyword in ("media", "supports")
        ):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if found := "".join(_themed(inner, theme)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{\n{found}}}\n"
        elif rule.type == "qualified-rule":
            # And what holds for any theme: it may come after, and change, what holds for one.
            asked = re.compile(rf'(?<!:not\()\[data-theme(="?{theme}"?)?\]')
            if found := [each for each in _selectors(rule.prelude) if asked.search(each)]:
                selectors = asked.sub('[data-theme="auto"]', ",".join(found))
                yield f"{selectors}{{{tinycss2.serialize(rule.content).strip()}}}\n"


def _selectors(prelude: Iterable[Any]) -> list[str]:
    found: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in found]


def write_palette(app: Sphinx, error: Exception | None) -> None:
    """Write ``palette.css`` from the style sheets that the pages name, in their order."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    site = Path(app.outdir)
    heads = (
        path.read_text(encoding="utf-8").partition("</head>")[0]
        for path in sorted(site.rglob("*.html"))
    )
    named = dict.fromkeys(name for head in heads for name in SHEET.findall(head))
    named.pop("_static/palette.css", None)
    sheets = [(site / name).read_text(encoding="utf-8") for name in named]
    (site / "_static" / "palette.css").write_text(palette(sheets), encoding="utf-8")


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Begin a page's head with ``head.html``, and its text with a way to the chapters."""
    head = app.builder.templates.render("head.html", context)
    context["metatags"] = head + (context.get("metatags") or "")
    context["body"] = CONTENTS + context.get("body", "")


def setup(app: Sphinx) -> dict[str, Any]:
    """Add to each page when it is written."""
    app.connect("html-page-context", add)
    app.connect("build-finished", write_palette, priority=900)  # after the theme's pygments.css
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
