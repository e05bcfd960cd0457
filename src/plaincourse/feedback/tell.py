"""Clean the outputs of a graded notebook for its author.

The page keeps the student's work, the score and the diagnosis. It does not show hidden tests,
seeds, the grader's frames, the paths of files, or text that differs between runs.

It also hides the inputs of hidden tests. From the first hidden test on, a student's code has
received such inputs, and may store and print them. So from there on the page depends as little as
possible on the output of that code:

- A cell of the student's own shows its outputs from the submission, not those from grading. There
  may be thousands of such cells, and one bit from each would be too much.
- A test shows text that quotes an answer only if the submission has exactly the same output.
  Otherwise it describes the error in words of the course, also for an answer that raised an error.

The graded notebook keeps everything, for the instructor.
"""

import ast
import re
from collections.abc import Sequence
from functools import partial
from html import unescape
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from plaincourse.checking.mistake import known_error, scrub, scrub_known, uncoloured
from plaincourse.grading.lost import CELL_MAGIC, why_undefined
from plaincourse.grading.mend import KEY as OURS
from plaincourse.grading.nbgrader_parts import NO_SCORE
from plaincourse.grading.notebook import OUTPUTS_KEY, tests_hidden
from plaincourse.grading.own_work import Writing, parsed
from plaincourse.grading.text import newer_python, unread
from plaincourse.kernels.client import OUT_OF_MEMORY

_UNDEFINED = (
    "`{name}` is not defined. The cell that defines it stopped with an error, which is shown below "
    "that cell, did not reach that line, or stands further down; or another cell takes the name "
    "away again. No points."
)
_WHY_UNDEFINED = "`{name}` is not defined. {why}. No points."
_ASKS = (
    "`{name}` is not defined. The cell that defines it {what}. Nobody answers when the notebook is "
    "graded, and a cell that waits for an answer stops there. {do}. No points."
)
_KEEPS_NONE = (
    "`{name}` is not defined. The cell that should define it begins with `%%{magic}`, which leaves "
    "no names behind. Take that line out. No points."
)
#: How a cell waits for its user, and how its author can change that.
_INPUT = ("asks with `input()`", "Write the value into the code")
_DEBUGGER = ("starts a debugger", "Take `breakpoint()` or `set_trace()` out")
_WAITS = {"input": _INPUT, "breakpoint": _DEBUGGER, "set_trace": _DEBUGGER}
_WAITED = "The cell {what}, and nobody answers when the notebook is graded. {do}."
_ENDLESS = "The check was stopped, because it took too long. No points."
_OTHER = "The check could not run ({error}). No points; please show this to your instructor."
_LINE = re.compile(r"Cell In ?\[\d+\], line (\d+)")
_HIDDEN_TESTS = re.compile(
    r"^[^\n]*BEGIN HIDDEN TESTS.*?(?:^[^\n]*END HIDDEN TESTS[^\n]*$\n?|\Z)", re.M | re.S
)
_SEED = re.compile(r"\bseed\s*=\s*(\d+)")
#: The name of an error whose message comes from the course and is shown unchanged.
_UNSEEN = "HiddenTest"
#: Its message if the test that failed is hidden.
_FAILS_HIDDEN = "Your answer fails a test on inputs that are not shown. No points."
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
_ENDS = {"KernelDied", "StudentGone"}
_GONE = (
    "While this task was tested, the process of your notebook ended, or stopped answering the "
    "tests. Run the test in a fresh notebook: your answer may end its process, take too much "
    "memory, or write to a file that is not its own. No points."
)
_QUOTE = re.compile(r'<(p|pre) data-instead="([^"]*)"([^>]*)>(.*?)</\1>', re.DOTALL)
#: The beginning of a report of the course.
REPORT = re.compile(r'\s*<div role="group" aria-label="Check of ')
_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?\s*")
_LATE = {"CellTimeoutError", "KeyboardInterrupt", "TimeoutError"}
_OWN_ERRORS = {*_LATE, "KernelDied", "OutputFlood", "NotRun", "NoScore", "StudentGone", "JudgeDied"}


