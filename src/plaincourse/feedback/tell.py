"""Clean the feedback that students get.

It keeps their work, their score and the diagnosis. It loses hidden tests (nbgrader's own
``ClearHiddenTests`` runs before this), the grader's frames, other people's files, and whatever
would differ from one run to the next.
"""

import re
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from plaincourse.scrub import plain, scrub, scrub_known

_UNDEFINED = (
    "`{name}` is not defined. The cell that should define it is missing, was left as it was, or "
    "stopped with an error, which stands below that cell. No points."
)
_ENDLESS = "The check was stopped, because it took too long. No points."
_OTHER = "The check could not run ({error}). No points; please show this to your instructor."


class TellPlainly(NbGraderPreprocessor):  # type: ignore[misc]
    """Rewrite the outputs of a graded notebook for its author."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Rewrite the outputs of one cell."""
        if cell.cell_type == "code":
            graded = utils.is_grade(cell) and not utils.is_solution(cell)
            cell.outputs = [_told(output, cell.source, graded) for output in cell.outputs]
        return cell, resources


def _told(output: NotebookNode, source: str, graded: bool) -> NotebookNode:
    if output.output_type == "error":
        lines = [_verdict(output, source)] if graded else _own_frames(output.traceback)
        evalue = scrub(plain(output.evalue))
        told: NotebookNode = new_output("error", ename=output.ename, evalue=evalue, traceback=lines)
        return told
    if output.output_type == "stream":
        output.text = scrub(output.text)
        return output
    for kind, data in output.data.items():
        if isinstance(data, str) and kind.startswith("text/"):
            output.data[kind] = scrub(data) if kind == "text/plain" else scrub_known(data)
    return output


def _verdict(output: NotebookNode, source: str) -> str:
    """Say in a sentence why a graded cell has no score."""
    name = re.search(r"name '(\w+)' is not defined", output.evalue)
    if output.ename == "NameError" and name and name.group(1) in source:
        return _UNDEFINED.format(name=name.group(1))
    if output.ename in {"CellTimeoutError", "KeyboardInterrupt", "TimeoutError"}:
        return _ENDLESS
    said = scrub(plain(f"{output.ename}: {output.evalue}" if output.evalue else output.ename))
    return said if output.ename == "NoScore" else _OTHER.format(error=said)


def _own_frames(traceback: list[str]) -> list[str]:
    """Keep the frames of the student's cells, and the message."""
    kept = [frame for frame in traceback if not plain(frame).lstrip().startswith("File ")]
    return [scrub(plain(frame)) for frame in kept]
