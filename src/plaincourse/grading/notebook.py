"""Convert a submitted file, from any editor, to notebook cells in today's format; never raise.

For each cell the type, the text, pictures pasted into text, the id, nbgrader's data, and
well-formed outputs are kept. Editors' additions (Colab's ``outputId``, the ``vscode`` section, tags
that would switch a cell off) are dropped.

The outputs are put aside. From the first hidden test on, a student's code has seen inputs that its
author must not see. There, feedback shows these outputs instead of those from grading: see
:mod:`plaincourse.feedback.tell`.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils

from plaincourse.grading import keys_twice
from plaincourse.grading.files import LARGEST_NOTEBOOK, is_notebook
from plaincourse.grading.long_notebooks import megabytes
from plaincourse.grading.wrapped import pasted, unwrapped

#: The number of cells of a notebook that are read.
MOST_CELLS = 5000
#: From this number of digits on, a whole number is read as a float.
_DIGITS = 4000
#: The key of a cell's metadata for its submitted outputs.
OUTPUTS_KEY = "handed_in"
#: The number of characters of them that a notebook may hold.
MOST_OUTPUT = 4 << 20

#: The beginning and the end of a sentence about a notebook that earned nothing.
COULD_NOT, EARNED = "The notebook could not be read: ", "It earns 0 points as it was handed in."
_LARGE = "… what comes here is left out: it is too large to be kept\n"
_KINDS = (
    (b"PK\x05\x06", "an empty zip archive. Hand in the notebook itself"),
    (b"\x1f\x8b", "a compressed archive. Unpack it and hand in the notebook inside"),
    (b"Rar!", "an archive. Unpack it and hand in the notebook inside"),
    (b"7z\xbc\xaf", "an archive. Unpack it and hand in the notebook inside"),
    (b"<html", "a web page. Download the notebook itself, the .ipynb file"),
    (b"<HTML", "a web page. Download the notebook itself, the .ipynb file"),
    (
        b"version https://git-lfs",
        "a pointer of Git LFS, which says where the notebook is kept and does not hold it. Run "
        "`git lfs pull`, and hand in the file that is there then",
    ),
    (
        b"bplist00",
        "a property list of a Mac, such as iCloud leaves in place of a file that it keeps. "
        "Download the notebook from iCloud, and hand in that file",
    ),
    (b"%PDF", "a PDF. Hand in the notebook itself, the .ipynb file"),
    (b"<!", "a web page. Download the notebook itself, the .ipynb file"),
)
_INSIDE = "The file holds the notebook inside other data. It was read from there."
_PASTED = "The file holds the notebook inside other text. It was read from there."
_DOCUMENTS = (
    ("word/", "a document of Word. Hand in the notebook itself, the .ipynb file"),
    ("xl/", "a table of Excel. Hand in the notebook itself, the .ipynb file"),
    ("ppt/", "slides of PowerPoint. Hand in the notebook itself, the .ipynb file"),
    ("content.xml", "a document of LibreOffice. Hand in the notebook itself, the .ipynb file"),
    ("Index/", "a document of Pages. Hand in the notebook itself, the .ipynb file"),
)
_PYTHON = {"", "python", "ipython", "python3"}
_MERGED = re.compile(r"^(<{7}|>{7}) ", flags=re.MULTILINE)
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The result of reading: a notebook, or the reason why there is none.

    Attributes:
        notebook: the notebook, in today's format; ``None`` if there is none.
        notes: irregularities of the file, in sentences.
        why: why there is no notebook, in a sentence; empty if there is one.
    """

    notebook: NotebookNode | None
    notes: tuple[str, ...] = ()
    why: str = ""


