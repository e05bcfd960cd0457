"""Convert an answer's return value to plain values, in the process in which the answer runs.

A check at home and the grading of a class read an answer through the same function, so that an
iterator, a subclass of ``str`` or a fraction is treated alike in both.
"""

import functools
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch._C._functorch import is_functorch_wrapped_tensor

from plaincourse.checking.readable import complaint, unreadable
from plaincourse.checking.remote import DEEPEST, MOST_ITEMS, is_remote, session_of, settled

#: Maximum number of items of an iterator, which may be endless.
_MOST_OF_AN_ITERATOR = 20_000
_AS_THEY_ARE = frozenset({type(None), bool, int, float, complex, str, bytes, Tensor, nn.Parameter})
_COLLECTIONS: tuple[Any, ...] = (tuple, list, set, frozenset)


class UnreadError(Exception):
    """An answer returned a value whose numbers a check cannot read.

    Args:
        value: the return value, with an :class:`~plaincourse.checking.readable.Unread` in it.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(complaint(value))
        self.value = value


def read(value: Any) -> Any:
    """Return a value if it can be read.

    Raises:
        UnreadError: a part of it cannot be read.
    """
    if complaint(value):
        raise UnreadError(value)
    return value


def reading(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls an answer and converts its output to plain values.

    An answer of another process is returned unchanged, because its session reads its outputs. A
    class is also returned unchanged.
    """
    if session_of(answer) is not None or isinstance(answer, type):
        return answer

    @functools.wraps(answer)
    def called(*args: Any, **kwargs: Any) -> Any:
        return read(settled(returned(answer(*args, **kwargs))))

    return called


def returned(value: Any) -> Any:
    """Convert an answer's return value to plain values.

    A value of a subclass is converted to Python's own type, a fraction or a decimal to a float, a
    mapping to a dictionary, and a generator or another iterable to a tuple. An object of another
    kind, or one with too many items, is returned unchanged.
    """
    return _plain(value, _Room(), DEEPEST)


class _Room:
    """The number of items that may still be examined."""

    def __init__(self) -> None:
        self.left = MOST_ITEMS

    def take(self, count: int) -> bool:
        """Return whether ``count`` more items fit, and reserve them."""
        fits = count <= self.left
        self.left -= count if fits else 0
        return fits


def _plain(value: Any, room: _Room, deep: int) -> Any:
    if type(value) in _AS_THEY_ARE or is_remote(value) or not deep:
        return value
    if isinstance(value, (Tensor, np.ndarray)):
        return _of_array(value)
    if isinstance(value, (str, bytes, int, float, complex, np.generic, Real, Decimal)):
        return _of_scalar(value)

    def inner(item: Any) -> Any:
        return _plain(item, room, deep - 1)

    for kind in _COLLECTIONS:
        if isinstance(value, kind):
            whole = room.take(kind.__len__(value))
            return kind(map(inner, kind.__iter__(value))) if whole else value
    if isinstance(value, Mapping):
        pairs = dict.items(value) if isinstance(value, dict) else value.items()
        if not room.take(len(pairs)):
            return value
        return {inner(key): inner(item) for key, item in pairs}
    if not _iterates(value):
        return value
    items = list(islice(iter(value), _MOST_OF_AN_ITERATOR + 1))
    fits = len(items) <= _MOST_OF_AN_ITERATOR and room.take(len(items))
    return tuple(map(inner, items)) if fits else value


def _of_array(value: Any) -> Any:
    if unreadable(value):
        return value
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if is_functorch_wrapped_tensor(value):
        return value
    with torch._C.DisableTorchFunctionSubclass():  # a subclass may override anything
        return Tensor.as_subclass(value, Tensor)


def _of_scalar(value: Any) -> Any:
    """Return a text or a number of Python's own type; NumPy's numbers keep their precision."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, np.generic):
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return getattr(kind, f"__{kind.__name__}__")(value)
    if isinstance(value, complex):
        return complex(value)
    try:
        return int(value) if isinstance(value, Integral) else float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf
    except ValueError:  # a decimal that is not a number
        return math.nan


def _iterates(value: Any) -> bool:
    """Return whether a value represents its items: an iterator, a view, a list of parameters."""
    if isinstance(value, nn.ParameterList):
        return True
    kind = type(value)
    if isinstance(value, (type, nn.Module)) or callable(value) or hasattr(kind, "__array__"):
        return False
    return hasattr(kind, "__iter__") or all(hasattr(kind, f"__{n}__") for n in ("len", "getitem"))
