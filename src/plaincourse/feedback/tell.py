"""Clean the outputs of a graded notebook for its author.

They keep their work, their score and the diagnosis. They do not see hidden tests, seeds, the
grader's frames, other people's files, nor what would differ from one run to the next.
"""

import re
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from plaincourse.checking.scrub import plain, scrub, scrub_known
from plaincourse.feedback.unseen import HIDDEN, UNSEEN, withhold

_UNDEFINED = (
    "`{name}` is not defined. The cell that should define it is missing, was left as it was, "
    "stands further down, or stopped with an error, which is shown below that cell. No points."
)
_ENDLESS = "The check was stopped, because it took too long. No points."
_OTHER = "The check could not run ({error}). No points; please show this to your instructor."
_LINE = re.compile(r"Cell In ?\[\d+\], line (\d+)")
_HIDDEN = re.compile(
    r"^[^\n]*BEGIN HIDDEN TESTS.*?(?:^[^\n]*END HIDDEN TESTS[^\n]*$\n?|\Z)", re.M | re.S
)
_SEED = re.compile(r"\bseed\s*=\s*(\d+)")


class TellPlainly(NbGraderPreprocessor):  # type: ignore[misc]
    """Rewrite the outputs of a graded notebook for its author, and take out the hidden tests.

    nbgrader's ``ClearHiddenTests`` gives up on a notebook in which a student wrote its marks. This
    does not, and takes the hidden lines out of what the student's code printed as well.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Rewrite every cell."""
        secret = _secrets(nb)
        tests = [cell for cell in nb.cells if utils.is_grade(cell) and not utils.is_solution(cell)]
        for cell in tests:
            if cell.cell_type == "code":
                cell.outputs = _seen(cell.outputs, cell.source)
        withhold(nb)
        for index, cell in enumerate(nb.cells):
            if cell in tests:
                cell.source = _HIDDEN.sub("", cell.source).rstrip("\n")
            nb.cells[index], resources = self.preprocess_cell(cell, resources, index)
            for output in nb.cells[index].get("outputs", []):
                _redact(output, secret)
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Rewrite the outputs of one cell."""
        if cell.cell_type == "code":
            graded = utils.is_grade(cell) and not utils.is_solution(cell)
            cell.outputs = [_told(output, cell.source, graded) for output in cell.outputs]
        return cell, resources


def _seen(outputs: list[NotebookNode], source: str) -> list[NotebookNode]:
    """Leave out what a student's code said while hidden tests ran: it may quote their inputs."""
    hidden = _HIDDEN.search(source)
    if hidden is None:
        return outputs
    begun = source.count("\n", 0, hidden.start()) + 1
    kept = [each for each in outputs if each.output_type in ("execute_result", "error")]
    for number, each in enumerate(kept):
        line = _LINE.search(plain("\n".join(each.get("traceback", []))))
        if line and int(line[1]) < begun:
            return outputs  # it stopped before the hidden tests
        if line:
            kept[number] = new_output("error", ename=UNSEEN, evalue=HIDDEN, traceback=[])
    return kept


def _secrets(nb: NotebookNode) -> list[str]:
    """List the hidden lines, and each way to write a seed in them."""
    found: set[str] = set()
    for cell in nb.cells:
        if utils.is_grade(cell) and not utils.is_solution(cell):
            for region in _HIDDEN.findall(cell.source):
                lines = {line.strip() for line in region.split("\n")}
                shown = set(_HIDDEN.sub("", cell.source).split("\n"))
                found |= {line for line in lines - shown if len(line) > 8}
                found |= {f"seed={seed}" for seed in _SEED.findall(region)}
    return sorted(found, key=len, reverse=True)


def _redact(output: NotebookNode, secret: list[str]) -> None:
    def clean(text: str) -> str:
        for line in secret:
            text = text.replace(line, "…").replace(line.replace('"', '\\"'), "…")
        return text

    if not secret:
        return
    if "text" in output:
        output.text = clean(output.text)
    if "traceback" in output:
        output.evalue = clean(output.evalue)
        output.traceback = [clean(line) for line in output.traceback]
    for kind, data in output.get("data", {}).items():
        if isinstance(data, str) and kind.startswith("text/"):
            output.data[kind] = clean(data)


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
    if output.ename == UNSEEN:
        return str(output.evalue)
    said = scrub(plain(f"{output.ename}: {output.evalue}" if output.evalue else output.ename))
    ours = {"NoScore", "NotRead", "NotRun"}
    return said if output.ename in ours else _OTHER.format(error=said)


def _own_frames(traceback: list[str]) -> list[str]:
    """Keep the frames of the student's cells, and the message."""
    kept = [frame for frame in traceback if not plain(frame).lstrip().startswith("File ")]
    return [scrub(plain(frame)) for frame in kept]
