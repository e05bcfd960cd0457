"""Are two answers the same, and if not, what is the first difference?"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor


def same(a: Any, b: Any, *, rtol: float, atol: float, dtype: bool = True) -> bool:
    """Say whether two values are equal: kind, shape, dtype, and numbers within the tolerance.

    Args:
        a, b: tensors, arrays, numbers, or tuples, lists and dictionaries of them.
        rtol, atol: how far apart two numbers may be, relative and absolute; nan equals nan.
        dtype: whether the dtype counts.
    """
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return isinstance(a, Tensor) and isinstance(b, Tensor) and _close(a, b, rtol, atol, dtype)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        return both and _close(as_tensor(a), as_tensor(b), rtol, atol, dtype)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        options = {"rtol": rtol, "atol": atol, "dtype": dtype}
        return a.keys() == b.keys() and all(same(a[key], b[key], **options) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(
            same(x, y, rtol=rtol, atol=atol, dtype=dtype) for x, y in zip(a, b, strict=True)
        )
    if is_number(a) and is_number(b):
        if isinstance(a, (bool, np.bool_)) != isinstance(b, (bool, np.bool_)):
            return False
        return _close(as_tensor(a), as_tensor(b), rtol, atol, dtype=False)
    if type(a) is not type(b):
        return False
    if type(a).__eq__ is object.__eq__ or callable(a):
        return True
    return bool(a == b)


def difference(expected: Any, got: Any, *, rtol: float, atol: float, axes: str = "") -> str | None:
    """Say in one sentence how ``got`` differs from ``expected``, or ``None`` where it does not.

    Structure comes before numbers: kind, number of parts, shape with its axes, dtype, nan, values.

    Args:
        expected: what the reference gives.
        got: what the answer gives.
        rtol, atol: how far apart two numbers may be.
        axes: letters of the axes, ``"b h q k"``, to name them in the message.
    """
    if isinstance(expected, (tuple, list)):
        if not isinstance(got, (tuple, list)):
            return f"your function returns {kind(got)}; expected {len(expected)} outputs"
        if len(got) != len(expected):
            return f"your function returns {len(got)} outputs; expected {len(expected)}"
        for i, (x, y) in enumerate(zip(expected, got, strict=True)):
            if said := difference(x, y, rtol=rtol, atol=atol):
                return f"output {i}: {said}"
        return None
    if isinstance(expected, (Tensor, np.ndarray)):
        if type(got) is not type(expected) and not _both_tensors(expected, got):
            return f"your function returns {kind(got)}; expected {kind(expected)}"
        return _array_difference(as_tensor(expected), as_tensor(got), rtol, atol, axes)
    if is_number(expected) and isinstance(got, (Tensor, np.ndarray)) and as_tensor(got).ndim == 0:
        got = got.item()
    if same(expected, got, rtol=rtol, atol=atol):
        return None
    if is_number(expected) and is_number(got) and kind(expected) == kind(got):
        return f"your function returns {got!r}; expected {expected!r}"
    if kind(expected) == kind(got):
        return "your function returns another value than expected"
    return f"your function returns {kind(got)}; expected {kind(expected)}"


def kind(value: Any) -> str:
    """Name what a value is, with its article: "a tensor", "None"."""
    if value is None:
        return "None (is there a return?)"
    names = {bool: "True or False", int: "an integer", float: "a number", str: "text"}
    if isinstance(value, Tensor):
        return "a tensor"
    if isinstance(value, np.ndarray):
        return "a NumPy array"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.generic):
        return kind(value.item())
    return names.get(type(value), f"a {type(value).__name__}")


def is_number(value: Any) -> bool:
    """Say whether a value is one number, plain or NumPy's (0-d tensors are tensors)."""
    return isinstance(value, (bool, int, float, complex, np.generic))


def as_tensor(value: Any) -> Tensor:
    """Return a detached tensor of a tensor, an array or a number."""
    return value.detach() if isinstance(value, Tensor) else torch.as_tensor(np.array(value))


def _both_tensors(a: Any, b: Any) -> bool:
    return isinstance(a, Tensor) and isinstance(b, Tensor)


def _close(a: Tensor, b: Tensor, rtol: float, atol: float, dtype: bool) -> bool:
    if a.shape != b.shape or (dtype and a.dtype != b.dtype):
        return False
    return not _unequal(a.detach(), b.detach(), rtol, atol).any()


def _unequal(a: Tensor, b: Tensor, rtol: float, atol: float) -> Tensor:
    wide = torch.promote_types(torch.promote_types(a.dtype, b.dtype), torch.float64)
    return ~torch.isclose(b.to(wide), a.to(wide), rtol=rtol, atol=atol, equal_nan=True)


def _array_difference(
    expected: Tensor, got: Tensor, rtol: float, atol: float, axes: str
) -> str | None:
    if expected.shape != got.shape:
        return _shape_difference(tuple(expected.shape), tuple(got.shape), axes)
    if expected.dtype != got.dtype:
        return f"your output has dtype {_dtype(got)}; expected {_dtype(expected)}"
    for what in ("nan", "inf"):
        bad = getattr(got, f"is{what}")() & ~getattr(expected, f"is{what}")()
        if bad.any():
            return (
                f"your output has {what} at {_first(bad)}, {int(bad.sum())} of {got.numel()} in all"
            )
    wrong = _unequal(expected, got, rtol, atol)
    if not wrong.any():
        return None
    place = tuple(wrong.nonzero()[0].tolist())
    x, y = _digits(expected[place].item(), got[place].item())
    where = f" at {list(place)}" if place else ""
    return f"your output{where} is {y}; expected {x} ({int(wrong.sum())} of {got.numel()} differ)"


def _shape_difference(expected: tuple[int, ...], got: tuple[int, ...], axes: str) -> str:
    letters = _letters(axes, len(expected))
    named = f", that is ({letters})" if letters else ""
    said = f"your output has shape {got}; expected {expected}{named}"
    if len(got) != len(expected):
        more = len(got) - len(expected)
        return f"{said}: {abs(more)} {'axis' if abs(more) == 1 else 'axes'} too {'many' if more > 0 else 'few'}"
    wrong = [i for i, (x, y) in enumerate(zip(expected, got, strict=True)) if x != y]
    if (
        len(wrong) == 2
        and expected[wrong[0]] == got[wrong[1]]
        and expected[wrong[1]] == got[wrong[0]]
    ):
        return f"{said}: axes {wrong[0] - len(got)} and {wrong[1] - len(got)} are swapped"
    return said


def _letters(axes: str, rank: int) -> str:
    names = [re.sub(r"[^\w]", "", name) for name in axes.split()]
    if names and re.match(r"\*|\.\.\.", axes.split()[0]):
        names = ["..."] + names[1:] if rank >= len(names) else names[1:]
        return ", ".join(names) if rank >= len(names) - 1 else ""
    return ", ".join(names) if len(names) == rank else ""


def _first(where: Tensor) -> str:
    return str(where.nonzero()[0].tolist())


def _dtype(x: Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")


def _digits(expected: float, got: float) -> tuple[str, str]:
    for precision in (4, 7, 10, 17):
        x, y = f"{expected:.{precision}g}", f"{got:.{precision}g}"
        if x != y:
            break
    return x, y