def parse(raw: bytes, *, limit: int = LARGEST_NOTEBOOK) -> Reading:
    """Read a notebook of any age from its bytes.

    Args:
        raw: the file's content.
        limit: the maximal number of bytes that are read.
    """
    start = raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not raw.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        if b"\x00" in raw:
            return refused(
                f"the file holds only NUL bytes ({len(raw):,} in all): it was not saved or not "
                "copied completely"
            )
        return refused("the file is empty")
    if start.startswith(b"PK\x03\x04"):
        return refused(f"the file is {_archive(raw)}")
    for mark, kind in _KINDS:
        if start.startswith(mark):
            return refused(f"the file is {kind}")
    if len(raw) > limit:
        return refused(
            f"the file has {megabytes(len(raw), limit)}; at most {limit / 2**20:.0f} MB are read. "
            "Clear its outputs, remove large pictures, and hand it in again"
        )
    text, notes = _decoded(raw)
    twice: list[str] = []
    try:
        try:
            data = _json(text, twice)
        except ValueError as error:
            twice = [_PASTED]
            merged = _MERGED.search(text)
            data = None if merged else pasted(text, lambda inner: _json(inner, twice))
            if data is None:
                return refused(_broken(text, error))
    except RecursionError:
        return refused("the file is nested too deeply to be a notebook")
    return from_data(data, (*notes, *twice))


def from_data(data: Any, notes: tuple[str, ...] = ()) -> Reading:
    """Read a notebook from its parsed JSON."""
    more: list[str] = []
    cells = _cells_of(data, more)
    if cells is None and (inner := unwrapped(data, lambda text: _json(text, more))):
        data, cells = inner, _cells_of(inner, more)
        more.append(_INSIDE)
    notes += tuple(more)
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


def missing(why: str) -> Reading:
    """Return a reading without a notebook, as none was submitted or identified, with the reason."""
    return Reading(notebook=None, why=f"No notebook was graded: {why}. {EARNED}")


def refused(why: str) -> Reading:
    """Return a reading of a notebook that could not be read, with the reason."""
    return Reading(notebook=None, why=f"{COULD_NOT}{why}. {EARNED}")


def unique(cells: list[NotebookNode]) -> list[NotebookNode]:
    """Give each cell a unique id; valid ids are kept."""
    taken: set[str] = set()
    for number, cell in enumerate(cells):
        name = cell.get("id")
        if not isinstance(name, str) or not _ID.fullmatch(name) or name in taken:
            name, more = f"cell-{number}", 0
            while name in taken:
                more += 1
                name = f"cell-{number}-{more}"
        taken.add(name)
        cell["id"] = name
    return cells


def cast(cell: NotebookNode, kind: str) -> None:
    """Turn a cell into a code cell or a text cell."""
    cell["cell_type"] = kind
    if kind == "code":
        cell.pop("attachments", None)
        cell["outputs"], cell["execution_count"] = [], None
    else:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def tests_hidden(cell: NotebookNode) -> bool:
    """Return whether a cell is a graded test that contains hidden tests."""
    test = cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell)
    return bool(test and "BEGIN HIDDEN TESTS" in cell.source)


def put_aside(cells: Iterable[NotebookNode]) -> None:
    """Empty the outputs of all cells; keep those from the first hidden test on as metadata.

    Args:
        cells: of one notebook, in order, with their hidden tests; changed in place.
    """
    left, hidden = MOST_OUTPUT, False
    for cell in cells:
        if cell.cell_type != "code":
            continue
        shown, cell["outputs"] = cell.get("outputs", []), []
        hidden = hidden or tests_hidden(cell)
        kept: list[NotebookNode] = []
        for output in shown if hidden else ():
            size = len(json.dumps(output))
            if size > left:
                kept.append(new_output("stream", name="stdout", text=_LARGE))
                break
            left -= size
            kept.append(output)
        if kept:
            cell.metadata[OUTPUTS_KEY] = kept


def outputs_of(data: Any) -> list[NotebookNode]:
    """Return the outputs of a cell in today's format; malformed entries are dropped.

    Args:
        data: the value in their place in an untrusted file.
    """
    return [made for each in data if (made := _output(each))] if isinstance(data, list) else []


def _decoded(raw: bytes) -> tuple[str, tuple[str, ...]]:
    encoding = json.detect_encoding(raw)
    if encoding != "utf-8":
        return raw.decode(encoding, errors="replace"), ()
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError:
        note = "The file was not saved as UTF-8. Letters with accents may look wrong."
        return raw.decode("cp1252", errors="replace"), (note,)


