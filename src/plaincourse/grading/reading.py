"""Read what was handed in as a notebook, whatever wrote it; never raise."""

import json
import re
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.cells import cells_of

#: What is read of one notebook: bytes, and cells.
LIMIT, MOST_CELLS = 50 * 2**20, 5000

_KINDS = (
    (b"PK\x03\x04", "a zip archive. Unpack it and hand in the notebook inside"),
    (b"PK\x05\x06", "an empty zip archive. Hand in the notebook itself"),
    (b"\x1f\x8b", "a compressed archive. Unpack it and hand in the notebook inside"),
    (b"Rar!", "an archive. Unpack it and hand in the notebook inside"),
    (b"7z\xbc\xaf", "an archive. Unpack it and hand in the notebook inside"),
    (b"<html", "a web page. Download the notebook itself, the .ipynb file"),
    (b"<HTML", "a web page. Download the notebook itself, the .ipynb file"),
    (b"%PDF", "a PDF. Hand in the notebook itself, the .ipynb file"),
    (b"<!", "a web page. Download the notebook itself, the .ipynb file"),
)
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_PYTHON = {"", "python", "ipython", "python3"}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What came of reading: a notebook, or why there is none.

    Attributes:
        notebook: the notebook, in today's format; ``None`` if there is none.
        notes: what was odd about the file, in sentences.
        why: why there is no notebook, in a sentence; empty if there is one.
    """

    notebook: NotebookNode | None
    notes: tuple[str, ...] = ()
    why: str = ""


def parse(raw: bytes, *, limit: int = LIMIT) -> Reading:
    """Read a notebook of any age from its bytes.

    Args:
        raw: the file's content.
        limit: how many bytes are read at most.
    """
    if len(raw) > limit:
        return refused(
            f"the file has {len(raw) / 2**20:.0f} MB; at most {limit / 2**20:.0f} MB are read. "
            "Clear its outputs, remove large pictures, and hand it in again"
        )
    start = raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not raw.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        return refused("the file is empty")
    for mark, kind in _KINDS:
        if start.startswith(mark):
            return refused(f"the file is {kind}")
    text, notes = _decoded(raw)
    try:
        data = json.loads(text)
    except RecursionError:
        return refused("the file is nested too deeply to be a notebook")
    except ValueError as error:
        return refused(_broken(text, error))
    return from_data(data, notes)


def from_data(data: Any, notes: tuple[str, ...] = ()) -> Reading:
    """Read a notebook from what its JSON holds."""
    cells = cells_of(data)
    if cells is None:
        return refused("the file holds no notebook: it is JSON without cells")
    if len(cells) > MOST_CELLS:
        return refused(f"the notebook has {len(cells)} cells; at most {MOST_CELLS} are read")
    language = _language(data.get("metadata"))
    if language not in _PYTHON:
        notes += (f"The notebook asked for {language}. It was run with Python, as it was given.",)
    version = data.get("nbformat")
    if isinstance(version, int) and version < 4:
        notes += (f"The notebook had an old format ({version}). It was brought up to date.",)
    notebook = NotebookNode(cells=cells, metadata=NotebookNode(), nbformat=4, nbformat_minor=5)
    return Reading(notebook=notebook, notes=notes)


def refused(why: str) -> Reading:
    """Return that there is no notebook, and why."""
    return Reading(notebook=None, why=f"The notebook could not be read: {why}. It earns 0 points.")


def _decoded(raw: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, errors="replace"), ()
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError:
        note = "The file was not saved as UTF-8. Letters with accents may look wrong."
        return raw.decode("cp1252", errors="replace"), (note,)


def _broken(text: str, error: ValueError) -> str:
    if re.search(r"^(<{7}|>{7}) ", text, flags=re.MULTILINE):
        return "the file holds the marks of a merge conflict. Settle it and hand the file in again"
    position, length = getattr(error, "pos", 0), len(text.rstrip())
    if text.lstrip()[:1] not in ("{", "["):
        return "the file is not a notebook, which begins with a brace"
    if position >= length or str(error).startswith("Unterminated string"):
        return "the file breaks off in the middle. It was not saved or sent as a whole"
    line = text.count("\n", 0, position) + 1
    return f"the file is damaged in line {line}, from which on it is no longer a notebook"


def _language(metadata: Any) -> str:
    """Return the language that a notebook names, or an empty text."""
    if not isinstance(metadata, dict):
        return ""
    for place, key in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(place)
        if isinstance(found, dict) and isinstance(found.get(key), str):
            return str(found[key]).lower()[:40]
    return ""
