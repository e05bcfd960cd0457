"""Turn a page of text into a notebook: read it, name each cell, write it reproducibly.

The text (``NN-slug.md``, a MyST notebook) is the source. The functions here only map text to
notebooks. :mod:`plaincourse.notebooks.execute` runs a notebook, :mod:`plaincourse.notebooks.sync`
does both for the tree.
"""

import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
_HEADER = re.compile(r"\A---\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^(`{3,}|~{3,})(.*)$")


class PageError(Exception):
    """A page, or its notebook, that cannot be used as it is; the message gives the remedy."""


@dataclass(frozen=True)
class Block:
    """The position of a code cell in a text: line numbers from 1, the end excluded."""

    fence: int
    body: int
    end: int


def is_notebook(path: Path) -> bool:
    """Return whether a Markdown file is a notebook: whether its header names jupytext."""
    header = _HEADER.match(path.read_text(encoding="utf-8"))
    return header is not None and re.search(r"^jupytext:", header[1], re.MULTILINE) is not None


def code_blocks(text: str) -> list[Block]:
    """Return the code cells of a text, in order. A fence inside a longer fence is not a cell."""
    lines = text.split("\n")
    found, opened, start, is_cell = [], "", 0, False
    for number, line in enumerate(lines, start=1):
        fence = _FENCE.match(line)
        if not opened and fence:
            opened, start, is_cell = fence[1], number, fence[2].startswith("{code-cell}")
        elif opened and fence and fence[1].startswith(opened) and not fence[2].strip():
            if is_cell:
                found.append(Block(start, _after_options(lines, start + 1, number), number))
            opened = ""
    return found


def _after_options(lines: list[str], first: int, end: int) -> int:
    """Return the line where a cell's code begins, after its ``:tags:`` or ``---`` options."""
    number = first
    if number < end and lines[number - 1].strip() == "---":
        number += 1
        while number < end and lines[number - 1].strip() != "---":
            number += 1
        number += 1
    else:
        while number < end and re.match(r":[\w-]+:", lines[number - 1]):
            number += 1
    while number < end and not lines[number - 1].strip():
        number += 1
    return min(number, end)


def read_text(path: Path, text: str | None = None) -> NotebookNode:
    """Turn a page of text into a notebook without outputs, with cell ids that depend on content.

    Raises:
        PageError: if the text is not a MyST notebook or its header does not parse.
    """
    import jupytext  # grading does not require it

    text = path.read_text(encoding="utf-8") if text is None else text
    try:
        notebook = jupytext.reads(text, fmt="md:myst")
    except Exception as error:
        raise PageError(f"{path}: cannot be read as a MyST notebook: {error}") from error
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    if cells != len(code_blocks(text)):
        raise PageError(
            f"{path}: {len(code_blocks(text))} ```{{code-cell}} fences at the left margin, but "
            f"{cells} cells were read. Start each fence in column 1 and close it."
        )
    metadata = {k: v for k, v in notebook.metadata.items() if k != "jupytext"}
    notebook.metadata = nbformat.from_dict(
        metadata | {"kernelspec": KERNEL, "language_info": LANGUAGE}
    )
    return named(notebook)


def jump(label: str) -> str:
    """Return the link to a label's anchor: in this form Colab jumps to the cell with that id."""
    return f"#scrollTo={label}"


def anchor(label: str) -> str:
    """Return the source of a cell that serves as a link target; its id is the label."""
    return f'<a id="{jump(label)[1:]}"></a>'


def is_anchor(cell: NotebookNode) -> bool:
    """Return whether a cell is only a link target."""
    return bool(cell.source == anchor(cell.get("id", "")))


def identity(cell: Mapping[str, Any]) -> str:
    """Derive a cell's id from its own text, type and metadata only.

    The instructor's metadata for the grader, under ``plaincourse``, is left out.
    """
    metadata = {key: said for key, said in cell["metadata"].items() if key != "plaincourse"}
    what = json.dumps([cell["cell_type"], cell["source"], metadata], sort_keys=True)
    return hashlib.sha256(what.encode()).hexdigest()[:12]


def named(notebook: NotebookNode) -> NotebookNode:
    """Give each cell its id; the second of two equal cells ends in ``-2``. Anchors keep theirs."""
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        if is_anchor(cell):
            continue
        name = identity(cell)
        seen[name] += 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
    return notebook


def recipe(notebook: NotebookNode) -> list[str]:
    """Return the code that decides a notebook's outputs.

    In the setup cell, only the code at the margin counts, because the indented code runs on Colab
    only.
    """
    steps = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            source = cell.source
            if "setup" in cell.metadata.get("tags", []):
                source = "\n".join(x for x in source.split("\n") if x and x[0] not in " #")
            steps.append(source)
    return steps


def content(cell: NotebookNode) -> tuple[str, str, Any]:
    """Return the parts of a cell that the text decides: type, source, metadata."""
    return cell.cell_type, cell.source, json.loads(json.dumps(cell.metadata))


def dumps(notebook: NotebookNode) -> str:
    """Write a notebook as JSON, byte for byte the same for the same notebook."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook, version=nbformat.NO_CONVERT)
    return text + "\n"


def load(path: Path) -> NotebookNode:
    """Read a notebook from disk, unchanged.

    Raises:
        PageError: if it is not a notebook.
    """
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except Exception as error:
        raise PageError(f"{path}: no readable notebook ({error}). Delete it and sync.") from error
    return notebook


def write_atomically(path: Path, text: str) -> None:
    """Write a whole file or nothing, so that a reader never gets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".sync-") as folder:
        half = Path(folder, path.name)
        half.write_text(text, encoding="utf-8", newline="\n")
        half.replace(path)
