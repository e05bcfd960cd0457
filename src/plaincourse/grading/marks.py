"""Scores, comments and penalties of a submission, and the result that reports them.

nbgrader's ``SaveAutoGrades`` and ``AssignLatePenalties`` write into the gradebook directly, but
workers have none. Here too, nbgrader's ``determine_grade`` decides the points of a cell, and its
plugin the cost of lateness; only their storage differs.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader import utils
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from plaincourse.grading.assignment import Original, Snapshot
from plaincourse.grading.jobs import Job, Known, Result, now
from plaincourse.grading.notes import is_notes

_NO_RESPONSE = "No response."
_UNSCORED = "The cell `{cell}` got no score: it is not in the graded notebook."
_LOOSE = "Student code ran without a sandbox, with the rights of the one who graded."
#: A record's values for a cell without any data.
_BLANK: dict[str, Any] = {
    "score": None,
    "max": 0.0,
    "seconds": 0.0,
    "confirmed": False,
    "matched": None,
    "rungs": [],
}


@dataclass(kw_only=True)
class Mark:
    """A score, with fields named as those of ``nbgrader.api.Grade``."""

    name: str
    max_score: float
    cell_type: str
    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = True

    @property
    def score(self) -> float:
        """The effective points: a person's before the machine's, and extra credit."""
        own = self.auto_score if self.manual_score is None else self.manual_score
        return 0.0 if own is None else own + (self.extra_credit or 0.0)


@dataclass(kw_only=True)
class Sheet:
    """The scores of a submitted notebook.

    Attributes:
        marks: by the names of the cells that carry points.
        comments: the comment below each answer, by the answer's name; None for no comment.
    """

    marks: dict[str, Mark]
    comments: dict[str, str | None]

    @property
    def score(self) -> float:
        """The sum of its marks."""
        return sum(mark.score for mark in self.marks.values())

    @property
    def earned(self) -> dict[str, tuple[float | None, float]]:
        """The machine's points for each cell, and the maximum."""
        return {name: (mark.auto_score, mark.max_score) for name, mark in self.marks.items()}


def blank(name: str, original: Original, known: Known) -> Sheet:
    """Return the sheet of a notebook before it is graded.

    Args:
        name: the notebook's name.
        original: the assignment's notebook.
        known: the gradebook's data on the submission.
    """
    cells = original.source.cells
    marks = {
        each.name: Mark(
            name=each.name,
            max_score=original.worth[each.name],
            cell_type=each.cell_type,
            manual_score=known.manual.get((name, each.name)),
            extra_credit=known.extra.get((name, each.name)),
        )
        for each in cells
        if each.name in original.worth
    }
    answers = [each.name for each in cells if each.solution or each.task]
    return Sheet(marks=marks, comments=dict.fromkeys(answers))


def score(sheet: Sheet, cells: list[NotebookNode], settled: Mapping[str, str]) -> None:
    """Enter the points of the cells of a graded notebook.

    A cell waits for a person according to nbgrader's rule: if only a person can decide, or if one
    gave points before. In the second case it does not wait if that person read the same text.

    Args:
        sheet: is filled in.
        cells: of the notebook, after it ran.
        settled: digests of the texts for which a person gave points, by cell.
    """
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if utils.is_grade(cell):
            mark = sheet.marks[name]
            mark.auto_score, _ = utils.determine_grade(cell)
            mark.needs_manual_grade = mark.manual_score is not None or mark.auto_score is None
        if name in settled and settled[name] == digest_of_answer(cells, name):
            sheet.marks[name].needs_manual_grade = False
        if utils.is_solution(cell) or utils.is_task(cell):
            same = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            sheet.comments[name] = _NO_RESPONSE if same and not utils.is_task(cell) else None


def void(sheets: Iterable[Sheet]) -> None:
    """Give 0 points for everything, as nbgrader does for a missing notebook."""
    for sheet in sheets:
        for mark in sheet.marks.values():
            mark.auto_score, mark.needs_manual_grade = 0.0, False


def seconds_late(known: Known, snapshot: Snapshot) -> float:
    """Return how late a submission is, extensions taken into account."""
    if known.timestamp is None or snapshot.duedate is None:
        return 0.0
    late = known.timestamp - snapshot.duedate
    return max(0.0, (late - (known.extension or type(late)())).total_seconds())


def penalty(student: str, points: float, late: float, config: Config) -> float | None:
    """Return the late penalty of a notebook, by the plugin in nbgrader's configuration.

    Args:
        student: the late student.
        points: the points of the notebook.
        late: seconds.
        config: nbgrader's.

    Returns:
        At least 0 and at most the points; None if the plugin returns None, or the work is not late.

    Raises:
        TypeError: the plugin returns something other than a number or None.
        ValueError: it returns NaN.
        Exception: any error of the plugin.
    """
    if late <= 0:
        return None
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    lost = step.plugin_inst.late_submission_penalty(student, points, late)
    if lost is None:
        return None
    if not isinstance(lost, Real):
        raise TypeError(f"it returned {lost!r}; expected a number, or None")
    if math.isnan(lost):
        raise ValueError("it returned nan; expected a number, or None")
    return min(max(float(lost), 0.0), points)


