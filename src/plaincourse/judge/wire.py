"""Values as data that can cross between processes: a tree in JSON, with separate buffers.

Pickle is not used. Only plain values of exactly the types listed here are rebuilt; a value of a
subclass arrives as its plain base. Everything else crosses as a reference by number, which a
:class:`Crossing` makes and resolves.
"""

import math
import time
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor

from plaincourse.checking.readable import DTYPES, unreadable
from plaincourse.checking.remote import DEEPEST, MOST_ITEMS, is_remote
from plaincourse.judge.arrays import (
    array_dtype,
    array_in,
    array_out,
    is_plain_array,
    tensor_in,
    tensor_out,
)
from plaincourse.judge.faults import TooLargeError, WireError

#: Maximum number of items of sets and keys of dictionaries in one message. Items with equal hashes
#: take a time that grows with the square of their number.
_MOST_HASHED = 10_000
_MOST_SIGNS = 8 << 20
#: Types that cross by their name.
_TYPES = {
    each.__name__: each
    for each in (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, object)
}
_EXACT = 1 << 53
_NAMED = {dtype: name for name, dtype in DTYPES.items()}


class Crossing:
    """The treatment of values that are more than data. By default they are refused.

    Attributes:
        until: deadline for rebuilding the values, on the clock of ``time.monotonic``.
    """

    until = math.inf
    _hashed = 0
    _listed = 0

    def items(self, count: int) -> None:
        """Count items of a list or tuple.

        Raises:
            TooLargeError: there are too many.
        """
        self._listed += count
        if self._listed > MOST_ITEMS:
            raise TooLargeError(f"lists and tuples of more than {MOST_ITEMS:,} items in all")

    def hash(self, count: int = 1) -> None:
        """Count items of a set, or keys of a dictionary.

        Raises:
            TooLargeError: there are too many.
            WireError: it takes too long.
        """
        self._hashed += count
        if self._hashed > _MOST_HASHED:
            raise TooLargeError(f"sets and dictionaries of more than {_MOST_HASHED:,} items in all")
        if time.monotonic() > self.until:
            raise WireError("what came takes too long to take in")

    def refer(self, value: Any) -> list[Any]:
        """Return the tree that represents a value that stays here.

        Raises:
            WireError: it has no tree.
        """
        raise WireError(f"a {type(value).__name__} cannot cross to another process")

    def resolve(self, tree: list[Any]) -> Any:
        """Return the object for a tree that :meth:`refer` made on the other side.

        Raises:
            WireError: there is no such object.
        """
        raise WireError("a reference came where none may come")

    def flag(self, tensor: Tensor) -> int:
        """Return 0 for a tensor without gradient, 1 for a leaf, more for a computed tensor."""
        return int(tensor.requires_grad)

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Make a received tensor require a gradient if its flag requests it."""
        return tensor.requires_grad_() if flag else tensor


def encode(
    value: Any, crossing: Crossing | None = None, buffers: list[memoryview] | None = None
) -> tuple[Any, list[memoryview]]:
    """Return a value as a tree that JSON can represent, and its buffers.

    Args:
        value: the value.
        crossing: the treatment of values that are more than data.
        buffers: those of the same message so far, to which these are added.

    Raises:
        WireError: it is nested too deep, or something in it cannot cross.
    """
    buffers = [] if buffers is None else buffers
    return _out(value, buffers, crossing or Crossing(), 0), buffers


def decode(tree: Any, buffers: list[Any], crossing: Crossing | None = None) -> Any:
    """Rebuild a value from an untrusted tree of :func:`encode`.

    Raises:
        WireError: the tree is not one that :func:`encode` makes.
    """
    try:
        return _in(tree, buffers, crossing or Crossing(), 0)
    except WireError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError, RuntimeError, MemoryError) as error:
        raise WireError(f"what came is no value: {type(error).__name__}: {error}"[:300]) from None


def _out(value: Any, buffers: list[memoryview], crossing: Crossing, depth: int) -> Any:
    if depth > DEEPEST:
        raise WireError(f"a value is nested more than {DEEPEST} deep")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if (kind is int and abs(value) < _EXACT) or (kind is float and math.isfinite(value)):
        return value  # a fast path, because most values are numbers and names
    if kind is str:
        if len(value) > _MOST_SIGNS:
            raise TooLargeError(f"a text of more than {_MOST_SIGNS:,} signs")
        if value.isascii():
            return value
    if is_remote(value):  # regardless of the type that it claims
        return crossing.refer(value)

    def out(item: Any) -> Any:
        return _out(item, buffers, crossing, depth + 1)

    def kept(data: memoryview) -> int:
        buffers.append(data)
        return len(buffers) - 1

    if isinstance(value, Tensor) and is_functorch_wrapped_tensor(value):
        raise WireError(
            "a tensor inside of torch.vmap or torch.func has no numbers of its own; call the "
            "function outside of them, once for each input"
        )
    if isinstance(value, Tensor):
        if unreadable(value):
            return crossing.refer(value)
        if type(value) is not Tensor:
            with torch._C.DisableTorchFunctionSubclass():  # a subclass may override anything
                value = Tensor.as_subclass(value, Tensor)
        dtype, shape, data = tensor_out(value)
        return ["T", dtype, shape, crossing.flag(value), kept(data)]
    if isinstance(value, (np.ndarray, np.generic)) and is_plain_array(value):
        dtype, shape, data = array_out(value)
        return ["n" if isinstance(value, np.generic) else "N", dtype, shape, kept(data)]
    if isinstance(value, str):
        text = str.__str__(value)
        try:
            text.encode()
        except UnicodeEncodeError:  # a lone surrogate
            return ["u", text.encode("utf-32-le", "surrogatepass").hex()]
        return text
    if isinstance(value, int):
        number = int.__int__(value)
        return number if abs(number) < _EXACT else ["i", hex(number)]
    if isinstance(value, float):
        real = float.__float__(value)
        return real if math.isfinite(real) else ["f", float.__repr__(real)]
    if isinstance(value, (bytes, bytearray)):
        return ["b", kept(memoryview(bytes(value)))]
    if isinstance(value, complex):
        return ["c", out(value.real), out(value.imag)]
    if isinstance(value, torch.Size):
        return ["S", list(value)]
    collections: Any = (("t", tuple), ("l", list), ("s", set), ("z", frozenset))
    for tag, kind in collections:
        if isinstance(value, kind):
            note = crossing.hash if tag in "sz" else crossing.items
            note(kind.__len__(value))
            return [tag, [out(item) for item in kind.__iter__(value)]]
    if isinstance(value, dict):
        crossing.hash(dict.__len__(value))
        return ["d", [[out(key), out(item)] for key, item in dict.items(value)]]
    return _rare(value, out, crossing)


def _rare(value: Any, out: Callable[[Any], Any], crossing: Crossing) -> Any:
    if isinstance(value, (Real, Decimal)):  # such as a fraction
        return out(float(value))
    if isinstance(value, slice):
        return ["y", out(value.start), out(value.stop), out(value.step)]
    if isinstance(value, range):
        return ["r", out(value.start), out(value.stop), out(value.step)]
    if value is ...:
        return ["e"]
    if isinstance(value, torch.dtype) and value in _NAMED:
        return ["D", _NAMED[value]]
    if isinstance(value, torch.device):
        return ["v", str(value)]
    if isinstance(value, np.dtype) and is_plain_array(np.empty(0, value)):
        return ["O", value.str]
    name = getattr(value, "__name__", None) if isinstance(value, type) else None
    if name in _TYPES and _TYPES[name] is value:
        return ["k", name]
    return crossing.refer(value)


def _in(tree: Any, buffers: list[Any], crossing: Crossing, depth: int) -> Any:
    if depth > DEEPEST:
        raise WireError(f"a value is nested more than {DEEPEST} deep")
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise WireError("expected a plain value or a list that begins with its kind")
    tag, parts = tree[0], tree[1:]

    def inner(item: Any) -> Any:
        return _in(item, buffers, crossing, depth + 1)

    if tag == "T":
        dtype, shape, flag, place = parts
        if type(flag) is not int or flag < 0:
            raise WireError("expected a flag of a tensor, a number from 0")
        return crossing.tied(tensor_in(dtype, shape, _buffer(buffers, place)), flag)
    if tag in {"N", "n"}:
        dtype, shape, place = parts
        array = array_in(dtype, shape, _buffer(buffers, place))
        if tag == "n" and array.shape:
            raise WireError("expected one number, got an array")
        return array if tag == "N" else array[()]
    if tag == "b":
        return bytes(_buffer(buffers, *parts))
    if tag in {"t", "l", "s", "z", "d", "c", "y", "r"}:
        return _compound(tag, parts, inner, crossing)
    if tag in _REBUILD:
        return _REBUILD[tag](*parts)
    return crossing.resolve(tree)


def _compound(tag: str, parts: list[Any], inner: Callable[[Any], Any], crossing: Crossing) -> Any:
    def hashed(item: Any) -> Any:
        crossing.hash()
        return inner(item)

    if tag == "d":
        return {hashed(key): inner(item) for key, item in parts[0]}
    if tag in {"c", "y", "r"}:
        given = [inner(part) for part in parts]
        if tag == "c" and not all(type(part) is float for part in given):
            raise WireError("expected the two numbers of a complex one")
        return {"c": complex, "y": slice, "r": range}[tag](*given)
    kinds: dict[str, Callable[[Any], Any]] = {"t": tuple, "l": list, "s": set, "z": frozenset}
    if not isinstance(parts[0], list):
        raise WireError("expected the items of a collection")
    each = hashed if tag in {"s", "z"} else inner
    return kinds[tag](each(item) for item in parts[0])


def _buffer(buffers: list[Any], place: Any) -> Any:
    if type(place) is not int or not 0 <= place < len(buffers):
        raise WireError(f"there is no buffer {str(place)[:20]}")
    return buffers[place]


def _float(text: str) -> float:
    if text not in {"nan", "inf", "-inf"}:
        raise WireError("expected nan or an infinity")
    return float(text)


def _size(sizes: list[int]) -> torch.Size:
    if not all(type(n) is int for n in sizes):
        raise WireError("expected whole numbers in a torch.Size")
    return torch.Size(sizes)


_REBUILD: dict[str, Callable[..., Any]] = {
    "i": lambda text: int(text, 16),
    "f": _float,
    "u": lambda text: bytes.fromhex(text).decode("utf-32-le", "surrogatepass"),
    "S": _size,
    "e": lambda: ...,
    "D": lambda name: DTYPES[name],
    "v": torch.device,
    "O": array_dtype,
    "k": lambda name: _TYPES[name],
}
