"""Notebooks for the tests of split execution."""

from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook


def plain(source: str) -> NotebookNode:
    """Return a cell of the instructor's or the student's own."""
    return new_code_cell(source)


def answer(name: str, source: str) -> NotebookNode:
    """Return a cell for an answer."""
    return _with(source, name, grade=False, locked=False, solution=True)


def graded(name: str, source: str, *, points: float = 1.0, one_process: str = "") -> NotebookNode:
    """Return a locked test cell."""
    cell = _with(source, name, grade=True, locked=True, solution=False, points=points)
    if one_process:
        cell.metadata["plaincourse"] = {"one_process": one_process}
    return cell


def _with(source: str, name: str, **role: Any) -> NotebookNode:
    cell = new_code_cell(source)
    more = {"schema_version": 3, "grade_id": name, "cell_type": "code", "task": False}
    cell.metadata["nbgrader"] = {**more, **role}
    return cell


def notebook(*cells: NotebookNode) -> NotebookNode:
    """Return a notebook."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=list(cells), metadata={"kernelspec": kernel})


def written(path: Path, *cells: NotebookNode) -> Path:
    """Write a notebook, and return its path."""
    nbformat.write(notebook(*cells), path)
    return path


def shown(cell: NotebookNode) -> str:
    """Return a cell's outputs as text, one line each."""
    lines = []
    for each in cell.outputs:
        if each.output_type == "stream":
            lines.append(f"{each.name}: {each.text.strip()}")
        elif each.output_type == "error":
            lines.append(f"{each.ename}: {each.evalue}")
        else:
            lines.append(each.data.get("text/plain", ""))
    return "\n".join(lines)
