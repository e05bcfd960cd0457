"""Scores, comments and penalties equal those that nbgrader's own steps write to a gradebook."""

import warnings
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_markdown_cell
from nbgrader import preprocessors as stock
from nbgrader.api import Gradebook
from traitlets.config import Config

from plaincourse.grading import marks
from plaincourse.grading.assignment import Original, Snapshot, from_notebooks
from plaincourse.grading.jobs import Known
from plaincourse.grading.marks import digest_of_answer
from tests.plaincourse.autograde_course import notebook

DUE = datetime(2020, 1, 1)
KNOWN = Known(manual={("one", "partly"): 1.0}, extra={("one", "test_square"): 0.5})
ZERO = Config({"LateSubmissionPlugin": {"penalty_method": "zero"}})


def original() -> Original:
    released = notebook()
    source = from_notebooks("one", solution=released, release=released)
    return Original(source=source, path=Path(), text="")


def sheet(known: Known = KNOWN, **sources: str) -> marks.Sheet:
    """Return the marks of a notebook in that tiny course."""
    made = marks.blank("one", original(), known)
    marks.score(made, notebook(**sources).cells, {})
    return made


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A gradebook after nbgrader's own steps have graded the same notebook."""
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    of = {"student": "ada", "assignment": "week-1", "notebook": "one", "db_url": url}
    with Gradebook(url) as made, warnings.catch_warnings(action="ignore"):
        made.add_assignment("week-1", duedate=DUE)
        made.add_student("ada")
        stock.SaveCells().preprocess(notebook(), {"nbgrader": of})
        made.add_submission("week-1", "ada", timestamp=DUE + timedelta(hours=1))
        made.find_grade("partly", "one", "week-1", "ada").manual_score = 1.0
        made.find_grade("test_square", "one", "week-1", "ada").extra_credit = 0.5
        made.db.commit()
        stock.SaveAutoGrades().preprocess(notebook(), {"nbgrader": of})
        stock.AssignLatePenalties(config=ZERO).preprocess(notebook(), {"nbgrader": of})
        made.db.expire_all()
        yield made.find_submission_notebook("one", "week-1", "ada")


def test_marks_comments_and_penalty_are_nbgraders(book: Any) -> None:
    made = sheet()
    assert {
        grade.name: (grade.auto_score, grade.score, grade.needs_manual_grade, grade.max_score)
        for grade in book.grades
    } == {
        name: (mark.auto_score, mark.score, mark.needs_manual_grade, mark.max_score)
        for name, mark in made.marks.items()
    }
    assert {each.name: each.auto_comment for each in book.comments} == made.comments
    assert made.score == book.score == 3.5
    assert marks.penalty("ada", made.score, 3600.0, ZERO) == book.late_submission_penalty == 3.5


def test_an_answer_in_words_waits_and_a_blank_one_is_0_and_has_no_response() -> None:
    cells = notebook().cells
    cells[-1].source = "Because."
    written = marks.blank("one", original(), Known())
    marks.score(written, cells, {})
    for made, points, waits, said in (
        (sheet(Known()), 0, False, "No response."),
        (written, None, True, None),
    ):
        assert (made.marks["why"].auto_score, made.marks["why"].needs_manual_grade) == (
            points,
            waits,
        )
        assert made.comments["why"] == said


@pytest.mark.parametrize(
    ("handed_in", "extension", "late"),
    [
        (DUE + timedelta(hours=1), None, 3600.0),
        (DUE + timedelta(hours=1), timedelta(hours=2), 0.0),
        (DUE, None, 0.0),
        (None, None, 0.0),
    ],
)
def test_how_late_a_submission_is_knows_extensions(
    handed_in: datetime | None, extension: timedelta | None, late: float
) -> None:
    snapshot = Snapshot(assignment="week-1", duedate=DUE, notebooks={}, files={})
    assert marks.seconds_late(Known(timestamp=handed_in, extension=extension), snapshot) == late


@pytest.mark.parametrize(
    ("late", "config", "lost"), [(0.0, ZERO, None), (1.0, Config(), None), (1.0, ZERO, 5.0)]
)
def test_only_who_is_late_loses_and_only_where_the_plugin_takes(
    late: float, config: Config, lost: float | None
) -> None:
    assert marks.penalty("ada", 5.0, late, config) == lost


def test_a_penalty_takes_no_more_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = "nbgrader.plugins.LateSubmissionPlugin.late_submission_penalty"
    for asked, lost in ((9.0, 5.0), (-1.0, 0)):
        monkeypatch.setattr(plugin, lambda *given, asked=asked: asked)
        assert marks.penalty("ada", 5.0, 1.0, Config()) == lost


def test_what_a_person_read_is_the_same_below_another_list_of_what_was_mended() -> None:
    cells = notebook().cells
    notes = new_markdown_cell("**What was mended before grading**\n\n- It.", id="mended")
    for name in ("partly", "why"):
        assert digest_of_answer([notes, *cells], name) == digest_of_answer(cells, name) != ""
    cells[0].source += "\n# mine"
    assert digest_of_answer(cells, "partly") != digest_of_answer(notebook().cells, "partly")
    assert digest_of_answer(cells, "why") == digest_of_answer(notebook().cells, "why")
    assert digest_of_answer(cells, "nowhere") == ""
