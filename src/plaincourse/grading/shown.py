"""Put aside what a submission showed when it was handed in.

From the first hidden test on, a student's code has seen inputs that its author must not see.
Feedback shows these outputs there, in place of those that grading made: see
:mod:`plaincourse.feedback.unseen`.
"""

import json
from collections.abc import Iterable
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils

#: Where a cell's metadata keeps the outputs that it was handed in with.
KEY = "handed_in"
#: How many characters of them a notebook may hold.
MOST = 4 << 20
_LARGE = "… what comes here is left out: it is too large to be kept\n"


def tests_hidden(cell: NotebookNode) -> bool:
    """Say whether a cell is a graded test that has hidden tests in it."""
    test = cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell)
    return bool(test and "BEGIN HIDDEN TESTS" in cell.source)


def put_aside(cells: Iterable[NotebookNode]) -> None:
    """Empty the outputs of all cells; keep those from the first hidden test on as metadata.

    Args:
        cells: of one notebook, in order, hidden tests in place; changed in place.
    """
    left, hidden = MOST, False
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
            cell.metadata[KEY] = kept


def outputs_of(data: Any) -> list[NotebookNode]:
    """Return the outputs of a cell as today's format has them; what is no output is dropped.

    Args:
        data: what stands in their place in a file that anybody may have written.
    """
    return [made for each in data if (made := _output(each))] if isinstance(data, list) else []


def _output(data: Any) -> NotebookNode | None:
    kind = data.get("output_type") if isinstance(data, dict) else None
    if kind == "stream":
        stream = "stderr" if data.get("name") == "stderr" else "stdout"
        return _made(kind, name=stream, text=_text(data.get("text")) or "")
    if kind == "error":
        name, said = _text(data.get("ename")), _text(data.get("evalue"))
        lines = data.get("traceback")
        frames = [_text(line) or "" for line in lines] if isinstance(lines, list) else []
        return _made(kind, ename=name or "", evalue=said or "", traceback=frames)
    if kind in ("display_data", "execute_result"):
        found = data.get("data")
        shown = found.items() if isinstance(found, dict) else ()
        texts = {str(mime): text for mime, each in shown if (text := _text(each)) is not None}
        return _made(kind, data=NotebookNode(texts)) if texts else None
    return None


def _made(kind: str, **fields: Any) -> NotebookNode:
    made: NotebookNode = new_output(kind, **fields)
    return made


def _text(value: Any) -> str | None:
    """Return a text, or lines of one, without half characters, which no file can hold."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None
