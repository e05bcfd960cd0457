"""Errors in a task's data are detected and named."""

import math
from dataclasses import replace

import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.exercise import Alternative, Essay
from plaincourse.proving.prove import main, table
from plaincourse.proving.validate import validate
from tests.plaincourse.tasks import CHOICE, TASK, doubled, draw, shift, wrong


def endless(x, by):
    raise KeyError("never")


def with_mistake(answer, name="new"):
    return replace(TASK, misconceptions=(*TASK.misconceptions, wrong(name, answer)))


FAULTS = {
    "a right answer listed as wrong": (with_mistake(shift), "'new' earns all points"),
    "two mistakes that do the same": (
        with_mistake(lambda x, by: doubled(x, by)),
        "misconception 'new' is taken for 'doubled'",
    ),
    "a name used twice": (with_mistake(endless, "doubled"), "2 of its misconceptions are called"),
    "a wrong answer listed as right": (
        replace(TASK, alternatives=(*TASK.alternatives, Alternative(name="bad", answer=doubled))),
        "alternative 'bad' earns 0 of 3",
    ),
    "a law that the reference breaks": (
        replace(TASK, rungs=(replace(TASK.rungs[0], law=lambda i, o: "never holds"),)),
        "the reference fails 'one number': never holds",
    ),
    "too few mistakes": (replace(TASK, misconceptions=TASK.misconceptions[:5]), "5 misconceptions"),
    "too few right answers": (replace(TASK, alternatives=()), "0 alternatives; at least 2"),
    "no hints": (replace(TASK, hints=()), "no general hints"),
    "draws that hide a mistake": (
        replace(TASK, rungs=(replace(TASK.rungs[0], draw=lambda g: draw(g, (1, 1))),)),
        "misconception 'to columns' earns all points",
    ),
    "a mistake that uses a forbidden name": (
        replace(TASK, forbid=("reshape",)),
        "misconception 'flat' uses 'reshape', which is forbidden",
    ),
    "a variant that is another mistake": (
        replace(
            TASK,
            misconceptions=(
                *TASK.misconceptions[:-1],
                replace(TASK.misconceptions[-1], variants=(TASK.misconceptions[0].answer,)),
            ),
        ),
        f"a variant of {TASK.misconceptions[-1].name!r} is taken for "
        f"{TASK.misconceptions[0].name!r}",
    ),
    "an option that nobody explains": (
        replace(CHOICE, misconceptions=CHOICE.misconceptions[:1]),
        "option C has no misconception",
    ),
    "a right option listed as wrong": (
        replace(CHOICE, misconceptions=(*CHOICE.misconceptions, wrong("right", "b"))),
        "'b' earns 2 and is taken for None",
    ),
    "an essay without a rubric": (
        Essay(id="99.e", title="", level="easy", minutes=1, concepts=(), rubric=()),
        "the rubric is empty",
    ),
}


@pytest.mark.parametrize("task", [TASK, CHOICE], ids=lambda task: task.id)
@pytest.mark.parametrize("seed", [None, 5])
def test_a_sound_task_has_no_problems(task, seed):
    assert validate(task, seed=seed) == []


@pytest.mark.parametrize(("task", "problem"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named(task, problem):
    assert any(problem in each for each in validate(task)), validate(task)


def test_a_mistake_that_is_not_named_in_another_style_is_a_problem():
    task = with_mistake(lambda x, by: torch.where(x > 0, shift(x, by), -math.inf))
    problem = "misconception 'new' with -1e9 for -∞ is taken for None"
    assert any(problem in each for each in validate(task, styles=True))


def test_the_table_shows_what_each_known_answer_scores():
    lines = table(TASK).splitlines()
    assert lines[0] == "99.shift  3 points"
    assert "   3.00  alternative   row by row" in lines
    assert "   1.00  misconception to columns" in lines
    assert len(lines) == 1 + 2 + 6


def test_the_command_proves_one_task(capsys):
    assert main(["02", "--task", "output_shape"]) == 0
    out = capsys.readouterr().out
    assert "02.output_shape" in out
    assert "02.scores" not in out
    assert "all graders hold" in out


@pytest.mark.parametrize("wrong", ["02.scores", "99", "two"])
def test_the_command_says_what_is_no_chapter(wrong, capsys):
    with pytest.raises(SystemExit):
        main([wrong])
    assert f"chapter {wrong!r} has no graded tasks" in capsys.readouterr().err


def test_a_variant_is_called_by_the_name_of_its_mistake():
    def other(x, by):
        return 3 * shift(x, by)

    first, *others = TASK.misconceptions
    task = replace(TASK, misconceptions=(*others, replace(first, variants=(other,))))
    assert grade(TASK, other).matched is None
    assert grade(task, other).matched == first.name
