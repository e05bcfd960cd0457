"""The check at home and the grading interpret an answer's outputs in the same way."""

import collections
import enum
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from exercise_bank.ch06.name_place import name_place
from exercise_bank.ch10.causal_pairs import causal_pairs
from exercise_bank.ch10.critical_batch import critical_batch
from plaincourse.checking.compare import as_numbers, same
from plaincourse.checking.grader import grade
from plaincourse.checking.mistake import scrub
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import Report
from tests.plaincourse.split_students import student

pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass
class Weights:
    up: Any
    bias: Any
    down: Any

    def __iter__(self) -> Iterator[Any]:
        return iter((self.up, self.bias, self.down))


class Items:
    """A sequence that uses the older protocol."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Any:
        return self.items[place]


class Two(NamedTuple):
    batch: float
    length: float


class Place(str, enum.Enum):  # noqa: UP042  many students write it so
    NONE, PRE, POST, SANDWICH, STREAM = "none", "pre", "post", "sandwich", "stream"


class Strict(enum.StrEnum):
    NONE, PRE, POST, SANDWICH, STREAM = "none", "pre", "post", "sandwich", "stream"


class Text(str):
    __slots__ = ()


class Whole(int):
    __slots__ = ()


def _parameters(*parts: Any) -> Any:
    net = nn.Module()
    for i, part in enumerate(parts):
        net.register_parameter(f"p{i}", nn.Parameter(part.clone()))
    return net


def _views(*parts: Any) -> Any:
    return dict(enumerate(parts))


WEIGHTS: dict[str, Callable[..., Any]] = {
    "a generator": lambda *parts: (part for part in parts),
    "an iterator": lambda *parts: iter(parts),
    "map": lambda *parts: map(torch.clone, parts),
    "a dataclass that iterates": Weights,
    "items by number": Items,
    "parameters": lambda *parts: _parameters(*parts).parameters(),
    "values of a state": lambda *parts: _parameters(*parts).state_dict().values(),
    "a list of parameters": lambda *parts: nn.ParameterList(parts),
    "values of a dictionary": lambda *parts: _views(*parts).values(),
    "a deque": lambda *parts: collections.deque(parts),
    "a user's list": lambda *parts: collections.UserList(parts),
}
UNREAD: dict[str, tuple[Callable[..., Any], str]] = {
    "sparse": (lambda a, b, c: (a, b, c.to_sparse()), "a sparse tensor"),
    "sparse first": (lambda a, b, c: [a.to_sparse_csr(), b, c], "a sparse tensor"),
    "meta": (lambda a, b, c: (a, b.to("meta"), c), "a tensor on the meta device"),
    "objects": (lambda a, b, c: (a, np.array([1, None]), c), "a NumPy array of Python objects"),
    "in a generator": (lambda a, b, c: iter((a, b, c.to_sparse())), "a sparse tensor"),
}
NAMES: dict[str, Callable[[str], Any]] = {
    "NumPy's": np.str_,
    "of an array": lambda name: np.array([name, "x"])[0],
    "an enumeration": Place,
    "another enumeration": Strict,
    "a type of its own": Text,
}
COUNTS: dict[str, Callable[[int], Any]] = {
    "a decimal": Decimal,
    "a fraction": Fraction,
    "NumPy's": np.int64,
    "a type of its own": Whole,
    "a tensor": torch.tensor,
    "an enumeration": lambda n: enum.IntEnum("Count", {"N": n}).N,
}
PAIRS: dict[str, Callable[[float, float], Any]] = {
    "a list": lambda *two: list(two),
    "an array": lambda *two: np.array(two),
    "a tensor": lambda *two: torch.tensor(two, dtype=torch.float64),
    "a tensor of float32": lambda *two: torch.tensor(two),
    "a deque": lambda *two: collections.deque(two),
    "a named tuple": Two,
    "values": lambda *two: _views(*two).values(),
    "a generator": lambda *two: (each for each in two),
    "decimals": lambda *two: tuple(map(Decimal, two)),
    "NumPy's numbers": lambda *two: tuple(map(np.float64, two)),
}


def memory_weights(keys: Any, values: Any) -> tuple[Any, Any, Any]:
    return keys, 1 - keys.sum(dim=-1), values.mT


def _reports(name: str, right: Callable[..., Any], form: Callable[..., Any]) -> list[Report]:
    def answer(*args: Any, **inputs: Any) -> Any:
        found = right(*args, **inputs)
        return form(*found) if isinstance(found, tuple) else form(found)

    with student("", answer=answer) as session:
        there = grade(name, session.names(["answer"])["answer"], seed=5)
    home = grade(name, answer, seed=5)
    assert scrub(there.text()) == scrub(home.text())
    assert there.score == home.score
    return [home, there]


@pytest.mark.parametrize(
    ("name", "right", "form"),
    [
        pytest.param(name, right, form, id=f"{name}-{what}")
        for name, right, forms in (
            ("06.memory_weights", memory_weights, WEIGHTS),
            ("06.name_place", name_place, NAMES),
            ("10.causal_pairs", causal_pairs, COUNTS),
            ("10.critical_batch", critical_batch, PAIRS),
        )
        for what, form in forms.items()
    ],
)
def test_a_right_output_in_another_form_earns_all_points(name, right, form) -> None:
    task = load(name)
    for report in _reports(name, right, form):
        assert report.score == task.points


@pytest.mark.parametrize("what", UNREAD)
def test_a_part_that_cannot_be_read_is_named_where_the_check_computes_with_it(what: str) -> None:
    form, words = UNREAD[what]
    for report in _reports("06.memory_weights", memory_weights, form):
        assert report.score == 0
        assert f"returns {words}, which the check cannot read" in " ".join(report.text().split())
        assert "raises" not in report.text()


@pytest.mark.parametrize("form", [str, "{:.1f}".format, "{:e}".format, Text])
def test_text_is_refused_where_a_number_is_asked_for(form: Callable[[Any], Any]) -> None:
    for report in _reports("10.causal_pairs", causal_pairs, form):
        assert report.score == 0
        assert "returns text; expected an integer" in " ".join(report.text().split())


def test_a_mapping_counts_as_a_dictionary_and_an_endless_iterator_as_nothing() -> None:
    def endless(*parts: Any) -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    for form in (
        lambda *parts: types.MappingProxyType(_views(*parts)),
        lambda *parts: collections.UserDict(_views(*parts)),
        lambda *parts: collections.OrderedDict(_views(*parts)),
        endless,
    ):
        for report in _reports("10.critical_batch", critical_batch, form):
            assert report.score == 0


@pytest.mark.parametrize("mask", [
    torch.tensor([True, False, True]), np.array([False, True]), torch.tensor([True]),
])  # fmt: skip
def test_a_mask_is_not_taken_for_the_numbers_that_it_chooses(mask: Any) -> None:
    assert as_numbers([1] * len(mask), mask) is mask
    assert as_numbers([True] * len(mask), mask) == tuple(mask.tolist())
    assert as_numbers([1] * len(mask), mask * 1) == tuple((mask * 1).tolist())


@pytest.mark.parametrize("none", [np.array([]), np.array([], dtype=int), torch.tensor([])])
@pytest.mark.parametrize("expected", [[], ()])
def test_an_empty_array_is_taken_for_an_empty_list_as_a_full_one_is(
    none: Any, expected: Any
) -> None:
    equal = partial(same, rtol=0.0, atol=0.0, dtype="any")
    assert equal(expected, none)
    assert equal(([0, 1], expected), (np.array([0, 1]), none))
    assert not equal(expected, np.zeros((0, 2)))
    assert not equal(expected, np.zeros(1))
    assert not equal([1], none)