def _archive(raw: bytes) -> str:
    """Return the kind of a file that begins like a zip archive, and the student's remedy."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return "a zip archive that is damaged. Hand in the notebook itself"
    for start, kind in _DOCUMENTS:
        if any(name.startswith(start) for name in names):
            return kind
    if any(is_notebook(name) for name in names):
        return "a zip archive. Unpack it and hand in the notebook inside"
    return "a zip archive without a notebook in it. Hand in the notebook itself, the .ipynb file"


def _json(text: str, notes: list[str]) -> Any:
    """Read JSON as other programs write it.

    A disk may leave null bytes behind a file. Whole numbers may have any length. An object may have
    a key twice (:mod:`plaincourse.grading.keys_twice`).

    Args:
        text: of the file.
        notes: sentences about it are added here.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    text = text.rstrip("\x00 \t\r\n\x1a")
    return json.loads(text, parse_int=_whole, object_pairs_hook=keys_twice.hook(notes))


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _DIGITS else float(digits)


def _broken(text: str, error: ValueError) -> str:
    if _MERGED.search(text):
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


def _cells_of(data: Any, notes: list[str]) -> list[NotebookNode] | None:
    """Return the cells of a notebook's JSON; ``None`` if it has no place for cells.

    Args:
        data: the parsed JSON.
        notes: sentences about the cells are added here.
    """
    if not isinstance(data, dict):
        return None
    found = keys_twice.all_cells(data, notes)
    if not isinstance(found, list):
        sheets = data.get("worksheets")
        if not isinstance(sheets, list):
            return None
        found = [
            cell
            for sheet in sheets
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
        found = keys_twice.several_texts(found, notes)
    return unique([_cell(cell) for cell in found if isinstance(cell, dict)])


def _cell(data: dict[str, Any]) -> NotebookNode:
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind = data.get("cell_type")
    text = _source_text(data.get("source", data.get("input")))
    if kind == "heading":
        level = data.get("level")
        text = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {text}"
    if kind not in ("code", "markdown", "raw"):
        kind = "code" if "outputs" in data else "markdown"
    cell = NotebookNode(cell_type=kind, source=text, metadata=NotebookNode())
    # Colab keeps the cell's original id in the metadata.
    cell["id"] = data.get("id", metadata.get("id"))
    pictures = data.get("attachments")
    if kind != "code" and isinstance(pictures, dict) and pictures:
        cell["attachments"] = {
            str(name): {str(mime): content for mime, content in each.items()}
            for name, each in pictures.items()
            if isinstance(each, dict)
        }
    cast(cell, kind)
    if kind == "code":
        cell["outputs"] = outputs_of(data.get("outputs"))
    known = metadata.get("nbgrader")
    if isinstance(known, dict) and known:
        cell.metadata["nbgrader"] = dict(known)
    return cell


def _source_text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    # A lone surrogate can be written in JSON, but not to a file.
    text: str = source.encode("utf-8", errors="replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _output(data: Any) -> NotebookNode | None:
    kind = data.get("output_type") if isinstance(data, dict) else None
    if kind == "stream":
        stream = "stderr" if data.get("name") == "stderr" else "stdout"
        return _made(kind, name=stream, text=_output_text(data.get("text")) or "")
    if kind == "error":
        name, said = _output_text(data.get("ename")), _output_text(data.get("evalue"))
        lines = data.get("traceback")
        frames = [_output_text(line) or "" for line in lines] if isinstance(lines, list) else []
        return _made(kind, ename=name or "", evalue=said or "", traceback=frames)
    if kind in ("display_data", "execute_result"):
        found = data.get("data")
        shown = found.items() if isinstance(found, dict) else ()
        texts = {
            str(mime): text for mime, each in shown if (text := _output_text(each)) is not None
        }
        return _made(kind, data=NotebookNode(texts)) if texts else None
    return None


def _made(kind: str, **fields: Any) -> NotebookNode:
    made: NotebookNode = new_output(kind, **fields)
    return made


def _output_text(value: Any) -> str | None:
    """Return a text, or joined lines, without surrogates, which no file can hold."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None
