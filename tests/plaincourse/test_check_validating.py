"""nbgrader's *Validate* reports the errors in each task in words for students."""

import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.validator import Validator
from traitlets.config import Config

from plaincourse import check
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import VALIDATING
from plaincourse.kernels import manager
from plaincourse.proving.submissions import Class, grade_id, known
from tests.plaincourse.tasks import CHOICE, TASK, shift, to_columns

ROOT = Path(__file__).parents[2]
NAME = "02-scaled-dot-product-attention"
WRONG = load("02.scores")
assert isinstance(WRONG, Exercise)


@pytest.fixture(scope="module", params=["python3", manager.NAME])
def told(request, tmp_path_factory):
    """Validate's messages on a right, a wrong and two unchanged answers, by the checked name."""
    if request.param != "python3" and sys.platform != "linux":
        pytest.skip("the sandbox is Linux's")
    manager.announce()
    steps = [ROOT / step / NAME / f"{NAME}.ipynb" for step in ("solutions", "exercises")]
    students = Class(*(nbformat.read(path, as_version=4) for path in steps))
    answers = {
        "scores": ("misconceptions", 0),
        "softmax_rows": ("alternatives", 0),
        "attention": None,
        "output_shape": None,
    }
    sources = {
        f"{each.cell}-answer": known(each, *answers[each.cell])
        for each in students.graded
        if answers.get(each.cell)
    }
    kept = []
    for cell in students.release.cells:
        name = grade_id(cell)
        cell.source = sources.get(name, cell.source)
        if name.removesuffix("-answer") in answers or cell.source.startswith("import math"):
            kept.append(cell)
    students.release.cells = kept
    path = tmp_path_factory.mktemp("work") / f"{NAME}.ipynb"
    nbformat.write(students.release, path)
    config = Config()
    config.Execute.kernel_name = request.param
    result = Validator(config=config).validate(str(path))
    assert set(result) == {"failed"}
    return {each["source"]: each["raw_error"].strip() for each in result["failed"]}


def test_an_untouched_task_is_not_answered_yet_and_nothing_else(told):
    for source in ('check("02.attention", attention)',
                   'check("02.output_shape", answer_output_shape)'):  # fmt: skip
        assert told.pop(source) == "Not answered yet."


def test_a_wrong_answer_is_told_its_points_and_what_is_wrong(told):
    error = " ".join(told['check("02.scores", scores)'].split())
    assert WRONG.misconceptions[0].says in error
    assert f"of {WRONG.points:g} points." in error
    assert "Partial credit" not in error


def test_a_right_answer_is_not_listed(told):
    assert 'check("02.softmax_rows", softmax_rows)' not in told


def test_a_line_fits_into_the_width_that_nbgrader_shows(monkeypatch, capsys):
    monkeypatch.setenv(VALIDATING, "1")
    check(TASK, to_columns)
    check("02.scores", WRONG.misconceptions[0].answer)
    lines = capsys.readouterr().err.splitlines()
    shown = Validator()._indent("\n".join(lines)).splitlines()
    assert len(lines) > 3
    assert not [line for line in shown if line.endswith("...")]


def test_who_earns_all_is_told_nothing(monkeypatch, capsys):
    monkeypatch.setenv(VALIDATING, "1")
    check(TASK, shift)
    assert capsys.readouterr().err == ""


def test_elsewhere_nothing_is_written_which_nbgrader_would_take_for_a_failure(monkeypatch, capsys):
    monkeypatch.delenv(VALIDATING, raising=False)
    check(TASK, to_columns)
    check(CHOICE, ...)
    assert capsys.readouterr() == ("", "")
