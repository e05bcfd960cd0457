"""Make a graded cell's outputs say what nbgrader shall read from them."""

import re
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor


class CountOutputs(NbGraderPreprocessor):  # type: ignore[misc]
    """Settle two cases in which nbgrader would count wrongly.

    - Something on stderr next to a score: nbgrader gives 0, for a logger's line as for a crash.
      It becomes plain output, and the score counts.
    - A cell that checks an answer and ends without a score, or with one above its points,
      because the submission replaced ``check``: nbgrader gives full points, or gives up on the
      whole submission. It becomes an error, which earns none.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Mend the outputs of one cell."""
        if not utils.is_grade(cell) or utils.is_solution(cell) or cell.cell_type != "code":
            return cell, resources
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                output.name = "stdout"
        failed = any(output.output_type == "error" for output in cell.outputs)
        if not failed and _checks(cell) and not any(_scores(cell, each) for each in cell.outputs):
            cell.outputs = [_no_score()]
        return cell, resources


def _checks(cell: NotebookNode) -> bool:
    return bool(re.search(r"^check\(", cell.source, flags=re.MULTILINE))


def _scores(cell: NotebookNode, output: NotebookNode) -> bool:
    if output.output_type != "execute_result":
        return False
    said = output.data.get("text/plain", "").strip()
    points = float(cell.metadata.nbgrader["points"])
    return bool(re.fullmatch(r"\d+(\.\d+)?", said)) and float(said) <= points


def _no_score() -> NotebookNode:
    why = "the check gave no score; was the name `check` used for something else?"
    error: NotebookNode = new_output(
        "error", ename="NoScore", evalue=why, traceback=[f"NoScore: {why}"]
    )
    return error
