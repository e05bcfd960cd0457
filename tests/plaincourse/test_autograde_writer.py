"""The single writer keeps manual entries, and writes a batch completely or not at all."""

import tempfile
import warnings
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import Job, Known, Result

_CELLS = ("test", "essay")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The address of a gradebook with one assignment of one notebook."""
    (tmp_path / "gradebook.db").write_bytes(_gradebook())
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


@cache
def _gradebook() -> bytes:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbgrader.api.get_alembic_version", lambda: "0")
        _make(f"sqlite:///{folder}/gradebook.db")
        return Path(folder, "gradebook.db").read_bytes()


def _make(address: str) -> None:
    with Gradebook(address) as book:
        book.add_assignment("week-1", duedate=datetime(2020, 1, 1))
        book.add_notebook("one", "week-1")
        book.add_grade_cell("test", "one", "week-1", max_score=2, cell_type="code")
        book.add_grade_cell("essay", "one", "week-1", max_score=4, cell_type="markdown")
        book.add_solution_cell("answer", "one", "week-1")


def pair(student: str, **changed: Any) -> tuple[Result, Job]:
    fields: dict[str, Any] = {
        "grades": {("one", "test"): 2.0, ("one", "essay"): None},
        "manual": {("one", "essay")},
        "comments": {("one", "answer"): None},
        "penalties": {"one": None},
    }
    known = changed.pop("known", Known())
    job = Job(student=student, assignment="week-1", folder=Path(), digest="d", known=known)
    return Result(student=student, assignment="week-1", digest="d", **{**fields, **changed}), job


def write(url: str, *pairs: tuple[Result, Job]) -> None:
    writer = Writer(url, course_id="default_course", assignment="week-1")
    try:
        writer.write(pairs)
    finally:
        writer.close()


def test_a_submission_gets_a_row_for_every_cell(url: str) -> None:
    write(url, pair("ada", known=Known(timestamp=datetime(2029, 5, 4))))
    with Gradebook(url) as book:
        submission = book.find_submission("week-1", "ada")
        assert submission.timestamp == datetime(2029, 5, 4)
        (sheet,) = submission.notebooks
        assert {grade.name for grade in sheet.grades} == set(_CELLS)
        assert [comment.name for comment in sheet.comments] == ["answer"]
        assert sheet.score == 2
        assert submission.needs_manual_grade


def test_what_a_person_entered_survives(url: str) -> None:
    write(url, pair("ada"))
    with Gradebook(url) as book:
        book.find_grade("essay", "one", "week-1", "ada").manual_score = 3
        book.find_grade("test", "one", "week-1", "ada").extra_credit = 0.5
        book.find_comment("answer", "one", "week-1", "ada").manual_comment = "Good."
        book.find_submission("week-1", "ada").extension = timedelta(days=1)
        book.db.commit()
    writer = Writer(url, course_id="default_course", assignment="week-1")
    known = writer.known()["ada"]
    writer.close()
    assert known.manual == {("one", "essay"): 3}
    assert known.extra == {("one", "test"): 0.5}
    assert known.extension == timedelta(days=1)
    write(url, pair("ada", grades={("one", "test"): 0.0}, comments={("one", "answer"): "No."}))
    with Gradebook(url) as book:
        essay = book.find_grade("essay", "one", "week-1", "ada")
        assert (essay.manual_score, essay.needs_manual_grade) == (3, True)
        test = book.find_grade("test", "one", "week-1", "ada")
        assert (test.auto_score, test.extra_credit, test.score) == (0, 0.5, 0.5)
        comment = book.find_comment("answer", "one", "week-1", "ada")
        assert (comment.auto_comment, comment.comment) == ("No.", "Good.")


def test_a_penalty_is_set_and_taken_back(url: str) -> None:
    for penalty in (1.5, None):
        write(url, pair("ada", penalties={"one": penalty}))
        with Gradebook(url) as book:
            sheet = book.find_submission_notebook("one", "week-1", "ada")
            assert sheet.late_submission_penalty == penalty


def test_a_batch_is_written_whole_or_not_at_all(url: str) -> None:
    broken = pair("bob", grades={("one", "test"): object()})
    with pytest.raises(TypeError, match="float"):
        write(url, pair("ada"), broken)
    with Gradebook(url) as book:
        assert book.students == []


def test_a_cell_that_the_assignment_got_later_gets_its_row(url: str) -> None:
    write(url, pair("ada"))
    with Gradebook(url) as book:
        book.add_grade_cell("new", "one", "week-1", max_score=1, cell_type="code")
    write(url, pair("ada", grades={("one", "new"): 1.0}, manual=set()))
    with Gradebook(url) as book:
        assert book.find_grade("new", "one", "week-1", "ada").auto_score == 1


def test_two_hundred_submissions_need_few_statements_each(url: str) -> None:
    from sqlalchemy import event

    writer = Writer(url, course_id="default_course", assignment="week-1")
    seen: list[str] = []
    event.listen(writer._book.engine, "before_cursor_execute", lambda *a: seen.append(a[2]))
    with warnings.catch_warnings(action="error"):
        writer.write([pair(f"s{number}") for number in range(200)])
    writer.close()
    assert len(seen) <= 9 * 200
