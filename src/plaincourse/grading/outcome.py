"""Write down what came of a submission: its result and its record."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from plaincourse.grading.jobs import Job, Result, now
from plaincourse.grading.snapshot import Snapshot

if TYPE_CHECKING:  # what runs notebooks imports torch, and the coordinator must not
    from plaincourse.grading.marks import Mark, Sheet
    from plaincourse.grading.steps import Notes

_UNSCORED = "The cell `{cell}` got no score: it is not in the graded notebook."

_LATE = "`{name}` was handed in late, which costs {lost:g} points."
_LOOSE = "Student code ran without a sandbox, with the rights of the one who graded."


def fill(
    result: Result,
    snapshot: Snapshot,
    sheets: Mapping[str, "Sheet"],
    notes: Mapping[str, "Notes"],
) -> None:
    """Copy scores, comments and penalties into a result, and begin its record.

    Args:
        result: with its notebooks.
        snapshot: its assignment.
        sheets: what each notebook earned.
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
        lost = result.penalties[name] = sheet.penalty
        if lost:
            flags.append({"cell": "", "kind": "late", "why": _LATE.format(name=name, lost=lost)})
        told[name] = {
            "cells": {
                mark.name: {**_BLANK, **_known(cells.get(mark.name, {})), **_points(mark)}
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


def failed(job: Job, snapshot: Snapshot, why: str, *, detail: str = "") -> Result:
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


_BLANK: dict[str, Any] = {
    "score": None,
    "max": 0.0,
    "seconds": 0.0,
    "confirmed": False,
    "matched": None,
    "rungs": [],
}


def _known(told: Mapping[str, Any]) -> dict[str, Any]:
    facts = {"facts": told["facts"]} if told.get("facts") else {}  # of a project, what was measured
    return {**{key: value for key, value in told.items() if key in _BLANK}, **facts}


def _points(mark: "Mark") -> dict[str, Any]:
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