def digest_as_read(folder: Path, notebook: str, cell: str) -> str:
    """Return a digest of the text that the person who graded a cell read; empty if it is missing.

    Args:
        folder: a graded submission.
        notebook: the notebook's name.
        cell: the grade id of a graded cell.
    """
    try:
        found = json.loads((folder / f"{notebook}.ipynb").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return digest_of_answer(found["cells"], cell)


def digest_of_answer(cells: list[Any], name: str) -> str:
    """Return a digest of a student's text for a graded cell, and of the cell's maximal points.

    For an answer that is graded itself that is its text; for a test, all text that is not locked.
    """
    roles = [each["metadata"].get("nbgrader", {}) for each in cells]
    at = [i for i, role in enumerate(roles) if role.get("grade_id") == name]
    if not at:
        return ""
    if roles[at[0]].get("solution"):
        shown = at[:1]
    else:
        theirs = [
            not (role.get("locked") or is_notes(cell))
            for role, cell in zip(roles, cells, strict=True)
        ]
        shown = [i for i, each in enumerate(theirs) if each]
    texts = ["".join(cells[i]["source"]) for i in shown]
    worth = float(roles[at[0]].get("points", 0))
    return hashlib.sha256(json.dumps([worth, texts]).encode()).hexdigest()


def fill_result(
    result: Result,
    snapshot: Snapshot,
    sheets: Mapping[str, Sheet],
    notes: Mapping[str, Mapping[str, Any]],
) -> None:
    """Copy scores and comments into a result, and begin its record.

    Args:
        result: with its notebooks.
        snapshot: its assignment.
        sheets: the scores of each notebook.
        notes: of the steps, by notebook.
    """
    flags = [flag for each in notes.values() for flag in each["flags"]]
    told = {}
    for name, sheet in sheets.items():
        cells = notes[name]["cells"]
        for mark in sheet.marks.values():
            result.grades[name, mark.name] = mark.auto_score
            if mark.needs_manual_grade:
                result.manual.add((name, mark.name))
            answered = mark.name in snapshot.notebooks[name].answers
            if mark.auto_score is None and mark.cell_type == "code" and not answered:
                why = _UNSCORED.format(cell=mark.name)
                flags.append({"cell": mark.name, "kind": "died", "why": why})
        for answer, said in sheet.comments.items():
            result.comments[name, answer] = said
        told[name] = {
            "cells": {
                mark.name: {**_BLANK, **_told(cells.get(mark.name, {})), **_points(mark)}
                for mark in sheet.marks.values()
            }
        }
    mended = [sentence for each in notes.values() for sentence in each["mended"]]
    split = any(each["split"] for each in notes.values())
    sandbox = next((each["sandbox"] for each in notes.values() if each["sandbox"]), "none")
    if sandbox == "none":
        flags.append({"cell": "", "kind": "unsandboxed", "why": _LOOSE})
    result.record = _record(result, notebooks=told, flags=flags, mended=mended)
    memory = max((each["memory_mb"] for each in notes.values()), default=0.0)
    result.record.update(split=split, sandbox=sandbox, memory_mb=memory)


def failed_result(job: Job, snapshot: Snapshot, why: str, *, detail: str = "") -> Result:
    """Return the result of a submission that cannot be graded: 0 points, and a person must look.

    Args:
        job: the submission.
        snapshot: its assignment.
        why: a sentence that an instructor can act on.
        detail: where it went wrong, for the record only.
    """
    result = Result(
        student=job.student, assignment=job.assignment, digest=job.digest, status="failed"
    )
    note = f"This submission could not be graded: {why}"
    page = nbformat.writes(new_notebook(cells=[new_markdown_cell(note, id="not-graded")]))
    told: dict[str, Any] = {}
    for name, original in snapshot.notebooks.items():
        result.notebooks[name] = page
        told[name] = {"cells": {}}
        for cell, points in original.worth.items():
            result.grades[name, cell] = 0.0
            result.manual.add((name, cell))
            told[name]["cells"][cell] = {**_BLANK, "max": points}
    result.record = _record(result, notebooks=told, flags=[], mended=[])
    result.record.update(why=why, detail=detail)
    return result


def _told(told: Mapping[str, Any]) -> dict[str, Any]:
    facts = {"facts": told["facts"]} if told.get("facts") else {}  # the measurements of a project
    return {**{key: value for key, value in told.items() if key in _BLANK}, **facts}


def _points(mark: Mark) -> dict[str, Any]:
    return {"score": None if mark.needs_manual_grade else mark.score, "max": mark.max_score}


def _record(result: Result, **told: Any) -> dict[str, Any]:
    return {
        "student": result.student,
        "assignment": result.assignment,
        "digest": result.digest,
        "graded_at": now(),
        "status": result.status,
        "why": "",
        "seconds": 0.0,
        "memory_mb": 0.0,
        "sandbox": "none",
        "split": False,
        **told,
    }