class TellPlainly(NbGraderPreprocessor):  # type: ignore[misc]
    """Rewrite the outputs of a graded notebook for its author, and remove the hidden tests.

    nbgrader's ``ClearHiddenTests`` fails on a notebook in which a student wrote its markers. This
    class does not fail, and also removes the hidden lines from the output of the student's code.
    """

    _texts: Sequence[str] = ()  # sources of the code cells

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Rewrite every cell."""
        self._texts = [cell.source for cell in nb.cells if cell.cell_type == "code"]
        secret = _secrets(nb)
        tests = [cell for cell in nb.cells if utils.is_grade(cell) and not utils.is_solution(cell)]
        for cell in tests:
            if cell.cell_type == "code":
                cell.outputs = _seen(cell.outputs, cell.source)
        withhold(nb)
        for index, cell in enumerate(nb.cells):
            if cell in tests:
                cell.source = without_hidden_tests(cell.source)
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
            told = partial(_told, source=cell.source, graded=graded, texts=self._texts)
            cell.outputs = [told(output) for output in cell.outputs]
        return cell, resources


def without_hidden_tests(source: str) -> str:
    """Return the text of a test without its hidden part."""
    return _HIDDEN_TESTS.sub("", source).rstrip("\n")


def _seen(outputs: list[NotebookNode], source: str) -> list[NotebookNode]:
    """Leave out a student's output from hidden tests, which may quote their inputs."""
    hidden = _HIDDEN_TESTS.search(source)
    if hidden is None:
        return outputs
    begun = source.count("\n", 0, hidden.start()) + 1
    kept = [each for each in outputs if each.output_type in ("execute_result", "error")]
    for number, each in enumerate(kept):
        line = _LINE.search(uncoloured("\n".join(each.get("traceback", []))))
        if line and int(line[1]) < begun:
            return outputs  # it stopped before the hidden tests
        if line:
            kept[number] = new_output("error", ename=_UNSEEN, evalue=_FAILS_HIDDEN, traceback=[])
    return kept


def _secrets(nb: NotebookNode) -> list[str]:
    """List the hidden lines, and every way to write the seeds in them."""
    found: set[str] = set()
    for cell in nb.cells:
        if utils.is_grade(cell) and not utils.is_solution(cell):
            for region in _HIDDEN_TESTS.findall(cell.source):
                lines = {line.strip() for line in region.split("\n")}
                shown = set(_HIDDEN_TESTS.sub("", cell.source).split("\n"))
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


def _told(
    output: NotebookNode, source: str, graded: bool, texts: Sequence[str] = ()
) -> NotebookNode:
    if output.output_type == "error":
        lines = [_verdict(output, source, texts)] if graded else _own_frames(output.traceback)
        evalue = scrub(uncoloured(output.evalue))
        if not graded and (waits := _waited(output)):
            evalue = _WAITED.format(what=waits[0], do=waits[1])
            lines = [*lines, evalue]
        if not graded:
            lines += filter(None, [newer_python(source)])
        told: NotebookNode = new_output("error", ename=output.ename, evalue=evalue, traceback=lines)
        return told
    if output.output_type == "stream":
        output.text = scrub(output.text)
        return output
    for kind, data in output.data.items():
        if isinstance(data, str) and kind.startswith("text/"):
            output.data[kind] = scrub(data) if kind == "text/plain" else scrub_known(data)
    return output


def _waited(output: NotebookNode) -> tuple[str, str] | None:
    """Return how a cell waited for its user if that stopped it, and the advice on it."""
    if output.ename not in {"StdinNotImplementedError", "BdbQuit"}:
        return None
    frames = uncoloured("\n".join(output.traceback))
    debugs = output.ename == "BdbQuit" or re.search(r"\b(?:bdb|pdb|debugger)\.py\b", frames)
    return _DEBUGGER if debugs else _INPUT


def _waits(name: str, texts: Sequence[str]) -> tuple[str, str] | None:
    """Return how the last cell that defines a name waits for its user, judged by its source alone.

    Its outputs are ignored, because after hidden tests they may depend on the hidden inputs.
    """
    makers = (text for text in reversed(texts) if name in Writing(text, code=True).binds)
    tree = parsed(next(makers, ""))
    left: list[ast.AST] = list(tree.body) if tree else []
    while left:
        node = left.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue  # runs when it is called
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in _WAITS and (isinstance(node.func, ast.Name) or called == "set_trace"):
                return _WAITS[called]
        left += ast.iter_child_nodes(node)
    return None


def _cell_magic(name: str, texts: Sequence[str]) -> str:
    """Return the magic of the only cells that define a name, if that magic defines no names."""
    makers = [text for text in texts if name in Writing(text, code=True).binds]
    magics = [CELL_MAGIC.match(text.lstrip()) for text in makers]
    last = magics[-1] if magics and all(magics) else None
    return last[1] if last else ""


