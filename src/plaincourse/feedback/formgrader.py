"""Make formgrader's view of a graded notebook harmless: it can neither run nor load anything.

Formgrader's own template writes text, outputs and names into a page of the instructor's Jupyter
server, where a script would have all the instructor's rights. Some addresses of that server run
code that they contain. Therefore a link is shown with its address, and cannot be followed.
"""

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from plaincourse.feedback.bounded import OverLimitError, bounded
from plaincourse.feedback.outputs import LONGEST
from plaincourse.feedback.safe import attributes, safe_html, safe_markdown

_LINK = re.compile(r"""<a\b((?:"[^"]*"|'[^']*'|[^"'>])*)>|</a>""")
#: Texts of up to this many characters are processed without a limit.
_SHORT = 2000
_FRAME = "contain: paint; isolation: isolate; overflow-x: auto"
_NAMES = ("first_name", "last_name", "student", "notebook_path")


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """Replace the filter of this name; return harmless HTML with formulas for MathJax."""
    cell = context.get("cell") or {}
    pictures = cell.get("attachments")
    make = partial(safe_markdown, source, pictures, level=1, typed=True)
    return _framed(_within(lambda: _unlinked(make()), source))


def _framed(html: str) -> str:
    """Put untrusted HTML into a frame, so that it cannot cover the page around it."""
    return f'<div style="{_FRAME}">{html}</div>'


def _within(make: Callable[[], str], source: str) -> str:
    """Return a processed text, or the original if processing exceeds its limits."""
    if len(source) <= _SHORT:
        return make()
    try:
        return bounded(make)
    except OverLimitError:
        return f"<pre>{escape(source[:LONGEST])}</pre>"


def _harmless(html: str) -> str:
    return _unlinked(safe_html(html, ours=True))


def _unlinked(html: str) -> str:
    """Replace links by their text and address."""
    opened: list[tuple[int, str]] = []

    def told(found: re.Match[str]) -> str:
        if found[0] != "</a>":
            opened.append((found.end(), attributes(found[1]).get("href", "")))
            return ""
        begin, address = opened.pop()
        said = html[begin : found.start()]
        return f" (<code>{address}</code>)" if address not in ("", said) else ""

    return _LINK.sub(told, html)


class Defuse(Preprocessor):
    """Keep only the harmless parts of outputs: text, pictures, and clean HTML."""

    enabled = True

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Clean the outputs of every cell, and escape the names of the student."""
        for name in _NAMES:
            if resources.get(name):
                resources[name] = escape(resources[name])
        cleaned: tuple[NotebookNode, Any]
        cleaned = super().preprocess(nb, resources)  # type: ignore[no-untyped-call]  # nbconvert's
        return cleaned

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Clean the outputs of one cell; Markdown among them goes through the filter."""
        for output in cell.get("outputs", []):
            output.metadata = NotebookNode()  # the template writes widths without quotes
            data = output.get("data", {})
            for kind in list(data):
                if kind == "text/html":
                    html = "".join(data[kind])
                    data[kind] = _framed(_within(partial(_harmless, html), html))
                elif kind not in ("text/markdown", "text/plain", "image/png", "image/jpeg"):
                    del data[kind]
        return cell, resources
