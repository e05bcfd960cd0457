"""Every small change to a right answer costs points, or has a reason why it is not a mistake.

Three changes of different kinds are graded here for each task of every third chapter; the slow
tests grade those of the other chapters, and all changes.
"""

import functools
from pathlib import Path

import nbformat
import pytest

from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import chapter
from plaincourse.proving.mutants import Proof, prove

SOLUTIONS = Path(__file__).parents[2] / "solutions"
# A measured project has no right answer to change.
NAMES = sorted(
    folder.name
    for folder in SOLUTIONS.iterdir()
    if folder.is_dir() and any(isinstance(task, Exercise) for task in chapter(folder.name[:2]))
)


SOME = [
    pytest.param((name, True), id=name, marks=() if i % 3 == 1 else pytest.mark.slow)
    for i, name in enumerate(NAMES)
]
ALL = [pytest.param((name, False), id=f"{name}-all", marks=pytest.mark.slow) for name in NAMES]


@functools.cache
def proofs(name: str, sample: bool) -> list[Proof]:
    solution = nbformat.read(SOLUTIONS / name / f"{name}.ipynb", as_version=4)
    return prove(solution, sample=sample)


@pytest.mark.parametrize("asked", [*SOME, *ALL])
def test_every_change_costs_points_or_is_declared_no_mistake(asked: tuple[str, bool]) -> None:
    assert [problem for proof in proofs(*asked) for problem in proof.problems()] == []


@pytest.mark.parametrize("asked", SOME)
def test_every_exercise_is_changed_in_many_ways(asked: tuple[str, bool]) -> None:
    for proof in (each for each in proofs(*asked) if isinstance(each.task, Exercise)):
        changes = [*(each.mutant for each in proof.results), *proof.left_out]
        operators = {change.operator for change in changes}
        assert len(changes) >= 10, proof.task.id
        assert len(operators) >= 5, (proof.task.id, operators)


@pytest.mark.parametrize("asked", ALL)
def test_most_changes_are_answered_and_most_answers_are_wrong(asked: tuple[str, bool]) -> None:
    results = [each for proof in proofs(*asked) for each in proof.results]
    fates = [each.fate for each in results]
    assert fates.count("killed") > 0.9 * len(fates)
    assert fates.count("no answer") < 0.05 * len(fates)
