"""Cells of notebooks as plain data: bare text, and what nbgrader says of a cell."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

# What these look for takes time in proportion to the text, whatever a stranger has written.
_HEADING = re.compile(r"^#{1,6} +(.+)$", flags=re.MULTILINE)


def bare(text: str) -> str:
    """Return a text without white space: what two texts are compared by."""
    return "".join(text.split())


def headings(text: str) -> list[str]:
    """List the headings in a text of Markdown."""
    return [found.rstrip("# ") or found for found in _HEADING.findall(text)]


def with_and(parts: Sequence[str]) -> str:
    """Join parts with commas and an "and"."""
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def few(names: Sequence[str], most: int) -> str:
    """Join names with commas; of many the first ones, and how many more there are."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def role(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what nbgrader says of a cell in its metadata; empty if it says nothing."""
    said: Mapping[str, Any] = cell["metadata"].get("nbgrader", {})
    return said


def is_known(cell: Mapping[str, Any]) -> bool:
    """Return whether nbgrader knows a cell: it is graded, locked, a task or for an answer."""
    return any(role(cell).get(name) for name in ("grade", "solution", "locked", "task"))


def grade_id(cell: Mapping[str, Any]) -> str:
    """Return the name by which nbgrader knows a cell; empty if it knows none."""
    return str(role(cell).get("grade_id", ""))
