"""Every grader of the course distinguishes right from wrong, on visible and hidden inputs."""

from pathlib import Path
from typing import Any

import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise, Project, Question, Task
from plaincourse.exercise.bank import chapter, counted, load
from plaincourse.proving.validate import validate

SOLUTIONS = Path(__file__).parents[2] / "solutions"
CHAPTERS = sorted(folder.name[:2] for folder in SOLUTIONS.iterdir() if folder.is_dir())
TASKS = [task for number in CHAPTERS for task in chapter(number)]
#: Chapters whose work is measured, so there is no right answer to try.
PROJECTS = {task.id[:2] for task in TASKS if isinstance(task, Project)}


#: All variants of all mistakes take four fifths of the time: the slow tests try them.
ALL = [pytest.param(seed, True, marks=pytest.mark.slow) for seed in (11, 86028157)]
#: Tasks whose mistakes take longest: their hidden inputs are left to the slow tests, too.
LONG = {"05.name_the_bug", "12.fix_forward", "12.flash_forward"}


@pytest.mark.parametrize(("seed", "all_variants"), [(11, False), *ALL])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_right_earns_all_wrong_is_named_and_the_stub_earns_nothing(
    task: Task, seed: int, all_variants: bool
) -> None:
    tried = None if task.id in LONG and not all_variants else seed
    assert validate(task, seed=tried, anew=seed != 11, variants=all_variants) == []


# Tasks whose mistakes are tried in other styles: one per chapter always, all in the slow tests.
FIRST = {
    number: next((task.id for task in chapter(number) if isinstance(task, Exercise)), "")
    for number in CHAPTERS
}
STYLED = [
    pytest.param(task, marks=() if FIRST[task.id[:2]] == task.id else pytest.mark.slow)
    for task in TASKS
    if isinstance(task, Exercise)
]


@pytest.mark.parametrize("task", STYLED, ids=lambda task: task.id)
def test_a_mistake_is_named_however_it_is_written(task: Exercise) -> None:
    assert validate(task, styles=True) == []


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_chapter_has_five_to_eight_tasks_of_every_kind(number: str) -> None:
    tasks = chapter(number)
    if number in PROJECTS:
        assert [type(task).__name__ for task in tasks] == ["Project", "Essay"]
        return
    kinds = [type(task).__name__ for task in tasks]
    core = counted(number)
    assert 5 <= len(core) <= 8
    assert len(tasks) <= 9
    assert set(kinds) == {"Exercise", "Question", "Essay"}
    assert core[0].level == "warm-up"
    assert "hard" in [task.level for task in core if isinstance(task, Exercise)]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_says_what_it_practises_and_how_long_it_takes(task: Task) -> None:
    assert task.concepts
    assert task.points > 0
    assert 1 <= task.minutes <= (180 if task.id[:2] in PROJECTS else 40)


@pytest.mark.parametrize(
    "task", [t for t in TASKS if isinstance(t, (Exercise, Question))], ids=lambda task: task.id
)
def test_hint_ladders_have_steps(task: Exercise | Question) -> None:
    least = 2 if isinstance(task, Exercise) else 1
    assert len(task.hints) >= least
    assert all(len(each.hints) >= least for each in task.misconceptions)


def turned(value: Any) -> Any:
    """Reverse the order of every dict in an answer."""
    if isinstance(value, dict):
        return {key: value[key] for key in reversed(value)}
    return tuple(map(turned, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    ("task", "mistake"),
    [("16.shared_prefixes", "freed-for-all"), ("16.scheduler", "in-order-of-arrival")],
)
def test_the_order_of_a_dict_hides_no_mistake(task: str, mistake: str) -> None:
    exercise = load(task)
    assert isinstance(exercise, Exercise)
    wrong = next(each for each in exercise.misconceptions if each.name == mistake)
    report = grade(exercise, lambda *args, **named: turned(wrong.answer(*args, **named)))
    assert report.matched == mistake


def test_a_name_that_chance_decides_is_told_from_one_that_does_not() -> None:
    exercise = load("14.find_fault")
    assert isinstance(exercise, Exercise)
    sampler = {"box": exercise.rungs[4].draw(torch.Generator())[0]["box"]}  # a correct one

    def by_31_draws(box: Any) -> str:
        tokens = box(torch.full((2, 2), 0.5), torch.full((1, 2), 0.5), 31)[:, 0]
        return "from p" if tokens.sum() % 2 else "none"

    for answer, decided in ((by_31_draws, True), (lambda box: "from p", False)):
        said = exercise.rungs[5].law(sampler, exercise.call(answer, sampler))  # type: ignore[misc]
        assert said is not None
        assert ("chance decides" in said) is decided


def test_what_follows_from_an_own_base_is_right_in_float32_too() -> None:
    exercise = load("15.ntk_base")
    assert isinstance(exercise, Exercise)
    wrong = next(e.answer for e in exercise.misconceptions if e.name == "factor-times-base")

    def in_float32(**inputs: Any) -> Any:
        base, divisors = wrong(**inputs)
        return base, divisors.float()

    assert grade(exercise, in_float32).score == grade(exercise, wrong).score > 0
