"""Keep the inputs of hidden tests off the page that their student gets.

From the first hidden test on, a student's code has been given such inputs, and may keep them and
say them again. So from there on the page depends as little as can be on what that code says:

- A cell of the student's own shows what it showed when it was handed in, whatever it showed when
  it was graded. There may be thousands of them, and one bit from each would be too much.
- A test shows what quotes an answer only where the submission held the very same. Else it says
  what is wrong in words of the course. So does an answer that stopped with an error.

The graded notebook keeps everything, for the instructor.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils

from plaincourse.checking.scrub import plain
from plaincourse.checking.unquoted import known_error
from plaincourse.grading.mend import KEY as OURS
from plaincourse.grading.nbgrader_parts import NO_SCORE
from plaincourse.grading.notebook import OUTPUTS_KEY, tests_hidden

#: The name of an error whose message is the course's, and is shown as it is.
UNSEEN = "HiddenTest"
#: What it says where the test that failed is a hidden one.
HIDDEN = "Your answer fails a test on inputs that are not shown. No points."
_WHY = "is left out, because hidden tests had run before it"
_HANDED_IN = f"As you handed it in. What this cell showed when it was graded {_WHY}."
_NOTHING = f"What this cell may have shown when it was graded {_WHY}. Run the notebook to see it."
_STOPPED = (
    "When it was graded, this cell stopped with {error}. The message {why}. Run the notebook from "
    "the top to see it."
)
_FAILS = (
    "Your answer fails this test ({error}). What the test said is left out, because hidden tests "
    "had run before. Run it in your notebook to see it. No points."
)
_QUOTE = re.compile(r'<(p|pre) data-instead="([^"]*)"([^>]*)>(.*?)</\1>', re.DOTALL)
_REPORT = re.compile(r'\s*<div role="group" aria-label="Check of ')
_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?\s*")
_LATE = {"CellTimeoutError", "KeyboardInterrupt", "TimeoutError"}
_OWN_ERRORS = {*_LATE, "KernelDied", "OutputFlood", "NotRun", "NoScore", "StudentGone", "JudgeDied"}


def withhold(nb: NotebookNode) -> None:
    """Take out of a graded notebook what a student's code said after hidden tests.

    Args:
        nb: with the hidden tests still in it; changed in place. What stands beside a cell's outputs
            from then on is in its metadata, under ``plaincourse`` and ``aside``.
    """
    hidden = False
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        handed = cell.metadata.pop(OUTPUTS_KEY, [])
        hidden = hidden or tests_hidden(cell)
        if not hidden or not cell.source.strip():
            continue
        if utils.is_grade(cell) and not utils.is_solution(cell):
            if _quoted(cell.outputs) != _quoted(handed):
                cell.outputs = [kept for each in cell.outputs for kept in _safe(each, cell.source)]
        else:
            aside = _aside(cell, handed)
            cell.outputs = handed
            if aside:
                cell.metadata[OURS] = {**cell.metadata.get(OURS, {}), "aside": aside}


def _aside(cell: NotebookNode, handed: Sequence[NotebookNode]) -> str:
    """Say what is not shown: for a cell of the student's own, the same whatever it showed."""
    errors = [each.ename for each in cell.outputs if each.output_type == "error"]
    if "nbgrader" not in cell.metadata:
        return _HANDED_IN if handed else _NOTHING
    if _said(cell.outputs) == _said(handed):
        return ""
    if errors and not any(each.output_type == "error" for each in handed):
        return _STOPPED.format(error=_named(errors[0]), why=_WHY)
    return _HANDED_IN if handed else _NOTHING


def _safe(output: NotebookNode, source: str) -> list[NotebookNode]:
    """Return what may be shown of a test's output, in which an answer may be quoted."""
    if output.output_type == "error":
        return [output] if _course(output, source) else [_failed(output.ename)]
    if output.output_type != "execute_result":
        return []
    html = output.data.get("text/html", "")
    if _REPORT.match(html):
        output.data["text/html"] = _QUOTE.sub(_unquoted, html)
        return [output]
    return [output] if _score(output.data) else []


def _unquoted(found: re.Match[str]) -> str:
    said = re.sub(r"`([^`]+)`", r"<code>\1</code>", found[2])
    return f"<{found[1]}{found[3]}>{said}</{found[1]}>"


def _course(error: NotebookNode, source: str) -> bool:
    """Say whether all that the page makes of an error is known to the course."""
    missing = re.fullmatch(r"name '(\w+)' is not defined", error.evalue)
    if error.ename == "NameError" and missing:
        return missing[1] in source
    return error.ename in _LATE or error.evalue in (NO_SCORE, HIDDEN)


def _failed(name: str) -> NotebookNode:
    made: NotebookNode = new_output(
        "error", ename=UNSEEN, evalue=_FAILS.format(error=_named(name)), traceback=[]
    )
    return made


def _named(error: str) -> str:
    return f"`{error}`" if error in _OWN_ERRORS else known_error(error)


def _score(data: Any) -> bool:
    return set(data) == {"text/plain"} and bool(_NUMBER.fullmatch(data["text/plain"]))


def _quoted(outputs: Sequence[NotebookNode]) -> list[Any]:
    """List what outputs of a test may quote of an answer."""
    found: list[Any] = []
    for each in _said(outputs):
        html = each[1].get("text/html", "") if each[0] == "data" else ""
        if _REPORT.match(html):
            found += [(kind, unescape(said)) for kind, _, _, said in _QUOTE.findall(html)]
        elif each[0] != "data" or not _score(each[1]):
            found.append(each)
    return found


def _said(outputs: Sequence[NotebookNode]) -> list[Any]:
    """List what outputs say, in a form that two kernels have in common."""
    found: list[Any] = []
    for each in outputs:
        if each.output_type == "stream":
            if found and found[-1][0] == each.name:
                found[-1] = (each.name, found[-1][1] + each.text)
            else:
                found.append((each.name, each.text))
        elif each.output_type == "error":
            found.append(("error", each.ename, plain(each.evalue)))
        else:
            found.append(("data", dict(each.data)))
    return found
