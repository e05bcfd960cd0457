"""nbgrader's own steps work with a gradebook in memory, and decide the scores."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from nbgrader import preprocessors as stock
from nbgrader.api import Gradebook, MissingEntry
from traitlets.config import Config

from plaincourse.grading.jobs import Job, Known
from plaincourse.grading.rebound import rebound
from plaincourse.grading.snapshot import Original, Snapshot
from plaincourse.grading.source import from_notebooks
from plaincourse.grading.standin import Book
from tests.plaincourse.autograde_course import notebook

_DUE = datetime(2030, 1, 1)


def book(**known: object) -> Book:
    released = notebook()
    source = from_notebooks("one", solution=released, release=released)
    snapshot = Snapshot(
        assignment="week-1",
        duedate=_DUE,
        notebooks={"one": Original(source=source, path=Path(), text="")},
        files={},
    )
    job = Job(
        student="ada",
        assignment="week-1",
        folder=Path(),
        digest="",
        known=Known(**known),  # type: ignore[arg-type]
    )
    return Book(job=job, snapshot=snapshot)


def apply(step: type, on: Book, **config: object) -> None:
    """Run a step of nbgrader's on the notebook as the source has it."""
    of = {"student": "ada", "assignment": "week-1", "notebook": "one", "db_url": on.address}
    rebound(step)(config=Config(config)).preprocess(notebook(), {"nbgrader": of})


def test_a_step_that_opens_the_gradebook_gets_the_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gradebook, "__init__", lambda *a, **k: pytest.fail("the database opened"))
    made = book()
    for step in (stock.OverwriteKernelspec, stock.OverwriteCells, stock.SaveAutoGrades):
        apply(step, made)
    apply(stock.AssignLatePenalties, made)
    apply(stock.GetGrades, made)


def test_a_step_that_opens_nothing_stays_as_it_is() -> None:
    assert rebound(stock.ClearOutput) is stock.ClearOutput
    assert issubclass(rebound(stock.SaveAutoGrades), stock.SaveAutoGrades)
    assert stock.SaveAutoGrades.preprocess.__globals__["Gradebook"] is Gradebook


def test_a_subclass_reaches_the_stand_in_through_super() -> None:
    class Quiet(stock.SaveAutoGrades):  # type: ignore[misc]
        def preprocess(self, nb, resources):  # type: ignore[no-untyped-def]
            return super().preprocess(nb, resources)

    made = book()
    apply(Quiet, made)
    assert made.find_grade("test_square", "one", "week-1", "ada").auto_score == 2


def test_nbgrader_decides_scores_and_comments() -> None:
    made = book(manual={("one", "partly"): 1.0}, extra={("one", "test_square"): 0.5})
    apply(stock.SaveAutoGrades, made)
    sheet = made.sheets["one"]
    marks = {
        mark.name: (mark.auto_score, mark.score, mark.needs_manual_grade) for mark in sheet.grades
    }
    assert marks == {
        "test_square": (2, 2.5, False),
        "partly": (3, 1.0, True),
        "why": (0, 0, False),
    }
    assert {each.name: each.comment for each in sheet.comments} == {
        "square": "No response.",
        "why": "No response.",
    }
    assert sheet.score == 3.5


@pytest.mark.parametrize(
    ("handed_in", "extension", "penalty"),
    [
        (_DUE + timedelta(hours=1), None, 5.0),
        (_DUE + timedelta(hours=1), timedelta(hours=2), None),
        (_DUE, None, None),
        (None, None, None),
    ],
)
def test_the_penalty_for_being_late_knows_extensions(
    handed_in: datetime | None, extension: timedelta | None, penalty: float | None
) -> None:
    made = book(timestamp=handed_in, extension=extension)
    apply(stock.SaveAutoGrades, made)
    apply(stock.AssignLatePenalties, made, LateSubmissionPlugin={"penalty_method": "zero"})
    assert made.sheets["one"].late_submission_penalty == penalty


def test_what_is_not_in_the_assignment_is_missing_as_in_nbgrader() -> None:
    made = book()
    with pytest.raises(MissingEntry):
        made.find_notebook("two", "week-1")
    with pytest.raises(MissingEntry):
        made.find_source_cell("nothing", "one", "week-1")
