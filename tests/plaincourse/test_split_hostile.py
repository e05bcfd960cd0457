"""A student's process that sends false data gains nothing, and does not break the tests' side."""

import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from plaincourse.checking.grader import grade
from plaincourse.checking.limits import OutOfTime
from plaincourse.checking.remote import StudentGone
from plaincourse.judge import session as sessions
from plaincourse.judge.channel import Channel
from plaincourse.judge.session import Session
from tests.plaincourse.split_students import child, student
from tests.plaincourse.tasks import TASK

FUNCTION = ["@obj", 2, {"type": "function", "call": True, "kind": False, "kinds": []}]


def liar(answers: Callable[[dict[str, Any]], Any]) -> Any:
    """Return a student's process that replies to each request with the result of a function."""

    def body(sock: socket.socket) -> None:
        channel = Channel(sock)
        while True:
            question, _, _ = channel.receive()
            reply = answers(question)
            if isinstance(reply, bytes):
                sock.sendall(reply)
            else:
                channel.send(reply, [])

    return child(body)


def to(question: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"to": question["id"], "said": [], **more}


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another question's answer": lambda q: {"to": q["id"] + 1, "ok": 1},
    "no answer": lambda q: [],
    "noise": lambda q: b"x" * 100,
    "a tensor that is not there": lambda q: to(q, ok=["T", "float32", [9], 0, 0]),
    "a number for an object": lambda q: to(q, ok=["@obj", "one", {}]),
    "an object without a type": lambda q: to(q, ok=["@obj", 1, {"kinds": 3}]),
    "an error of no kind": lambda q: to(q, error={"kinds": 1}),
    "an error without words": lambda q: to(q, error=None),
    "nothing but words": lambda q: to(q, said=[1, 2]) | {"ok": 1},
    "deep nesting": lambda q: to(q, ok=_deep(200)),
    "a function that was not handed over": lambda q: {"id": 1, "args": ["t", []], "op": "callback"},
    "a question of its own": lambda q: {
        "id": 1,
        "op": "names",
        "of": 1,
        "args": ["l", [["l", []], ["d", []]]],
    },
    "a gradient of nothing": lambda q: {
        "id": 1,
        "op": "backward",
        "args": ["l", [["l", [1, 2]], ["d", []]]],
    },
    "changes of another form": lambda q: to(q, ok=1, changed={"a": 1}),
}


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = ["l", [value]]
    return value


@pytest.mark.parametrize("what", LIES)
def test_nonsense_ends_the_conversation_and_says_so(what: str) -> None:
    with liar(LIES[what]) as sock:
        session = Session(Channel(sock), seconds=5.0)
        with pytest.raises(StudentGone, match="no answer sends"):
            session.ask("get", 1)
        assert session.lied
        with pytest.raises(StudentGone):
            session.names(["a"])


@pytest.mark.parametrize("value", [True, 1e9, [1], ["d", [["nope", 1]]]])
def test_variables_that_were_not_asked_for_are_not_taken(value: Any) -> None:
    with liar(lambda q: to(q, ok=value)) as sock, pytest.raises(StudentGone):
        Session(Channel(sock)).names(["answer"])


def test_one_who_says_nothing_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "GRACE", 0.2)
    with child(lambda sock: time.sleep(60)) as sock:
        session, began = Session(Channel(sock), seconds=0.2), time.monotonic()
        with pytest.raises(StudentGone, match="in time"):
            session.ask("get", 1)
        assert time.monotonic() - began < 3


def test_one_who_dies_is_told_from_one_who_lies() -> None:
    with child(lambda sock: sock.recv(10)) as sock:
        session = Session(Channel(sock))
        with pytest.raises(StudentGone, match="ended"):
            session.ask("get", 1)
        assert not session.lied


@pytest.mark.parametrize("said", [True, "all points", 1e9, ["t", []], FUNCTION])
def test_an_answer_that_only_claims_to_be_right_earns_nothing(said: Any) -> None:
    def claims(question: dict[str, Any]) -> Any:
        if question["op"] == "names":
            return to(question, ok=["d", [["f", FUNCTION]]])
        return to(question, ok=None if question["op"] == "find" else said)

    with liar(claims) as sock:
        session = Session(Channel(sock), seconds=5.0)
        report = grade(TASK, session.names(["f"])["f"], seed=3)
        assert report.score == 0


