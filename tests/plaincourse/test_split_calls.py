"""Many inputs are sent in one message, and each call is independent of the others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from plaincourse.checking.calling import Outcome, call, call_all
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.judge import calls
from plaincourse.judge.calls import understood
from plaincourse.judge.faults import WireError
from plaincourse.judge.session import Session
from tests.plaincourse.split_students import student

SOURCE = """
import os, random, time
import numpy as np
import torch

def draws(x):
    torch.set_default_dtype(torch.float64)
    return torch.rand(1), np.random.rand(), random.random(), torch.ones(1), os.getcwd()

def moves(x):
    os.chdir("/")
    return draws(x)

def writes(x):
    if x[0] > 1:
        x += 1
    return x

def fails(x):
    if x[0] > 1:
        raise KeyError("over one")
    print("said", x[0].item())
    return x

def stops(x):
    while x[0] > 1:
        pass
    return x

def naps(x):
    time.sleep(0.15)
    return x

def deep(x):
    value = x
    for _ in range(500 if x[0] > 1 else 1):
        value = [value]
    return value

def ends(x):
    if x[0] > 1:
        os._exit(3)
    return x
"""
INPUTS = [{"x": torch.tensor([float(i), 5.0])} for i in range(4)]
TASK = replace(load("02.scores"), seconds=5.0)
assert isinstance(TASK, Exercise)


@pytest.fixture
def session() -> Iterator[Session]:
    with student(SOURCE) as given:
        yield given


def asked(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the requests to the student's side."""
    heard: list[str] = []
    put = session._put

    def noted(body: dict[str, Any], *args: Any) -> Any:
        heard.append(body["op"])
        return put(body, *args)

    monkeypatch.setattr(session, "_put", noted)
    return heard


def all_of(session: Session, name: str, *, seconds: float = 5.0) -> list[Outcome]:
    answer = session.names([name])[name]
    return call_all(replace(TASK, seconds=seconds), answer, INPUTS)


def test_one_message_for_all(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = session.names(["fails"])["fails"]
    heard = asked(session, monkeypatch)
    call_all(TASK, answer, INPUTS)
    assert heard == ["calls"]


def test_an_exercise_with_a_call_of_its_own_is_asked_one_by_one(session: Session) -> None:
    answer = session.names(["writes"])["writes"]
    own = replace(TASK, call=lambda answer, inputs: answer(x=2 * inputs["x"]))
    assert [each.value[0].item() for each in call_all(own, answer, INPUTS)] == [0, 3, 5, 7]


@pytest.mark.parametrize("name", ["draws", "moves"])
def test_every_call_finds_the_same_clean_state(session: Session, name: str) -> None:
    outcomes = all_of(session, name)
    assert {repr(each.value[:4]) for each in outcomes} == {repr(outcomes[0].value[:4])}
    assert outcomes[0].value[3].dtype == torch.float64
    assert len({each.value[4] for each in all_of(session, "draws")} - {"/"}) == 1


@pytest.mark.parametrize("name", ["draws", "writes", "fails", "deep"])
def test_what_comes_is_what_single_calls_give(session: Session, name: str) -> None:
    answer = session.names([name])[name]
    together = call_all(TASK, answer, INPUTS)
    alone = [call(TASK, answer, inputs) for inputs in INPUTS]
    for a, b in zip(together, alone, strict=True):
        assert repr(a.value) == repr(b.value)
        assert (type(a.error), str(a.error)) == (type(b.error), str(b.error))
        assert (a.changed, a.slow, a.printed) == (b.changed, b.slow, b.printed)


def test_what_is_written_is_written_into_copies(session: Session) -> None:
    assert [each.changed for each in all_of(session, "writes")] == [(), (), ("x",), ("x",)]
    assert [inputs["x"][0].item() for inputs in INPUTS] == [0, 1, 2, 3]


def test_after_a_call_that_is_too_slow_there_is_no_other(session: Session) -> None:
    outcomes = all_of(session, "stops", seconds=1.0)
    assert [each.slow for each in outcomes] == [False, False, True]
    assert not session.gone


def test_calls_that_add_up_are_asked_for_in_parts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = session.names(["naps"])["naps"]
    heard = asked(session, monkeypatch)
    outcomes = call_all(replace(TASK, seconds=1.0), answer, INPUTS)
    assert [each.value[0].item() for each in outcomes] == [0, 1, 2, 3]
    assert heard == ["calls"] * 2
    assert calls.SHARE * 1.0 > 0.15


def test_who_ends_meanwhile_has_answered_nothing(session: Session) -> None:
    outcomes = all_of(session, "ends")
    assert {type(each.error).__name__ for each in outcomes} == {"StudentGone"}
    assert "ended" in session.gone


@pytest.mark.parametrize(
    "came",
    [
        None,
        [],
        [["ok", 1, []]] * 3,
        [["ok", 1]],
        [["fine", 1, []]],
        [[["ok"], 1, []]],
        [["error", "no error", []]],
    ],
)
def test_nonsense_is_refused(came: Any) -> None:
    with pytest.raises(WireError):
        understood(came, 2)
