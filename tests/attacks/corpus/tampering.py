"""Attacks that change the notebook itself: locked cells, metadata, order, outputs."""

import copy
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from tests.attacks.arena import find
from tests.attacks.attack import Attack, Edit

_WRONG = ("target", "plain", "partial", "choice")


def _tests(notebook: NotebookNode) -> list[NotebookNode]:
    return [find(notebook, name) for name in _WRONG]


def _nbgrader(**changes: Any) -> Edit:
    """Change the nbgrader metadata of each attacked test."""

    def edit(notebook: NotebookNode) -> None:
        for cell in _tests(notebook):
            cell.metadata["nbgrader"].update(changes)

    return edit


def _metadata(**changes: Any) -> Edit:
    def edit(notebook: NotebookNode) -> None:
        for cell in _tests(notebook):
            cell.metadata.update(changes)

    return edit


def _edited(notebook: NotebookNode) -> None:
    for name, points in (("target", "2.0"), ("plain", "pass"), ("partial", "4.0"), ("choice", "")):
        find(notebook, name).source = points


def _coded(notebook: NotebookNode) -> None:
    for cell in _tests(notebook):
        cell.source += "\n# \x1b]0;hijacked\x07\x1b[2J\x9b31m<script>hijack()</script>"


def _deleted(notebook: NotebookNode) -> None:
    notebook.cells = [c for c in notebook.cells if c not in [find(notebook, n) for n in _WRONG]]


def _swapped(notebook: NotebookNode) -> None:
    first, target = find(notebook, "first"), find(notebook, "target")
    first.metadata.nbgrader.grade_id, target.metadata.nbgrader.grade_id = "target", "first"


def _stolen(notebook: NotebookNode) -> None:
    """Give the tests of wrong answers the text and checksum of a test that passes."""
    first = find(notebook, "first")
    for name in _WRONG:
        cell = find(notebook, name)
        cell.source = first.source
        cell.metadata.nbgrader.checksum = first.metadata.nbgrader.get("checksum", "")


def _doubled(notebook: NotebookNode) -> None:
    for name in _WRONG:
        cell = copy.deepcopy(find(notebook, name))
        cell.source, cell.id = "4.0", f"{name}-again"
        notebook.cells.insert(0, copy.deepcopy(cell))
        notebook.cells.append(cell)


def _prefilled(notebook: NotebookNode) -> None:
    for name in _WRONG:
        cell, paid = find(notebook, name), {"text/plain": "4.0"}
        cell.execution_count = 1
        cell.outputs = [new_output("execute_result", paid, execution_count=1)]


def _retyped(notebook: NotebookNode) -> None:
    for name, kind in (("target", "markdown"), ("plain", "raw"), ("partial", "code")):
        cell = find(notebook, name)
        cell.cell_type = kind
        if kind != "code":
            del cell["outputs"], cell["execution_count"]
    find(notebook, "partial").cell_type = "heading"


def _solutions(notebook: NotebookNode) -> None:
    _nbgrader(solution=True, locked=False)(notebook)
    for name in _WRONG:
        find(notebook, name).source += "\n# changed"


def _bonus(notebook: NotebookNode) -> None:
    cell = new_code_cell("1000.0")
    cell.metadata["nbgrader"] = {
        **find(notebook, "plain").metadata.nbgrader, "grade_id": "bonus", "points": 1000,
    }  # fmt: skip
    notebook.cells.append(cell)


def _kernel(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = {"name": "bash", "language": "bash", "display_name": "Bash"}
    notebook.metadata["language_info"] = {"name": "bash", "codemirror_mode": "shell"}


def _no_kernel(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = ["python3", None]
    notebook.metadata["language_info"] = "python"
    notebook.metadata["plaincourse"] = {"one_process": "yes"}


def _answers_below(notebook: NotebookNode) -> None:
    """Move wrong answers below their tests, and define passing names above; no test may pass."""
    for name in _WRONG:
        cell = find(notebook, f"{name}-answer")
        notebook.cells.remove(cell)
        notebook.cells.append(cell)


def _same_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell["id"] = "same"


def _tamper(name: str, attempts: str, edit: Edit, *flags: str, **more: Any) -> Attack:
    return Attack(
        name=name,
        theme="tampering",
        attempts=attempts,
        wrong=_WRONG,
        edit=edit,
        flags=flags,
        **more,
    )


_BAD = {"schema_version": 99, "points": "4 + 4", "grade_id": 7, "cell_type": None}

TAMPERING = (
    _tamper("tests-edited", "Replaces locked tests by the points they give.", _edited, "tampered"),
    _tamper("terminal-codes", "Writes terminal codes and scripts into what an instructor is told.",
            _coded, "tampered"),
    _tamper("tests-deleted", "Deletes the tests.", _deleted, "restored", named=True),
    _tamper("tests-doubled", "Puts tests of its own beside the true ones, under their ids.",
            _doubled, "mended", "tampered", named=True),
    _tamper("tests-stolen", "Gives tests the text and checksum of one that is passed.", _stolen,
            "tampered"),
    _tamper("ids-swapped", "Swaps the ids of a test that is passed and of one that is not.",
            _swapped),
    _tamper("points-raised", "Raises the points of its tests.", _nbgrader(points=1000.0)),
    _tamper("points-odd", "Makes the points no number.", _nbgrader(points="nan")),
    _tamper("metadata-odd", "Makes nbgrader's metadata of the wrong types.", _nbgrader(**_BAD)),
    _tamper("metadata-gone", "Takes nbgrader's metadata away.", _metadata(nbgrader={})),
    _tamper("metadata-as-text", "Makes nbgrader's metadata a text.", _metadata(nbgrader="full")),
    _tamper("schema-of-old", "Claims an old version, which nbgrader would have to upgrade.",
            _nbgrader(schema_version=0)),
    _tamper("tests-as-answers", "Says of the tests that they are answers, so that a person must "
            "look.", _solutions),
    _tamper("tests-not-graded", "Says of the tests that they are neither graded nor locked.",
            _nbgrader(grade=False, locked=False, solution=False)),
    _tamper("types-changed", "Turns tests into text, raw cells and what does not exist.", _retyped),
    _tamper("outputs-prefilled", "Hands in outputs that hold full points.", _prefilled),
    _tamper("tests-skipped", "Tags tests so that they are not executed, or may fail.",
            _metadata(tags=["skip-execution", "raises-exception", "remove-cell"])),
    _tamper("one-process-asked", "Marks tests as such that must run in its own process.",
            _metadata(plaincourse={"one_process": "please"}),
            first="torch.allclose = lambda *a, **k: True\ncheck = lambda *a, **k: 2.0"),
    _tamper("bonus-cell", "Adds a graded cell of a thousand points.", _bonus),
    _tamper("kernel-changed", "Asks for another kernel.", _kernel),
    _tamper("kernel-odd", "Asks for a kernel by a list, and for one process.", _no_kernel),
    _tamper("answers-below", "Moves answers below their tests.", _answers_below),
    _tamper("same-ids", "Gives all cells one id.", _same_ids),
)  # fmt: skip
