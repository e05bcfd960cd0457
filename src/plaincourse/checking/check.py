"""Check an answer, print a hint, add up the points.

The dependencies are imported when a function is called, so that ``import plaincourse`` is fast.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plaincourse.exercise import Task
    from plaincourse.exercise.report import Report

#: Set while a submission's own cells run for grading, where the checker is not available.
LATER = "PLAINCOURSE_CHECKS_LATER"


def check(id: str | Task, answer: Any, *, seed: int | None = None) -> Report:
    """Grade your answer to a task and explain any errors.

    Args:
        id: the task's id, ``"02.softmax_rows"``.
        answer: your answer: the function or class itself, not the result of calling it; for a
            question, your letter or number.
        seed: draws additional inputs, which the report does not show.

    Returns:
        A report. A notebook displays it; elsewhere use ``print(report.text())``.

    Raises:
        LookupError: there is no such task.
    """
    if os.environ.get(LATER):
        return _later(id)
    from plaincourse.checking.grader import grade
    from plaincourse.exercise.bank import load
    from plaincourse.exercise.report import VALIDATING

    task = load(id) if isinstance(id, str) else id
    report = replace(grade(task, answer, seed=seed), extra=task.extra)
    if os.environ.get(VALIDATING) and report.score < report.points:
        print(report.brief(), file=sys.stderr)
    return report


def hint(id: str | Task) -> None:
    """Print the next hint for a task: for the mistake that the last check found, if there was one.

    Args:
        id: the task's id, ``"02.softmax_rows"``.

    Raises:
        LookupError: there is no such task.
    """
    if os.environ.get(LATER):
        print("Hints are given when the notebook is open, not while it is graded.")
        return
    from plaincourse.exercise.hints import next_hint

    print(next_hint(id))


def total(chapter: str | None = None) -> None:
    """Show the points of every check of a chapter so far, with a link to its gate on the site.

    Args:
        chapter: two digits, ``"02"``; by default, the one whose checks ran in this session.

    Raises:
        LookupError: the chapter has no tasks.
    """
    if os.environ.get(LATER):
        return
    from plaincourse.exercise.totals import show

    show(chapter)


def _later(id: str | Task) -> Report:
    from plaincourse.exercise.report import Report

    class Later(Report):
        def _ipython_display_(self) -> None:
            """Display nothing, because the printed line is sufficient."""

    name = id if isinstance(id, str) else id.id
    print(f"{name} is checked when this notebook has been run.")
    return Later(id=name, title=name, score=0.0, points=0.0, headline="Checked later.")
