"""A tensor whose numbers cannot be read is described correctly, at home and in grading."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.checking.readable import Unread, is_key, unreadable
from plaincourse.checking.remote import settled
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import Report
from tests.plaincourse.split_students import student

pytestmark = pytest.mark.filterwarnings("ignore")


def _masked() -> Any:
    return torch.masked.masked_tensor(torch.eye(2), torch.eye(2) > 0)


def _nested(layout: torch.layout) -> torch.Tensor:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)


UNREAD: dict[str, tuple[Callable[[], Any], str]] = {
    "sparse": (lambda: torch.eye(2).to_sparse(), "a sparse tensor"),
    "sparse rows": (lambda: torch.eye(2).to_sparse_csr(), "a sparse tensor"),
    "sparse columns": (lambda: torch.eye(2).to_sparse_csc(), "a sparse tensor"),
    "quantised": (
        lambda: torch.quantize_per_tensor(torch.eye(2), 0.1, 0, torch.qint8),
        "a quantised tensor",
    ),
    "nested": (lambda: _nested(torch.strided), "a nested tensor"),
    "jagged": (lambda: _nested(torch.jagged), "a nested tensor"),
    "meta": (lambda: torch.empty(2, 2, device="meta"), "a tensor on the meta device"),
    "half complex": (
        lambda: torch.eye(2).to(torch.complex32),
        "a tensor of dtype complex32",
    ),
    "another eight bits": (
        lambda: torch.eye(2).to(torch.float8_e4m3fnuz),
        "a tensor of dtype float8_e4m3fnuz",
    ),
    "no numbers at all": (
        lambda: torch.empty(2, 2, dtype=torch.bits8),
        "a tensor of dtype bits8",
    ),
    "oneDNN's": (lambda: torch.eye(2).to_mkldnn(), "a tensor in a layout of its own"),
    "masked": (_masked, "a tensor of a type of its own"),
    "objects": (lambda: np.array([1, "a", None], dtype=object), "a NumPy array of Python objects"),
    "records": (lambda: np.zeros(3, dtype=[("a", "f4")]), "a NumPy array of records"),
    "dates": (lambda: np.zeros(3, dtype="M8[s]"), "a NumPy array of dates or times"),
}


def _reports(value: Callable[[], Any]) -> list[Report]:
    def answer(**inputs: Any) -> Any:
        return value()

    with student("", answer=answer) as session:
        there = grade("05.to_halves", session.names(["answer"])["answer"], seed=5)
    return [grade("05.to_halves", answer, seed=5), there]


@pytest.mark.parametrize("what", UNREAD)
def test_a_value_that_cannot_be_read_is_named_alike_at_home_and_in_class(what: str) -> None:
    value, words = UNREAD[what]
    home, there = _reports(value)
    (said,) = home.diagnosis
    assert there.diagnosis == (said,)
    assert f"Your function returns {words}, which the check cannot read" in said
    assert "shape" not in said.partition("returns")[2].replace("of one shape", "")
    assert home.instead == there.instead
    assert "tensor or an array that the check cannot read" in home.instead
    assert home.score == there.score == 0


@pytest.mark.parametrize("what", ["sparse", "masked", "records"])
def test_a_part_of_an_output_that_cannot_be_read_is_named(what: str) -> None:
    value, words = UNREAD[what]
    for wrapped in (lambda: (torch.eye(2), value()), lambda: [value()], lambda: {"a": value()}):
        for report in _reports(wrapped):
            assert words in report.diagnosis[0]


@pytest.mark.parametrize("what", UNREAD)
def test_an_object_that_stays_where_it_is_is_seen_for_what_it_is(what: str) -> None:
    with student("", answer=UNREAD[what][0]) as session:
        seen = settled(session.kept(session.names(["answer"])["answer"]))
    assert type(seen) is Unread
    assert seen.words == UNREAD[what][1]


@pytest.mark.parametrize(
    "value",
    [
        lambda: torch.eye(2).bfloat16(),
        lambda: torch.eye(2).to(torch.float8_e4m3fn),
        lambda: torch.nn.Parameter(torch.eye(2)),
        lambda: torch.eye(2).as_subclass(type("Mine", (torch.Tensor,), {})),
        lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
        lambda: np.zeros(2, dtype=np.longdouble),
        lambda: np.array(["a", "b"]),
        lambda: np.float32(2),
        lambda: [object()],
        lambda: None,
    ],
)
def test_what_can_be_read_is_not_said_to_be_otherwise(value: Callable[[], Any]) -> None:
    assert unreadable(value()) == ""


@pytest.mark.parametrize(
    "key", ["", "other", "dtype", "dtype nn", "dtype a b", 5, None, ["sparse"]]
)
def test_a_key_of_nothing_is_not_believed(key: Any) -> None:
    assert not is_key(key)


LARGE = {
    "items": lambda: [0] * 500_001,
    "a text": lambda: "a" * (9 << 20),
    "another text": lambda: "é" * (9 << 20),
    "keys": lambda: dict.fromkeys(range(20_000)),
}
STRANGE = {
    "deep": lambda: functools.reduce(lambda inner, _: [inner], range(60), 1),
    "within itself": lambda: (lambda held: held.append(held) or held)([]),
}


@pytest.mark.parametrize("what", [*LARGE, *STRANGE])
def test_the_course_raises_nothing_in_a_students_name(what: str) -> None:
    home, there = _reports({**LARGE, **STRANGE}[what])
    said = "is too large for a check" if what in LARGE else "that the check cannot read"
    assert said in there.diagnosis[0]
    assert there.example is not None
    assert said in there.example.got
    for report in (home, there):
        assert "raises" not in report.text()
        assert "Error" not in report.text()


def test_an_object_where_a_rule_wants_a_tensor_has_no_shape() -> None:
    for value in (object, lambda: "text", lambda: 3):
        for report in _reports(value):
            assert "has shape ()" not in report.text()
            assert "expected a tensor" in report.diagnosis[0]


def test_what_cannot_be_read_is_no_answer_to_a_question() -> None:
    question = load("02.output_shape")
    for what in ("sparse", "masked", "objects"):
        assert grade(question, UNREAD[what][0]()).score == 0
