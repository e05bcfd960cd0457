"""A judge draws once and asks once in a cell; everybody else computes anew."""

import pytest

from plaincourse import memory, trials
from plaincourse.bank import load
from plaincourse.grader import grade


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_keeps", False)
    monkeypatch.setattr(memory, "_drawn", {})
    monkeypatch.setattr(memory, "_answered", {})
    memory.keep()


def counted(answer):
    def asked(*args, **kwargs):
        asked.times += 1
        return answer(*args, **kwargs)

    asked.times = 0
    return asked


def test_without_a_judge_nothing_is_kept():
    task = load("02.scores")
    first, second = trials.draw(task, 5), trials.draw(task, 5)
    assert not {id(trial) for trial in first} & {id(trial) for trial in second}
    answer = counted(task.alternatives[0].answer)
    assert grade(task, answer).text() == grade(task, answer).text()
    assert answer.times == 2 * len(trials.draw(task, None))


@pytest.mark.usefixtures("judge")
def test_a_judge_draws_once_and_asks_once_in_a_cell():
    task = load("02.scores")
    first, second = trials.draw(task, 5), trials.draw(task, 5)
    assert [id(trial) for trial in first] == [id(trial) for trial in second]
    answer = counted(task.alternatives[0].answer)
    assert grade(task, answer).score == grade(task, answer, seed=5).score == task.points
    assert answer.times == len(first)
    memory.forget()
    grade(task, answer)
    assert answer.times > len(first)


@pytest.mark.usefixtures("judge")
def test_what_is_kept_changes_no_report():
    task = load("02.scores")
    trials.warm(task, 5)
    for known in (*task.misconceptions, *task.alternatives):
        kept = grade(task, known.answer, seed=5).text()
        memory.forget()
        memory._keeps = False
        assert grade(task, known.answer, seed=5).text() == kept
        memory._keeps = True


@pytest.mark.usefixtures("judge")
def test_an_exercise_that_may_compute_gradients_is_not_warmed():
    trials.warm(load("02.SelfAttention"), 5)
    assert memory._drawn == {}
    trials.warm(load("02.scores"), 5)
    assert memory._drawn
