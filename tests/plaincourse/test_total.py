"""The last cell of a graded notebook adds up what its checks gave."""

import pytest

from plaincourse import check, total, totals
from plaincourse.bank import load
from plaincourse.check import LATER
from plaincourse.exercise import Essay, Exercise, Question


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "_last", {})


def said(capsys: pytest.CaptureFixture[str]) -> str:
    total("02")
    return capsys.readouterr().out


def test_the_last_check_of_each_task_counts(capsys: pytest.CaptureFixture[str]) -> None:
    scores, shape = load("02.scores"), load("02.output_shape")
    assert isinstance(scores, Exercise)
    assert isinstance(shape, Question)
    check(scores, scores.misconceptions[0].answer)
    check(scores, scores.reference, seed=5)
    check(scores, scores.alternatives[0].answer)
    check(shape, (1, 2, 3, 4, 5, 6))
    check(shape, shape.answer)
    told = said(capsys)
    assert f"Type {scores.points + shape.points:g} into the gate of chapter 02" in told
    check(shape, shape.misconceptions[0].answer)
    assert f"Type {scores.points:g} into the gate" in said(capsys)


def test_what_was_not_checked_is_said_and_counts_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = said(capsys)
    assert "Type 0 into the gate" in told
    assert told.count("unchecked") == 7
    assert "run all cells first" in told


def test_the_answer_in_words_is_for_its_reader(capsys: pytest.CaptureFixture[str]) -> None:
    essay = load("02.why_root_d")
    assert isinstance(essay, Essay)
    assert f"by its rubric, at most {essay.points:g}." in said(capsys)


def test_nothing_is_said_while_a_notebook_is_graded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LATER, "1")
    assert said(capsys) == ""


def test_a_chapter_without_tasks_is_an_error() -> None:
    with pytest.raises(LookupError, match="no graded tasks"):
        total("98")
