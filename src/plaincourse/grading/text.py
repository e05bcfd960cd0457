"""Cells of notebooks as plain data: text, syntax errors, and nbgrader's metadata."""

import ast
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

# These patterns take time proportional to the text, whatever its content.
_HEADING = re.compile(r"^#{1,6} +(.+)$", flags=re.MULTILINE)

#: Syntax from Python 3.12 on, parameters of types, and from 3.14 on: several exceptions without
#: brackets, and t-strings. (For a quotation mark within an f-string the error itself is clear.)
_FROM_3_12 = re.compile(
    r"^[ \t]*(?:type +\w+.*=|(?:async +)?def +\w+\[|class +\w+\[)", re.MULTILINE
)
_FROM_3_14 = re.compile(
    r"^[ \t]*except\*? +[\w.]+ *,|(?<![\w\"'])(?:[tT][rR]?|[rR][tT])[\"']", re.MULTILINE
)

_UNREAD = "Python cannot read this cell, and ran nothing of it: {error}, in line {line}: `{text}`."
_NEWER = (
    "The grader runs Python {ours}. If the cell runs on your computer, it uses the syntax of a "
    "newer Python: write it in that of {ours}, or show it to your instructor."
)


def bare(text: str) -> str:
    """Return a text without white space, for comparing two texts."""
    return "".join(text.split())


def headings(text: str) -> list[str]:
    """List the headings in a text of Markdown."""
    return [found.rstrip("# ") or found for found in _HEADING.findall(text)]


def with_and(parts: Sequence[str]) -> str:
    """Join parts with commas and an "and"."""
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def few(names: Sequence[str], most: int) -> str:
    """Join names with commas; if there are many, the first ones and the number of the rest."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def role(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return nbgrader's part of a cell's metadata; empty if there is none."""
    said: Mapping[str, Any] = cell["metadata"].get("nbgrader", {})
    return said


def is_known(cell: Mapping[str, Any]) -> bool:
    """Return whether nbgrader knows a cell: it is graded, locked, a task or for an answer."""
    return any(role(cell).get(name) for name in ("grade", "solution", "locked", "task"))


def grade_id(cell: Mapping[str, Any]) -> str:
    """Return nbgrader's name of a cell; empty if it has none."""
    return str(role(cell).get("grade_id", ""))


def syntax_error(source: str) -> SyntaxError | None:
    """Return why Python cannot read a cell, by its text alone; ``None`` if it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
            compile(code, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        pass
    return None


def is_newer_syntax(source: str, message: str) -> bool:
    """Return whether a cell that Python cannot read has the syntax of a later version.

    Args:
        source: its text.
        message: of the syntax error.
    """
    ours = sys.version_info[:2]
    later = ours < (3, 12) and (message.startswith("f-string") or bool(_FROM_3_12.search(source)))
    return later or (ours < (3, 14) and bool(_FROM_3_14.search(source)))


def unread(source: str) -> str:
    """Return a message on why Python cannot read a cell, by its text alone; empty if it can."""
    if (error := syntax_error(source)) is None:
        return ""
    text = " ".join((error.text or "").split())[:80].replace("`", "'")
    said = f"{type(error).__name__}: {error.msg}".replace("`", "'")
    cause = _UNREAD.format(error=said, line=error.lineno or 1, text=text)
    return f"{cause} {_newer(source, error)}".rstrip()


def newer_python(source: str) -> str:
    """Return a remedy for a cell with the syntax of a Python newer than the grader's."""
    return _newer(source, syntax_error(source))


def _newer(source: str, error: SyntaxError | None) -> str:
    newer = error is not None and is_newer_syntax(source, error.msg)
    return _NEWER.format(ours=".".join(map(str, sys.version_info[:2]))) if newer else ""
