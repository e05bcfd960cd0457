"""A pair of mistakes in one answer is never named as a third, and mostly as one of the two."""

import pytest

from plaincourse.checking import memory
from plaincourse.checking.diagnose import Finding
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.proving.pairs import pairs
from tests.exercises.test_lazy_answers import EXERCISES

ALWAYS = {"02.scores", "03.padding_mask"}
EACH = [
    pytest.param(task, marks=() if task.id in ALWAYS else pytest.mark.slow, id=task.id)
    for task in EXERCISES
]


@pytest.mark.parametrize("task", EACH)
def test_no_pair_is_taken_for_a_third_mistake(task: Exercise) -> None:
    with memory.kept():
        found = list(pairs(task))
    assert [each for each in found if each.third] == []
    if task.id in ALWAYS:
        assert sum(each.named is not None for each in found) > 0.75 * len(found) > 0


def test_a_name_that_explains_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load("02.scores")
    assert isinstance(task, Exercise)
    guess = Finding(misconception=task.misconceptions[0])
    monkeypatch.setattr("plaincourse.proving.pairs.match", lambda *given: guess)
    assert any(each.third for each in pairs(task))
