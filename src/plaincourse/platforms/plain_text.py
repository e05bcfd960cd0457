"""The course's reports as plain text, for platforms that show the output of a test as text.

The input is a notebook after ``TellPlainly``, which removes everything hidden from students.
"""

import re
from html.parser import HTMLParser
from typing import Any

from nbformat import NotebookNode

from plaincourse.checking.mistake import uncoloured
from plaincourse.feedback.tell import REPORT

#: The number of characters of a test's output that are shown.
LONGEST = 20_000
_CUT = "\n… the rest is left out"
_TITLE = re.compile(r'\s*<div role="group" aria-label="Check of ([^"]*)"')
_BLOCKS = frozenset("div h4 li p pre summary ul".split())


def title(cell: NotebookNode) -> str:
    """Return the title of the report of a test; empty if it has none."""
    for output in cell.get("outputs", []):
        found = _TITLE.match(_html(output))
        if found:
            reader = _Reader()
            reader.feed(found[1])
            return reader.text()
    return ""


def output_text(cell: NotebookNode) -> str:
    """Return the report or the error of a test as text.

    Args:
        cell: a test of a graded notebook, rewritten for the student.
    """
    made = [said for output in cell.get("outputs", []) if (said := _text(output))]
    whole = "\n\n".join(made)
    return whole if len(whole) <= LONGEST else whole[:LONGEST] + _CUT


def _text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return uncoloured(output.text).strip()
    if output.output_type == "error":
        return uncoloured("\n".join(output.traceback)).strip()
    html = _html(output)
    if not REPORT.match(html):
        return "".join(output.get("data", {}).get("text/plain", "")).strip()
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


def _html(output: NotebookNode) -> str:
    return "".join(output.get("data", {}).get("text/html", ""))


class _Reader(HTMLParser):
    """Collects the lines of a report, with its first hint only if that fits the mistake found.

    The other hints are folded in a notebook, so they are left out here.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = [""]
        self._folded = 0  # how many foldable parts are open below the first that is left out
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line at each block, and leave out a hint that a notebook would fold."""
        given: dict[str, Any] = dict(attrs)
        if tag == "details":
            closed = "open" not in given and given.get("data-ladder") != "found"
            self._folded += bool(self._folded or closed)
        self._open += [tag] if tag == "pre" else []
        if tag in _BLOCKS:
            self._break()

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        if tag == "details" and self._folded:
            self._folded -= 1
        if tag == "pre" and self._open:
            self._open.pop()
        if tag in _BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        """Add text to the present line, indented if it is a value."""
        if self._folded:
            return
        if self._open:
            self._lines[-1] += data.strip("\n").replace("\n", "\n    ")
        else:
            self._lines[-1] += re.sub(r"\s+", " ", data)

    def _break(self) -> None:
        if self._lines[-1].strip():
            self._lines.append("")
        self._lines[-1] = "    " if self._open else ""

    def text(self) -> str:
        """Return the lines, without empty ones."""
        kept = [line.rstrip() if line.startswith("    ") else line.strip() for line in self._lines]
        return "\n".join(line for line in kept if line.strip())
