"""Values are sent between processes unchanged, and nothing else is sent."""

import json
import math
from collections import OrderedDict, namedtuple
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from plaincourse.judge.arrays import DTYPES
from plaincourse.judge.faults import WireError
from plaincourse.judge.wire import decode, encode

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text()
    | st.text(alphabet=st.characters(categories=("Cs",)))
    | st.binary()
    | st.just(...)
    | st.builds(range, st.integers(), st.integers(), st.integers(min_value=1))
    | st.sampled_from([int, str, object, torch.float64, torch.device("cpu"), np.dtype("<f4")])
    | st.sampled_from([torch.Size([2, 0]), slice(1, None, -1), 10**30, -(10**30), -0.0])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), inner)
        | st.sets(st.integers())
        | st.frozensets(st.text())
    ),
    max_leaves=20,
)


def crossed(value: Any) -> Any:
    """Send a value through JSON and back."""
    tree, buffers = encode(value)
    return decode(json.loads(json.dumps(tree)), [bytearray(each) for each in buffers])


def alike(a: Any, b: Any) -> bool:
    """Return whether two values are bitwise equal, including nan."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if isinstance(a, complex):
        return alike(a.real, b.real) and alike(a.imag, b.imag)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    return bool(a == b)


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_every_value_arrives_as_it_left(value: Any) -> None:
    assert alike(crossed(value), value)


def test_a_column_of_one_row_arrives() -> None:
    column = torch.tensor([[7.0, 8.0, 9.0]]).double()[:, 0]
    assert column.stride() == (3,)
    assert alike(crossed(column), column)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 2), (2, 3)])
def test_tensors_of_every_dtype_and_shape_arrive(name: str, shape: tuple[int, ...]) -> None:
    raw = torch.arange(max(1, math.prod(shape)))[: math.prod(shape)]
    sent = raw.to(torch.float32).to(DTYPES[name]).reshape(shape)
    got = crossed(sent)
    assert (got.dtype, got.shape) == (sent.dtype, sent.shape)
    assert torch.equal(got.to(torch.complex128), sent.to(torch.complex128))


@pytest.mark.parametrize(
    "array",
    [
        np.float64(2.5), np.bool_(True), np.arange(6.0).reshape(2, 3).T, np.array(["ä", "bc"]),
        np.array([True, False]), np.array([b"x"]), np.arange(3, dtype=">i2"), np.array(1j),
        np.empty((0, 2)),
    ],
    ids=repr,
)  # fmt: skip
def test_arrays_and_their_scalars_arrive(array: Any) -> None:
    got = crossed(array)
    assert type(got) is type(array)
    assert got.dtype == array.dtype
    assert np.array_equal(got, array)


class Loud(str):
    """A string that compares equal to all others."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Number(IntEnum):
    ONE = 1


class Lying(Tensor):
    """A tensor that compares close to all others."""


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (Loud("a"), str), (Number.ONE, int), (OrderedDict(a=1), dict),
        (namedtuple("P", "x")(1), tuple), (torch.ones(1).as_subclass(Lying), Tensor),
        (torch.nn.Parameter(torch.ones(1)), Tensor),
    ],
    ids=lambda each: getattr(each, "__name__", "value"),
)  # fmt: skip
def test_a_value_of_a_subclass_arrives_as_its_plain_base(sent: Any, kind: type) -> None:
    assert type(crossed(sent)) is kind


def test_a_tensor_arrives_without_its_graph_and_keeps_what_it_requires() -> None:
    leaf = torch.ones(2, requires_grad=True)
    assert crossed(leaf).requires_grad
    assert crossed(leaf * 2).grad_fn is None
    assert not crossed(leaf.detach()).requires_grad


@pytest.mark.parametrize("value", [object(), len, np.array([object()]), torch.ones(1).to_sparse()])
def test_what_is_no_data_is_refused(value: Any) -> None:
    with pytest.raises(WireError, match="cannot cross"):
        encode(value)


def test_what_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(WireError, match="nested"):
        encode(endless)


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from("T N n b t l s z d c y r e i f S D v O k float32 <f8 |b1 <U2 cpu".split()),
    lambda inner: st.lists(inner, max_size=5)
    | st.builds(lambda tag, rest: [tag, *rest], st.sampled_from("TNnbtlszdcyreifSDvOk"),
                st.lists(inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip


@given(TREES, st.lists(st.binary(max_size=24), max_size=2))
@settings(max_examples=400, deadline=None)
def test_any_other_tree_is_a_wire_error_and_nothing_worse(tree: Any, buffers: list[bytes]) -> None:
    try:
        decode(tree, [bytearray(each) for each in buffers])
    except WireError:
        return


@pytest.mark.parametrize(
    "tree",
    [
        ["T", "float32", [1 << 39, 1 << 39], 0, 0], ["T", "float32", [-1], 0, 0],
        ["T", "float32", [True], 0, 0], ["T", "object", [1], 0, 0], ["T", "float32", [1], 0, 9],
        ["T", "int64", [1], 1, 0], ["N", "|O8", [1], 0], ["N", "<U1", [2], 0],
        ["N", "<f8", [1] * 99, 0], ["n", "<f4", [2], 0], ["k", "type"], ["v", "no such device"],
        ["f", "1e5"], ["s", [["l", []]]], ["S", ["a"]], ["r", 0, 1, 0], ["?"], [], {},
    ],
    ids=repr,
)  # fmt: skip
def test_a_lie_about_a_value_is_a_wire_error(tree: Any) -> None:
    with pytest.raises(WireError):
        decode(tree, [bytearray(b"\xff" * 8)])


def test_a_bool_is_true_or_false_whatever_its_byte() -> None:
    got = decode(["T", "bool", [3], 0, 0], [bytearray(b"\x00\x01\x07")])
    assert got.view(torch.uint8).tolist() == [0, 1, 1]
    assert decode(["N", "|b1", [1], 0], [bytearray(b"\x09")]).view(np.uint8).tolist() == [1]
