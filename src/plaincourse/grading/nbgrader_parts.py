"""The exporters and steps that ``nbgrader_config.py`` names: a step of ours, and a refusal.

The step rewrites the outputs of a graded cell so that nbgrader reads the right points. The refusal
keeps ``nbgrader autograde`` from running student code with the grader's rights.
"""

import re
from html import escape
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from plaincourse.exercise.report import EXTRA, rounded
from plaincourse.grading.mend import KEY

#: The reason why a check without a score earns nothing.
NO_SCORE = "the check gave no score; was the name `check` used for something else?"
#: The heading of a report: how many points of how many.
_HEADING = re.compile(r": ([\d.]+) of ([\d.]+) points</h4>")
_SCALED = "This task is worth {worth} here: {earned} of the {points} points below are {counts}."
_NO_CREDIT = "This task gives no points. Its check met requirements worth {earned} of {points}."
_STOCK = (
    "nbgrader autograde would run student code with your rights and believe what it says. "
    "In this course it is: plaincourse autograde {name}"
)


class CountOutputs(NbGraderPreprocessor):  # type: ignore[misc]
    """Settle the cases in which nbgrader would count wrongly.

    - A score together with output on stderr: nbgrader gives 0, for a logger's line as for a crash.
      It becomes plain output, and the score counts.
    - A cell that checks an answer and ends without a score, or with one above its points, because
      the submission replaced ``check``: nbgrader gives full points, or gives up on the whole
      submission. It becomes an error, which earns none.
    - A check whose requirements add up to other points than those of the cell, because the cell's
      points were changed: the score counts in proportion.
    - A result without text, or a number above the points, in a cell of asserts: nbgrader gives up
      on the whole submission. The cell earns none, and reports the reason.
    - A notebook that could not be read: nothing in it earns points.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Correct the outputs of every graded cell."""
        why = nb.metadata.get(KEY, {}).get("unread")
        for index, cell in enumerate(nb.cells):
            if why and _counts(cell):
                cell.outputs = [_error("NotRead", why)]
            else:
                nb.cells[index], resources = self.preprocess_cell(cell, resources, index)
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Correct the outputs of one cell."""
        if _counts(cell):
            _settle(cell)
        return cell, resources


class RefuseStockAutograde(NotebookExporter):
    """For ``c.Autograde.exporter_class``: it ends nbgrader's command before any change.

    Raises:
        SystemExit: always; the message names the command that grades.
    """

    def __init__(self, *args: Any, parent: Any = None, **kwargs: Any) -> None:
        name = getattr(getattr(parent, "coursedir", None), "assignment_id", "") or "ASSIGNMENT"
        raise SystemExit(_STOCK.format(name=name))


def _settle(cell: NotebookNode) -> None:
    """Make the outputs of a graded test cell give its points, in place."""
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            output.name = "stdout"
    if any(output.output_type == "error" for output in cell.outputs):
        return
    results = [each for each in cell.outputs if each.output_type == "execute_result"]
    # The last expression of a cell has one result; a further one was forged before it.
    cell.outputs = [each for each in cell.outputs if each not in results[:-1]]
    if _checks(cell):
        for result in results[-1:]:
            _scale(cell, result)
        if not any(_scores(cell, each) for each in results[-1:]):
            cell.outputs = [_error("NoScore", NO_SCORE)]
        return
    for result in results[-1:]:
        text = result.data.get("text/plain")
        if not text:
            result.data["text/plain"] = "(no text)"
        elif _number(text) > float(cell.metadata.nbgrader["points"]):
            why = f"the test gave {text.strip()[:40]}, more than the cell is worth"
            cell.outputs = [_error("NoScore", why)]


def _counts(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell)


def _checks(cell: NotebookNode) -> bool:
    return bool(re.search(r"^check\(", cell.source, flags=re.MULTILINE))


def _scores(cell: NotebookNode, output: NotebookNode) -> bool:
    said = output.data.get("text/plain", "").strip()
    points = float(cell.metadata.nbgrader["points"])
    return bool(re.fullmatch(r"\d+(\.\d+)?", said)) and float(said) <= points


def _scale(cell: NotebookNode, result: NotebookNode) -> None:
    """Scale the points of a check's own report to those of the cell, with a sentence about it."""
    worth = float(cell.metadata.nbgrader["points"])
    # The points of the released cell count, even if the task has become extra since.
    html = result.data.get("text/html", "").replace(f"<p>{EXTRA}</p>", "", 1)
    if html:
        result.data["text/html"] = html
    heading = _HEADING.search(html)
    shown, points = map(float, heading.groups()) if heading else (0.0, 0.0)
    earned = _number(result.data.get("text/plain", ""))
    # Any value other than the report's own score is a forgery, and is left to be refused.
    if heading is None or not 0 <= earned <= points or points in (0, worth):
        return
    if round(earned, 2) != shown:
        return
    counts = round(earned * worth / points, 6)
    of = {"worth": f"{worth:g}", "points": f"{points:g}"}
    form = _SCALED if worth else _NO_CREDIT
    said = escape(form.format(**of, earned=rounded(earned), counts=rounded(counts)))
    heading_now = f"{rounded(counts)} of {worth:g} points" if worth else "no points"
    new = f": {heading_now}</h4><p>{said}</p>"
    result.data["text/html"] = html[: heading.start()] + new + html[heading.end() :]
    result.data["text/plain"] = repr(counts)


def _number(text: str) -> float:
    """Return the number that nbgrader would read, or 0."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _error(name: str, why: str) -> NotebookNode:
    error: NotebookNode = new_output("error", ename=name, evalue=why, traceback=[f"{name}: {why}"])
    return error
