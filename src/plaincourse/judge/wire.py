"""Values as data that can cross between processes: a tree in JSON, and buffers beside it.

There is no pickle. What is rebuilt are plain values of exactly the types listed here; a value of a
subclass arrives as its plain base. Everything else crosses as a reference by number, which a
:class:`Crossing` makes and resolves.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking.remote import is_remote
from plaincourse.judge.arrays import DTYPES, array_out, is_plain_array, is_plain_tensor, tensor_out
from plaincourse.judge.crossing import DEEPEST, TYPES, Crossing
from plaincourse.judge.faults import WireError
from plaincourse.judge.rebuild import decode

__all__ = ["Crossing", "WireError", "decode", "encode"]

_EXACT = 1 << 53
_NAMED = {dtype: name for name, dtype in DTYPES.items()}


def encode(
    value: Any, crossing: Crossing | None = None, buffers: list[memoryview] | None = None
) -> tuple[Any, list[memoryview]]:
    """Return a value as a tree that JSON can write, and its buffers.

    Args:
        value: what shall cross.
        crossing: what to do with what is more than data.
        buffers: those of the same message so far, to which these are added.

    Raises:
        WireError: it is nested too deep, or something in it cannot cross.
    """
    buffers = [] if buffers is None else buffers
    return _out(value, buffers, crossing or Crossing(), 0), buffers


def _out(value: Any, buffers: list[memoryview], crossing: Crossing, depth: int) -> Any:
    if depth > DEEPEST:
        raise WireError(f"a value is nested more than {DEEPEST} deep")
    if value is None or value is True or value is False:
        return value
    if is_remote(value):  # whatever it claims to be
        return crossing.refer(value)

    def out(item: Any) -> Any:
        return _out(item, buffers, crossing, depth + 1)

    def kept(data: memoryview) -> int:
        buffers.append(data)
        return len(buffers) - 1

    if isinstance(value, Tensor) and type(value) is not Tensor:
        with torch._C.DisableTorchFunctionSubclass():  # a student's own type may answer anything
            value = Tensor.as_subclass(value, Tensor)
    if isinstance(value, Tensor) and is_plain_tensor(value):
        dtype, shape, data = tensor_out(value)
        return ["T", dtype, shape, crossing.flag(value), kept(data)]
    if isinstance(value, (np.ndarray, np.generic)) and is_plain_array(value):
        dtype, shape, data = array_out(value)
        return ["n" if isinstance(value, np.generic) else "N", dtype, shape, kept(data)]
    if isinstance(value, str):
        text = str.__str__(value)
        whole = text.isascii() or not any(0xD800 <= ord(each) < 0xE000 for each in text)
        return text if whole else ["u", text.encode("utf-32-le", "surrogatepass").hex()]
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
            if tag in "sz":
                crossing.hash(kind.__len__(value))
            return [tag, [out(item) for item in kind.__iter__(value)]]
    if isinstance(value, dict):
        crossing.hash(dict.__len__(value))
        return ["d", [[out(key), out(item)] for key, item in dict.items(value)]]
    return _rare(value, out, crossing)


def _rare(value: Any, out: Callable[[Any], Any], crossing: Crossing) -> Any:
    if isinstance(value, (Real, Decimal)):  # a fraction, say
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
    if name in TYPES and TYPES[name] is value:
        return ["k", name]
    return crossing.refer(value)
