"""Render a cell's outputs as harmless HTML."""

import base64
import binascii
import re
from html import escape
from typing import Any

from nbformat import NotebookNode

from plaincourse.checking.mistake import uncoloured
from plaincourse.feedback.safe import below, safe_html, safe_markdown
from plaincourse.feedback.tell import REPORT

#: Longer outputs than the first number of lines are folded; the rest after the second number of
#: characters is left out.
FOLDED, LONGEST = 30, 60_000
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def outputs(cell: NotebookNode, *, graded: bool) -> str:
    """Return all outputs of a code cell.

    Args:
        cell: the cell, its outputs already rewritten for the student.
        graded: whether it is a test of the course, whose first hint is not folded.
    """
    made: list[str] = []
    for output in cell.get("outputs", []):
        if graded and (output.output_type == "error" or _is_report(output)):
            made.append(_output(output, True))
        elif html := _output(output, False):
            made.append(framed(html, "Shown by this code"))
    return "".join(made)


def framed(html: str, whose: str) -> str:
    """Put a notebook's output into a frame with its origin; the course's own text has no frame."""
    return (
        f'<div class="own" role="group" aria-label="{whose}"><p class="whose">{whose}</p>'
        f"{html}</div>"
    )


def _is_report(output: NotebookNode) -> bool:
    """Return whether an output of a graded test is the course's report of it."""
    html = output.get("data", {}).get("text/html")
    return output.output_type == "execute_result" and bool(html and REPORT.match("".join(html)))


def _output(output: NotebookNode, graded: bool) -> str:
    if output.output_type == "stream":
        return _text(output.text, "Printed")
    if output.output_type == "error":
        said = "\n".join(output.traceback)
        if graded:
            return f'<p class="verdict">{_code(said)}</p>'
        return _text(said, "Error", kind="error")
    return _shown(output.data, output.get("metadata", {}), graded)


def _shown(data: Any, metadata: Any, graded: bool) -> str:
    """Return the richest harmless form of an output."""
    html = data.get("text/html")
    if html:
        safe = below(safe_html("".join(html), ours=graded), 4)
        if graded:
            safe = safe.replace('<details data-ladder="found"', '<details open data-ladder="found"')
        if re.sub(r"<[^>]*>|\s", "", safe) or "<img" in safe:
            return _folded(f'<div class="rich">{safe}</div>', safe.count("<tr"), "Table")
    if data.get("text/markdown"):
        return f'<div class="rich">{safe_markdown("".join(data["text/markdown"]), level=4)}</div>'
    if isinstance(data.get("image/svg+xml"), (str, list)):
        drawn = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
        return _picture("image/svg+xml", drawn, metadata)
    for kind in _PICTURES:
        if _is_base64(data.get(kind)):
            return _picture(kind, data[kind], metadata)
    if data.get("text/latex"):
        return f'<div class="rich">{safe_markdown("".join(data["text/latex"]), level=4)}</div>'
    if data.get("text/plain"):
        return _text("".join(data["text/plain"]), "Result")
    return '<p class="aside">An output of a kind that is not shown here.</p>'


def _picture(kind: str, content: str, metadata: Any) -> str:
    """Show a picture in an ``img`` element, inside which nothing can run or load."""
    said = metadata.get(kind, {}) if isinstance(metadata.get(kind), dict) else {}
    alt = said.get("alt") or metadata.get("alt") or "A picture that the code of this cell made"
    return (
        f'<img alt="{escape(str(alt)[:300])}" src="data:{kind};base64,{"".join(content.split())}">'
    )


def _is_base64(content: Any) -> bool:
    if not isinstance(content, str):
        return False
    try:
        base64.b64decode("".join(content.split()), validate=True)
    except (ValueError, binascii.Error):
        return False
    return bool(content)


def _text(text: str, name: str, kind: str = "") -> str:
    text = uncoloured(text).rstrip("\n")
    if not text.strip():
        return ""
    lines = text.count("\n") + 1
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters are left out"
    label = f"{name}, {lines:,} lines"
    scrolls = f'tabindex="0" role="group" aria-label="{name}"'
    pre = f'<pre class="{kind or "out"}" {scrolls}>{escape(text)}</pre>'
    return _folded(pre, max(lines, len(text) // 120), label)


def _folded(html: str, size: int, label: str) -> str:
    if size <= FOLDED:
        return html
    return f"<details><summary>{label}</summary>{html}</details>"


def _code(said: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(said, quote=False))