def _verdict(output: NotebookNode, source: str, texts: Sequence[str] = ()) -> str:
    """Explain in a sentence why a graded cell has no score."""
    found = re.search(r"name '(\w+)' is not defined", output.evalue)
    if output.ename == "NameError" and found and (name := found.group(1)) in source:
        if waits := _waits(name, texts):
            return _ASKS.format(name=name, what=waits[0], do=waits[1])
        if magic := _cell_magic(name, texts):
            return _KEEPS_NONE.format(name=name, magic=magic)
        if why := why_undefined(name, texts, source):
            return _WHY_UNDEFINED.format(name=name, why=why)
        return _UNDEFINED.format(name=name)
    if output.ename in _LATE:
        return _ENDLESS
    if output.ename == _UNSEEN:
        return str(output.evalue)
    said = scrub(uncoloured(f"{output.ename}: {output.evalue}" if output.evalue else output.ename))
    if output.evalue == OUT_OF_MEMORY:
        return f"{OUT_OF_MEMORY} No points."
    ours = {"NoScore", "NotRead", "NotRun"}
    return said if output.ename in ours else _OTHER.format(error=said)


def _own_frames(traceback: list[str]) -> list[str]:
    """Keep the frames of the student's cells, and the message."""
    kept = [frame for frame in traceback if not uncoloured(frame).lstrip().startswith("File ")]
    return [scrub(uncoloured(frame)) for frame in kept]


def withhold(nb: NotebookNode) -> None:
    """Remove the output of a student's code after hidden tests from a graded notebook.

    Args:
        nb: the notebook with the hidden tests still in it; changed in place. A note to show next to
            a cell's outputs is put into its metadata, under ``plaincourse`` and ``aside``.
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
    """Describe the hidden output; for a student's own cell this does not depend on its content."""
    own = "nbgrader" not in cell.metadata
    if not own and _said(cell.outputs) == _said(handed):
        return ""
    if cause := unread(cell.source):
        return f"{_HANDED_IN} {cause}" if handed else cause
    return _what_is_aside(cell, handed, own=own)


def _what_is_aside(cell: NotebookNode, handed: Sequence[NotebookNode], *, own: bool) -> str:
    errors = [each.ename for each in cell.outputs if each.output_type == "error"]
    if own:
        return _HANDED_IN if handed else _NOTHING
    if errors and not any(each.output_type == "error" for each in handed):
        return _STOPPED.format(error=_named(errors[0]), why=_WHY)
    return _HANDED_IN if handed else _NOTHING


def _safe(output: NotebookNode, source: str) -> list[NotebookNode]:
    """Return the parts of a test's output that may be shown, because it may quote an answer."""
    if output.output_type == "error":
        return [output] if _course(output, source) else [_failed(output.ename)]
    if output.output_type != "execute_result":
        return []
    html = output.data.get("text/html", "")
    if REPORT.match(html):
        output.data["text/html"] = _QUOTE.sub(_unquoted, html)
        return [output]
    return [output] if _score(output.data) else []


def _unquoted(found: re.Match[str]) -> str:
    """Replace a quotation by the course's words, as text that wraps rather than as code."""
    said = re.sub(r"`([^`]+)`", r"<code>\1</code>", found[2])
    return f"<p{found[3]}>{said}</p>" if found[1] == "p" else f"<p>{said}</p>"


def _course(error: NotebookNode, source: str) -> bool:
    """Return whether the page's text for an error comes from the course alone."""
    missing = re.fullmatch(r"name '(\w+)' is not defined", error.evalue)
    if error.ename == "NameError" and missing:
        return missing[1] in source
    return error.ename in _LATE or error.evalue in (NO_SCORE, _FAILS_HIDDEN, OUT_OF_MEMORY)


def _failed(name: str) -> NotebookNode:
    said = _GONE if name in _ENDS else _FAILS.format(error=_named(name))
    made: NotebookNode = new_output("error", ename=_UNSEEN, evalue=said, traceback=[])
    return made


def _named(error: str) -> str:
    return f"`{error}`" if error in _OWN_ERRORS else known_error(error)


def _score(data: Any) -> bool:
    return set(data) == {"text/plain"} and bool(_NUMBER.fullmatch(data["text/plain"]))


def _quoted(outputs: Sequence[NotebookNode]) -> list[Any]:
    """List the parts of a test's outputs that may quote an answer."""
    found: list[Any] = []
    for each in _said(outputs):
        html = each[1].get("text/html", "") if each[0] == "data" else ""
        if REPORT.match(html):
            found += [(kind, unescape(said)) for kind, _, _, said in _QUOTE.findall(html)]
        elif each[0] != "data" or not _score(each[1]):
            found.append(each)
    return found


def _said(outputs: Sequence[NotebookNode]) -> list[Any]:
    """List the content of outputs, in a form that is the same in two kernels."""
    found: list[Any] = []
    for each in outputs:
        if each.output_type == "stream":
            if found and found[-1][0] == each.name:
                found[-1] = (each.name, found[-1][1] + each.text)
            else:
                found.append((each.name, each.text))
        elif each.output_type == "error":
            found.append(("error", each.ename, uncoloured(each.evalue)))
        else:
            found.append(("data", dict(each.data)))
    return found
