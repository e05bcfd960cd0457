"""Answers that ignore the question earn almost no points; those with one error earn some."""

import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plaincourse.checking import memory
from plaincourse.checking.grader import grade, points
from plaincourse.exercise import Exercise, Question
from plaincourse.exercise.bank import chapter, load
from plaincourse.proving.lazy import LAZY, MOST, constant, words
from plaincourse.proving.shares import shares, table, undeclared
from tests.exercises.test_graders import CHAPTERS
from tests.exercises.test_stated import prompt

ROOT = Path(__file__).parents[2]
EXERCISES = [task for number in CHAPTERS for task in chapter(number) if isinstance(task, Exercise)]
SEVERAL = [
    task
    for number in CHAPTERS
    for task in chapter(number)
    if isinstance(task, Question) and isinstance(task.answer, tuple)
]
#: The least share that a chapter's median mistake keeps, and the most mistakes without points.
LEAST, NOTHING = 1 / 3, 1 / 2


@pytest.fixture(scope="module", autouse=True)
def inputs_drawn_once() -> Iterator[None]:
    """Draw the inputs of a task once for all answers to it."""
    with memory.kept():
        yield


def ways() -> Iterator[Any]:
    """Yield the lazy answers; those from the last array are slow, as most tasks have few arrays."""
    for name in LAZY:
        marks = (pytest.mark.slow,) if name.startswith("the last array") else ()
        yield pytest.param(name, marks=marks)


@pytest.mark.parametrize("lazy", list(ways()))
@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_a_lazy_answer_earns_next_to_nothing(task: Exercise, lazy: str) -> None:
    assert points(task, LAZY[lazy]) <= MOST * task.points


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_one_word_for_everything_earns_next_to_nothing(task: Exercise) -> None:
    for said in words(task):
        assert points(task, constant(said)) <= MOST * task.points


@pytest.mark.parametrize("task", SEVERAL, ids=lambda task: task.id)
def test_one_number_for_everything_earns_next_to_nothing(task: Question) -> None:
    section = prompt(task).rpartition(" minutes · ")[2].partition("```{code-cell}")[0]
    shown = re.sub(r"(?<=\d),(?=\d{3})", "", section)
    for number in {0.0, 1.0, *map(float, re.findall(r"\d+(?:\.\d+)?", shown))}:
        assert grade(task, (number,) * len(task.answer)).score <= MOST * task.points


@pytest.mark.parametrize("id", ["02.softmax_rows", "02.scores"])
def test_points_are_those_of_the_report(id: str) -> None:
    task = load(id)
    assert isinstance(task, Exercise)
    for answer in (task.reference, None, *(m.answer for m in task.misconceptions)):
        assert points(task, answer) == pytest.approx(grade(task, answer).score)


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted({task.id[:2] for task in EXERCISES}))
def test_a_mistake_costs_what_it_is_worth(number: str) -> None:
    chosen = [task for task in EXERCISES if task.id.startswith(number)]
    by_task = {task.id: [share for _, share in shares(task)] for task in chosen}
    assert statistics.median(share for each in by_task.values() for share in each) >= LEAST
    assert {
        name: each for name, each in by_task.items() if each.count(0) > NOTHING * len(each)
    } == {}


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_an_exercise_names_its_ideas(task: Exercise) -> None:
    assert list(undeclared(task)) == []


@pytest.mark.slow
def test_the_guide_shows_what_mistakes_keep() -> None:
    text, problems = table((number, chapter(number)) for number in CHAPTERS)
    assert problems == []
    page = (ROOT / "book" / "instructors.md").read_text("utf-8")
    assert f"<!-- begin shares -->\n{text}\n<!-- end shares -->" in page


ALWAYS = {
    "02.name_the_mistake": "right",
    "03.find_leak": True,
    "05.name_the_bug": "right",
    "08.find_fault": "none",
    "09.silences": True,
    "11.find_fault": "none",
    "12.fix_forward": "none",
    "13.find_fault": "none",
    "14.find_fault": "none",
    "15.find_fault": "none",
}


@pytest.mark.parametrize("id", ALWAYS)
def test_an_answer_that_says_the_same_of_every_box_is_told_so(id: str) -> None:
    task = load(id)
    assert isinstance(task, Exercise)
    report = grade(task, lambda *inputs, **named: ALWAYS[id])
    assert report.matched in ("always-right", "always-true", "always-fine", "always-none")
    assert not report.instead, "feedback says it too"
