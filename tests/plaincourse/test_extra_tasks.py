"""Extra tasks are checked and have hints, but no points, minutes or effect on the gate.

The release, grading and feedback of one are tested in ``test_another_course``.
"""

import importlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.utils import determine_grade

from exercise_bank.ch02 import output_shape
from plaincourse import check, settings
from plaincourse.classroom.measures import figures
from plaincourse.classroom.model import Classroom, Item, Mark, Student, Work
from plaincourse.exercise import bank, totals
from plaincourse.exercise.hints import next_hint
from plaincourse.exercise.report import EXTRA
from plaincourse.feedback.page import Points
from plaincourse.grading.nbgrader_parts import CountOutputs
from plaincourse.notebooks import rules
from plaincourse.notebooks.plain import _Words
from plaincourse.notebooks.references import References
from plaincourse.proving.submissions import Class, graded
from tests.house.tree import ROOT
from tests.plaincourse.tasks import NUMBER, PAIR, TASK

FURTHER = "## Further tasks (no points)\n\n### A task\n\n**No points · 5 minutes · easy**"
USUAL = "## 1. A task\n\n**2 points · 5 minutes · easy**"


@pytest.fixture
def extra(monkeypatch: pytest.MonkeyPatch) -> float:
    """Turn a question of chapter 02 into an extra task; return its points."""
    monkeypatch.setattr(totals, "_last", {})
    task = output_shape.TASK
    monkeypatch.setattr(output_shape, "TASK", replace(task, extra=True))
    return task.points


def test_an_extra_task_is_in_its_chapter_and_does_not_count(extra: float) -> None:
    every, counted = bank.chapter("02"), bank.counted("02")
    assert {task.id for task in every if task not in counted} == {
        "02.output_shape",
        "02.scores",
        "02.SelfAttention",
    }


def test_the_total_leaves_it_out(extra: float) -> None:
    check("02.output_shape", output_shape.TASK.answer)
    total = totals.add_up("02")
    assert total.code == totals.code("02", 0)
    assert f"Chapter 02: 0 of the {23 - extra:g} points" in total.said
    assert output_shape.TASK.title not in total.said


def test_the_gate_of_the_site_leaves_it_out(extra: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "book/_ext"))
    component: Any = importlib.import_module("component").Component
    page = SimpleNamespace(tasks=lambda chapter: component.tasks(page, chapter))
    assert component.points(page, "02") == 28 - extra


def test_the_gate_of_the_notebook_leaves_it_out(extra: float) -> None:
    words = _Words("02-scaled-dot-product-attention", References(ROOT, settings.load(ROOT)))
    assert f"of the {28 - extra:g} points of the graded notebook" in words.gate("02")


def test_its_check_says_in_the_notebook_that_it_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(totals, "_last", {})
    for task in (TASK, NUMBER):
        usual = check(task, ...)
        assert EXTRA not in usual.text() + usual._repr_html_()
        report = check(replace(task, extra=True), ...)
        assert EXTRA in report.text()
        assert EXTRA in report._repr_html_()


def test_it_is_checked_and_hinted_like_all_others() -> None:
    task = replace(TASK, extra=True)
    report = check(task, TASK.misconceptions[0].answer)
    assert report.diagnosis[0] == TASK.misconceptions[0].says
    assert next_hint(task) == f"Hint 1 of 3: {TASK.misconceptions[0].hints[0]}"
    assert check(task, TASK.reference).score == TASK.points


def cell(report: Any, worth: float) -> NotebookNode:
    data = {"text/plain": repr(report), "text/html": report._repr_html_()}
    made = new_code_cell('check("99.pair", pair)')
    made.outputs = [new_output("execute_result", data=data)]
    meta = {"grade": True, "solution": False, "points": worth, "grade_id": "pair"}
    made.metadata["nbgrader"] = meta
    return made


