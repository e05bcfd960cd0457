"""Compare two values for equality within a tolerance."""

import sys
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking.readable import unreadable

#: The required agreement of two dtypes. "exact": they are the same. "kind": both are boolean,
#: integer, floating or complex, and the second may be coarser than the first down to float32, but
#: no further. "any": no requirement.
Types = Literal["exact", "kind", "any"]
_LEAST_PRECISE = 0.02
_PLAIN = {bool, int, float, str}
_FINEST = {np.longdouble: np.float64, np.clongdouble: np.complex128}
_SINGLE = torch.finfo(torch.float32).eps
_BEYOND = 1 << 63
_LARGEST = int(sys.float_info.max)


def same(a: Any, b: Any, *, rtol: float, atol: float, dtype: Types = "exact") -> bool:
    """Return whether two values are equal: kind, shape, dtype, and numbers within the tolerance.

    Args:
        a: the expected value: a tensor, array or number, or a tuple, list or dictionary of them.
        b: the actual value.
        rtol: the tolerance relative to ``a``; nan equals nan.
        atol: the absolute tolerance.
        dtype: the required agreement of dtypes. If they may differ and do, numbers are compared at
            the resolution of the expected dtype, or of float32; for ``"any"``, at that of the
            coarser dtype.
    """
    if type(a) is type(b) and type(a) in _PLAIN and a == b:
        return True  # a shortcut: PyTorch would take twenty times as long

    def again(x: Any, y: Any) -> bool:
        return same(x, y, rtol=rtol, atol=atol, dtype=dtype)

    b = as_numbers(a, b)
    if is_array(a) or is_array(b):
        if isinstance(a, Tensor) != isinstance(b, Tensor) or not (is_array(a) and is_array(b)):
            return False
        return close(as_tensor(a), as_tensor(b), rtol=rtol, atol=atol, dtype=dtype)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(again(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(again, a, b))
    if is_number(a) and is_number(b):
        if isinstance(a, (bool, np.bool_)) != isinstance(b, (bool, np.bool_)):
            return False
        coarsely = dtype == "any"
        return not unequal(as_tensor(a), as_tensor(b), rtol=rtol, atol=atol, coarsely=coarsely)
    if type(a) is not type(b):
        return False
    # Objects that compare by identity, such as modules and functions, are equal if their types are.
    by_identity = getattr(type(a), "__eq__", None) is object.__eq__ or callable(a)
    return by_identity or bool(a == b)


def close(a: Tensor, b: Tensor, *, rtol: float, atol: float, dtype: Types = "exact") -> bool:
    """Return whether two tensors have one shape, dtypes that agree as asked, and equal numbers."""
    if a.shape != b.shape or not agree(a.dtype, b.dtype, dtype):
        return False
    if a.dtype == b.dtype and torch.equal(a, b):
        return True
    return not unequal(a, b, rtol=rtol, atol=atol, coarsely=dtype == "any").any()


def agree(expected: torch.dtype, got: torch.dtype, how: Types) -> bool:
    """Return whether two dtypes agree: exactly, in kind, or without any requirement."""
    if how == "exact" or expected == got:
        return expected == got
    return how == "any" or (_kind(expected) == _kind(got) and not coarser(expected, got))


def coarser(expected: torch.dtype, got: torch.dtype) -> bool:
    """Return whether a dtype is coarser than both the expected one and float32."""
    return _step(got) > max(_step(expected), _SINGLE)


def unequal(
    expected: Tensor, got: Tensor, *, rtol: float, atol: float, coarsely: bool = False
) -> Tensor:
    """Return True where two tensors of one shape differ by more than the tolerance.

    If their floating dtypes differ, the tolerance is at least 500 times the machine epsilon of the
    expected dtype, or of float32 if that is coarser, so an answer cannot gain tolerance by its
    dtype.

    Args:
        expected: the right numbers.
        got: the actual numbers.
        rtol: the tolerance relative to the expected number.
        atol: the absolute tolerance.
        coarsely: also allow for the dtype of ``got``.
    """
    wide = torch.promote_types(torch.promote_types(expected.dtype, got.dtype), torch.float64)
    if expected.dtype != got.dtype and _step(expected.dtype) and _step(got.dtype):
        step = max(_step(expected.dtype), _SINGLE, _step(got.dtype) if coarsely else 0.0)
        least = min(500 * step, _LEAST_PRECISE)
        rtol, atol = max(rtol, least), max(atol, least / 10)
    return ~torch.isclose(got.to(wide), expected.to(wide), rtol=rtol, atol=atol, equal_nan=True)


def _step(dtype: torch.dtype) -> float:
    """Return the machine epsilon of a floating or complex dtype, 0 for any other."""
    floats = dtype.is_floating_point or dtype.is_complex
    return float(torch.finfo(dtype).eps) if floats else 0.0


def _kind(dtype: torch.dtype) -> str:
    if dtype == torch.bool:
        return "boolean"
    if dtype.is_complex:
        return "complex"
    return "floating" if dtype.is_floating_point else "whole"


def has_nan(value: Any, depth: int = 3) -> bool:
    """Return whether a number or an array, or any item of a short sequence of them, is nan."""
    if isinstance(value, (tuple, list)):
        return depth > 0 and any(has_nan(each, depth - 1) for each in value[:100])
    if is_array(value):
        tensor = as_tensor(value)
        plain = tensor.layout == torch.strided and not (tensor.is_nested or tensor.is_meta)
        return plain and tensor.is_floating_point() and bool(tensor.isnan().any())
    return isinstance(value, float) and value != value


def is_array(value: Any) -> bool:
    """Return whether a value is a tensor or a NumPy array."""
    return isinstance(value, (Tensor, np.ndarray))


def is_number(value: Any) -> bool:
    """Return whether a value is one number, plain or NumPy's (0-d tensors are tensors)."""
    return isinstance(value, (bool, int, float, complex, np.generic))


def as_numbers(expected: Any, value: Any) -> Any:
    """Return an array as a tuple if several numbers are expected; any other value unchanged."""
    if not is_array(value) or type(expected) not in (tuple, list) or unreadable(value):
        return value
    if value.ndim != 1 or not all(map(is_number, expected)):
        return value
    mask = value.dtype in (torch.bool, np.dtype(bool))
    if mask and not all(isinstance(each, bool) for each in expected):
        return value  # True at position 2 is not the number 1
    if isinstance(value, Tensor):
        value = value.detach()
        halves = value.is_floating_point() and value.dtype.itemsize < 4  # NumPy lacks some of them
        value = (value.float() if halves else value).numpy()
    return tuple(value)


def plain(value: Any, like: Any, depth: int = 4) -> Any:
    """Return a value for a law, with differences that :func:`same` ignores removed.

    Python's numbers replace NumPy's, and a list becomes a tuple or a tuple a list, as expected.

    Args:
        value: the actual value.
        like: the expected value.
        depth: the number of levels to descend.
    """
    value = as_numbers(like, value)
    if isinstance(value, np.generic):
        return value.item()
    if depth > 0 and type(value) in (tuple, list):
        expected = like if type(like) in (tuple, list) else ()
        pairs = zip_longest(value, expected[: len(value)])
        kind = type(like) if type(like) in (tuple, list) else type(value)
        return kind(plain(one, other, depth - 1) for one, other in pairs)
    if depth > 0 and type(value) is dict:
        expected = like if isinstance(like, Mapping) else {}
        return {key: plain(one, expected.get(key), depth - 1) for key, one in value.items()}
    return value


def widened(value: Any) -> Any:
    """Return a tensor, or a tuple or list of them, with float64 in place of float32."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(widened, value))
    single = isinstance(value, Tensor) and value.dtype == torch.float32
    return value.double() if single else value


def as_tensor(value: Any) -> Tensor:
    """Return a detached tensor of a tensor, an array or a number.

    Numbers finer than PyTorch's types are converted to the finest of them, and an integer outside
    their range to a float.
    """
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, int) and not -_BEYOND <= value < _BEYOND:
        value = float(max(-_LARGEST, min(value, _LARGEST)))
    array = np.array(value)
    finest = _FINEST.get(array.dtype.type)
    return torch.as_tensor(array if finest is None else array.astype(finest))