SMUGGLED = """
import torch
class Yes(torch.Tensor):
    def __eq__(self, other): return torch.tensor(True)
    @classmethod
    def __torch_function__(cls, *args, **kwargs): return True
class Same:
    def __eq__(self, other): return True
    __float__ = __index__ = lambda self: 2
    def __len__(self): return 10**9
def as_tensor(x, by): return torch.zeros(1).as_subclass(Yes)
def as_object(x, by): return Same()
def endless(x, by):
    while True: yield x
def huge(x, by): return torch.zeros(1).expand(2**40)
def nested(x, by):
    value = []
    for _ in range(500): value = [value]
    return value
"""


@pytest.mark.parametrize("name", ["as_tensor", "as_object", "endless", "huge", "nested"])
def test_an_output_that_lies_about_itself_earns_nothing(name: str) -> None:
    with student(SMUGGLED) as session:
        assert grade(TASK, session.names([name])[name]).score == 0


@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is Linux's")
def test_a_sender_that_shortens_what_it_shares_kills_nobody() -> None:
    def body(sock: socket.socket) -> None:
        channel = Channel(sock)
        question, _, _ = channel.receive()
        fd = os.memfd_create("short", os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, 1 << 21)
        tree = to(question, ok=["T", "uint8", [1 << 21], 0, 0])
        import json
        import struct

        text = json.dumps([tree, [[1, 1 << 21]]]).encode()
        head = struct.pack("!4sIQH", b"pcw1", len(text), 0, 1)
        socket.send_fds(sock, [head + text], [fd])
        os.ftruncate(fd, 0)
        sock.recv(1)

    with child(body) as sock, pytest.raises(StudentGone, match="sealed"):
        Session(Channel(sock)).ask("get", 1)


#: Integers with the same hash, so that a set or dictionary compares each with all others.
ALIKE = [["i", hex(1 + i * ((1 << 61) - 1))] for i in range(200_000)]


@pytest.mark.parametrize("tag", ["s", "z", "d"])
def test_equal_hashes_hold_the_tests_up_no_longer_than_a_moment(tag: str) -> None:
    items = [[each, 1] for each in ALIKE] if tag == "d" else ALIKE
    with liar(lambda q: to(q, ok=[tag, items])) as sock:
        session, began = Session(Channel(sock), seconds=20.0), time.process_time()
        with pytest.raises(StudentGone, match=r"no answer sends .*10,000 items"):
            session.ask("get", 1)
        assert time.process_time() - began < 10
        assert session.lied


def test_what_takes_too_long_to_take_in_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "GRACE", 0.0)
    wide = [["t", [1] * 200 + [each]] for each in ALIKE[:5000]]  # each comparison visits 200
    with liar(lambda q: to(q, ok=["s", wide])) as sock:
        session, began = Session(Channel(sock), seconds=1.0), time.process_time()
        with pytest.raises(StudentGone):
            session.ask("get", 1)
        assert time.process_time() - began < 5


def test_a_large_set_of_an_honest_answer_is_its_own_error() -> None:
    with student("def answer(x, by): return set(range(20_000))") as session:
        report = grade(TASK, session.names(["answer"])["answer"])
        assert report.score == 0
        assert "too large for a check" in " ".join(report.text().split())
        assert not session.gone


def test_a_function_of_the_tests_is_stopped_with_the_call_that_asks_for_it() -> None:
    def slowly(x: Any) -> Any:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pass
        return x

    source = """
def answer(box):
    try:
        return box(1)
    except TimeoutError as error:
        return str(error)
"""
    with student(source) as session:
        answer, began = session.names(["answer"])["answer"], time.monotonic()
        with pytest.raises(OutOfTime), session.scope(answer, 0.5):
            answer(slowly)
        assert time.monotonic() - began < 8
        session.settle()
        assert not session.gone