@pytest.mark.parametrize(
    ("worth", "score", "heading"),
    [(0, 0, "no points"), (2, 1, "1 of 2 points"), (4, 2, "2 of 4 points")],
)
def test_the_released_cell_decides_about_the_points(
    worth: float, score: float, heading: str
) -> None:
    """A class whose release has points for the task keeps them."""
    report = check(replace(PAIR, extra=True), (2, 2))
    assert report.score == 1
    made, _ = CountOutputs().preprocess_cell(cell(report, worth), {}, 0)
    assert determine_grade(made) == (score, worth)
    html = made.outputs[0].data["text/html"]
    assert f"{heading}</h4>" in html
    assert EXTRA not in html
    assert ("Its check met requirements worth 1 of 2." in html) == (not worth)


def notebook(*tasks: tuple[str, float]) -> NotebookNode:
    cells = [new_markdown_cell("# Tasks")]
    for number, (prompt, worth) in enumerate(tasks):
        test = new_code_cell("check()")
        role = {"grade_id": f"t{number}", "grade": True, "solution": False, "points": worth}
        test.metadata["nbgrader"] = role
        cells += [new_markdown_cell(prompt), test]
    return new_notebook(cells=cells)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([(USUAL, 2), (FURTHER, 0)], []),
        ([(USUAL, 2), (FURTHER, 0), ("### B\n\n**No points · 1 minutes · easy**", 0)], []),
        ([(USUAL, 2), (FURTHER, 2)], ["t1 is worth 2 points, and the text above says 0"]),
        ([(USUAL, 2), (USUAL, 0)], ["t1 is worth 0 points, and the text above says 2"]),
        ([(USUAL, 2), ("**No points**", 0)], ["t1 gives 0 points and needs to be below the last"]),
        ([(FURTHER, 0), (USUAL, 2)], ["t1 gives 2 points and is below the last heading"]),
        ([("**No points**", 0)], []),
    ],
)
def test_further_tasks_have_the_last_heading_and_no_points(
    tasks: list[tuple[str, float]], said: list[str]
) -> None:
    found = rules.misleading(notebook(*tasks))
    assert all(any(each in what for what in found) for each in said)
    assert bool(found) == bool(said)


def solution(points: float) -> NotebookNode:
    source = 'check("02.output_shape", answer)\ncheck("02.output_shape", answer, seed=5)'
    test = new_code_cell(source)
    test.metadata["nbgrader"] = {"grade": True, "points": points, "grade_id": "output_shape"}
    answer = new_code_cell("answer = (1,)")
    answer.metadata["nbgrader"] = {"solution": True, "grade_id": "output_shape-answer"}
    return new_notebook(cells=[answer, test])


def test_its_cell_is_worth_nothing_and_so_is_every_answer(extra: float) -> None:
    with pytest.raises(ValueError, match=r"is worth 2.0 points, its task 02.output_shape 0"):
        graded(solution(extra))
    students = Class(solution(0), solution(0))
    submissions = list(students.honest(2))
    assert len(submissions) > 3
    assert all(each.scores == {"output_shape": 0} for each in submissions)
    assert any(each.says["output_shape"] for each in submissions[2:])


def test_feedback_says_that_there_are_no_points() -> None:
    made = Points(id="a", title="A", earned=0.0, points=0.0, waits=False)
    assert (made.words, made.grade) == ("no points", "extra")
    usual = Points(id="a", title="A", earned=0.0, points=2.0, waits=False)
    assert (usual.words, usual.grade) == ("0 of 2 points", "none")


@pytest.mark.parametrize(("earned", "kind"), [(0.0, "none"), (1.0, "partial"), (2.0, "full")])
def test_the_class_report_counts_its_answers_by_their_requirements(
    earned: float, kind: str
) -> None:
    key = ("one", "extra")
    mark = Mark(score=0.0, points=0.0, rungs=(("a", min(earned, 1), 1.0), ("b", earned > 1, 1.0)))
    work = Work(student=Student(id="ada"), marks={key: mark})
    room = Classroom(assignment="week-1", items=(Item(key=key, points=0.0),), works=(work,))
    (found,) = figures(room)
    assert (found.none, found.partial, found.full) == tuple(
        int(kind == each) for each in ("none", "partial", "full")
    )
    assert found.share is None
