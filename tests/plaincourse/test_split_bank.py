"""Every task of the course gives the same report through a proxy as in one process.

Every thirty-second known answer to every third task is tried here; those to the other tasks, and
all answers, are tried in the slow tests.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise, Question
from plaincourse.exercise.bank import chapter
from plaincourse.exercise.report import Report
from plaincourse.judge.session import Session
from plaincourse.proving.damage import BROKEN
from tests.plaincourse.split_students import student

NUMBERS = sorted(folder.name[:2] for folder in (Path(__file__).parents[2] / "solutions").iterdir())
TASKS = [t for n in NUMBERS for t in chapter(n) if isinstance(t, (Exercise, Question))]
EXERCISES = [task for task in TASKS if isinstance(task, Exercise)]
FIRST = list({task.id[:2]: task for task in reversed(EXERCISES)}.values())  # one per chapter
ENDLESS = "an endless loop in the function"


def untouched(*args: object, **kwargs: object) -> None:
    raise NotImplementedError


def answers(task: Exercise | Question) -> dict[str, Any]:
    """Return every known answer to a task by description."""
    if isinstance(task, Question):
        found = {"right": task.answer, "none": None, "nonsense": [1, 2, 3]}
    else:
        found = {"right": task.reference, "stub": untouched, "nothing": ..., "number": 3}
    for kind in ("misconceptions", "alternatives"):
        found |= {f"{kind}: {each.name}": each.answer for each in getattr(task, kind)}
    return found


EVERY = {f"{task.id} {name}": answer for task in TASKS for name, answer in answers(task).items()}


def broken() -> dict[str, Any]:
    """Return the objects that the broken answers define, if any."""
    found = {}
    for what, (source, _) in BROKEN.items():
        namespace: dict[str, Any] = {"__name__": "__main__"}
        if source.startswith("def {name}(*"):
            exec(source.format(name="answer"), namespace)
            found[what] = namespace["answer"]
    return found


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A single student's process that has every answer."""
    with student(**EVERY, **broken()) as given:
        yield given


def same(here: Report, there: Report) -> None:
    assert there.text() == here.text()
    assert there._repr_html_() == here._repr_html_()
    assert (there.score, there.matched, there.hints) == (here.score, here.matched, here.hints)


def some(task: Exercise | Question, *, step: int) -> dict[str, Any]:
    """Return the right answer, the non-answers, and every ``step``-th other known answer."""
    found = answers(task)
    known = [name for name in found if ": " in name]
    left_out = set(known) - set(known[::step])
    return {name: answer for name, answer in found.items() if name not in left_out}


@pytest.mark.parametrize(
    ("task", "step"),
    [
        pytest.param(task, step, id=f"{task.id}-{name}", marks=() if often else pytest.mark.slow)
        for i, task in enumerate(TASKS)
        for step, name, often in ((32, "some", i % 3 == 0), (1, "all", False))
    ],
)
def test_every_known_answer_gets_the_report_that_it_gets_in_one_process(
    session: Session, task: Exercise | Question, step: int
) -> None:
    patient = replace(task, seconds=60.0) if isinstance(task, Exercise) else task
    with memory.kept():  # the same inputs for all
        for name, answer in some(task, step=step).items():
            proxy = session.names([f"{task.id} {name}"])[f"{task.id} {name}"]
            same(grade(patient, answer, seed=11), grade(patient, proxy, seed=11))
            session.settle()


@pytest.mark.parametrize("task", [t for t in EXERCISES if t.forbid], ids=lambda task: task.id)
def test_every_reference_earns_all_points_through_a_proxy(session: Session, task: Exercise) -> None:
    allowed = replace(task, forbid=())  # it uses forbidden functions itself
    proxy = session.names([f"{task.id} right"])[f"{task.id} right"]
    assert grade(allowed, proxy, seed=11).score == task.points


@pytest.mark.parametrize("what", sorted(broken().keys() - {ENDLESS}))
@pytest.mark.parametrize("task", FIRST, ids=lambda task: task.id)
def test_every_broken_answer_gets_the_report_that_it_gets_in_one_process(
    session: Session, task: Exercise, what: str
) -> None:
    same(grade(task, broken()[what]), grade(task, session.names([what])[what]))


def test_an_endless_answer_gets_the_report_that_it_gets_in_one_process(session: Session) -> None:
    brief = replace(EXERCISES[0], seconds=1.0)
    proxy = session.names([ENDLESS])[ENDLESS]
    same(grade(brief, broken()[ENDLESS]), grade(brief, proxy))
    session.settle()
