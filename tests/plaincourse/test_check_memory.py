"""A judge draws inputs and calls answers once per cell; other callers always recompute."""

import dataclasses
import gc
import os
import subprocess
import sys
import weakref
from functools import partial

import pytest
import torch

from plaincourse.checking import memory, trials
from plaincourse.checking.grader import grade
from plaincourse.exercise.bank import load
from tests.plaincourse.tasks import TASK, shift


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_keeps", False)
    monkeypatch.setattr(memory, "_keeps_answers", False)
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


def test_visible_inputs_are_asked_in_an_order_that_only_the_judge_knows():
    task = load("02.scores")
    orders = []
    for order in ("", "one term's seeds", "another's", "one term's seeds"):
        asked = []
        with memory.kept(answers=True, order=order):
            drawn = trials.draw(task, None)
            trials.run(task, partial(_noted, asked), drawn)
        sums = [float(trial.inputs["query"].sum()) for trial in drawn]
        orders.append([sums.index(each) for each in asked])
    assert orders[0] == sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert orders[1] == orders[3]
    assert len({*map(tuple, orders)}) == 3


def _noted(asked, query, key):
    asked.append(float(query.sum()))
    return query


def test_what_is_kept_for_a_block_is_drawn_once_and_gone_behind_it():
    task = load("02.scores")
    answer = counted(task.alternatives[0].answer)
    with memory.kept():
        first = trials.draw(task, 5)
        with memory.kept():
            second = trials.draw(task, 5)
        third = trials.draw(task, 5)
        grade(task, answer), grade(task, answer)
    assert [*map(id, first)] == [*map(id, second)] == [*map(id, third)]
    assert answer.times == 2 * len([trial for trial in first if trial.visible])  # called again
    assert not memory._drawn
    assert not {*map(id, first)} & {*map(id, trials.draw(task, 5))}


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
def test_an_answer_lives_until_it_is_forgotten_so_that_no_other_is_taken_for_it():
    task = load("02.scores")
    answer = counted(task.alternatives[0].answer)
    alive = weakref.ref(answer)
    grade(task, answer)
    del answer
    gc.collect()
    assert alive() is not None
    memory.forget()
    gc.collect()
    assert alive() is None


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
def test_where_there_is_a_gpu_no_exercise_that_may_compute_gradients_is_warmed(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    trials.warm(load("02.SelfAttention"), 5)
    assert memory._drawn == {}
    trials.warm(load("02.scores"), 5)
    assert memory._drawn


FORKED = """
import os
from plaincourse.checking import memory, trials
from plaincourse.exercise.bank import load
from plaincourse.checking.grader import grade

memory.keep()
task = load("02.SelfAttention")
trials.warm(task, 5)
kept = [trial for _, kept in memory._drawn.values() for trial in kept]
assert kept and all(bool(trial.wrong) == trial.visible for trial in kept)
pid = os.fork()
if pid == 0:
    os._exit(int(grade(task, task.alternatives[0].answer, seed=7).score != task.points))
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are Unix's")
@pytest.mark.skipif(torch.cuda.is_available(), reason="nothing is warmed")
def test_elsewhere_all_are_and_forks_compute_gradients_still():
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", FORKED], env=environment, check=True, timeout=60)


@pytest.mark.usefixtures("judge")
def test_after_an_answer_that_was_too_slow_no_further_is_asked():
    task = dataclasses.replace(load("02.scores"), seconds=0.2)
    asked = []

    def endless(query, key):
        asked.append(1)
        while True:
            pass

    for seed in (None, 5):
        assert grade(task, endless, seed=seed).score == 0
    assert len(asked) == 1


@pytest.mark.usefixtures("judge")
def test_who_is_too_slow_in_a_later_requirement_keeps_the_earlier_ones_on_fresh_inputs_too():
    task = dataclasses.replace(TASK, seconds=0.5)

    def slow_on_two_rows(x, by):
        while len(x) > 1:
            pass
        return shift(x, by)

    for seed in (None, 5):
        report = grade(task, slow_on_two_rows, seed=seed)
        assert report.score == 1.0
        assert "did not come back within 0.5 seconds" in report.diagnosis[0]
