"""Check an answer, ask for a hint, add up the points.

What this module needs is imported when it is called, so that ``import plaincourse`` is quick.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plaincourse.exercise import Task
    from plaincourse.exercise.report import Report

#: Set where a submission's own cells run while it is graded: the checker is not there.
LATER = "PLAINCOURSE_CHECKS_LATER"


def check(id: str | Task, answer: Any, *, seed: int | None = None) -> Report:
    """Grade your answer to a task and say what is wrong with it, where something is.

    Args:
        id: the task's id, ``"02.softmax_rows"``.
        answer: what you wrote: the function or class itself, not the result of calling it; for
            a question, your letter or number.
        seed: draws further inputs, which the report does not show.

    Returns:
        A report. In a notebook it shows itself; ``print(report.text())`` shows it elsewhere.

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
    """Print the next hint for a task: for the mistake that the last check found, if it found one.

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
    """Show the points of every check of a chapter so far, and take them to its gate on the site.

    Args:
        chapter: two digits, ``"02"``; when left out, the one whose checks ran in this session.

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
            """Show nothing: the line that was printed is all."""

    name = id if isinstance(id, str) else id.id
    print(f"{name} is checked when this notebook has been run.")
    return Later(id=name, title=name, score=0.0, points=0.0, headline="Checked later.")
