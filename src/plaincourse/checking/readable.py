"""Names of tensors and arrays whose numbers a check cannot read, with advice for each.

A report names and shows a sparse tensor, a nested tensor or an array of objects. The check does not
compare it, neither in a student's own notebook nor in the grading.
"""

import re
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: The dtypes of tensors that can be read, by their names.
DTYPES = {
    name: getattr(torch, name)
    for name in (
        "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
        "complex64 complex128 float8_e4m3fn float8_e5m2"
    ).split()
    if hasattr(torch, name)
}
_READ = frozenset(DTYPES.values())
#: The dtypes of arrays that can be read, by NumPy's codes.
ARRAYS = re.compile(r"[<>|=][biufcSU]\d{1,5}")
#: For each key: the name of a kind of value, and advice.
_WORDS = {
    "sparse": ("a sparse tensor", "return a dense one, by `.to_dense()`"),
    "nested": ("a nested tensor", "return one tensor of one shape"),
    "quantised": ("a quantised tensor", "return its numbers, by `.dequantize()`"),
    "meta": ("a tensor on the meta device", "it has no numbers; compute it on the CPU"),
    "device": ("a tensor that is not in the memory of the CPU", "return it by `.cpu()`"),
    "layout": ("a tensor in a layout of its own", "return a dense one, by `.to_dense()`"),
    "type": ("a tensor of a type of its own", "its numbers are elsewhere; return a plain one"),
    "objects": ("a NumPy array of Python objects", "return an array of numbers"),
    "records": ("a NumPy array of records", "return an array of numbers"),
    "dates": ("a NumPy array of dates or times", "return an array of numbers"),
}
_DTYPE = "dtype "
_KINDS = {"O": "objects", "V": "records", "M": "dates", "m": "dates"}
_DEEPEST = 4


class Unread:
    """A tensor or an array that an answer returned and whose numbers cannot be read.

    Args:
        key: the result of :func:`unreadable`.
        text: its ``repr``.
    """

    __slots__ = ("_text", "key")

    def __init__(self, key: str, text: str) -> None:
        self.key, self._text = key, text

    def __repr__(self) -> str:
        return self._text

    @property
    def words(self) -> str:
        """Its name in a sentence, with an article."""
        return _said(self.key)[0]


def unreadable(value: Any) -> str:
    """Return a key for the reason why a tensor or an array cannot be read; ``""`` if it can."""
    if type(value) is Tensor:
        return _of_tensor(value)
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunctionSubclass():  # a subclass may override anything
            return _of_tensor(value)
    if isinstance(value, (np.ndarray, np.generic)) and not ARRAYS.fullmatch(value.dtype.str):
        return _KINDS.get(value.dtype.kind, "records")
    return ""


def _of_tensor(value: Tensor) -> str:
    if value.is_nested:
        return "nested"
    if torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python):
        return "type"
    if value.is_quantized:
        return "quantised"
    if value.layout is not torch.strided:
        return "sparse" if str(value.layout).startswith("torch.sparse") else "layout"
    if value.device.type != "cpu":
        return "meta" if value.is_meta else "device"
    return "" if value.dtype in _READ else f"{_DTYPE}{str(value.dtype).removeprefix('torch.')}"


def is_key(key: Any) -> bool:
    """Return whether an untrusted value is a key of :func:`unreadable`."""
    return type(key) is str and bool(_said(key)[0])


def _said(key: str) -> tuple[str, str]:
    name = key.removeprefix(_DTYPE)
    if name != key and name.isidentifier() and isinstance(getattr(torch, name, None), torch.dtype):
        return f"a tensor of dtype {name}", "return it in float32, or as the annotation says"
    return _WORDS.get(key, ("", ""))


def complaint(value: Any, depth: int = _DEEPEST) -> str:
    """Describe a part of an output that cannot be read; the sentence lacks its full stop.

    Args:
        value: the output.
        depth: the number of levels to descend through tuples, lists and dictionaries.

    Returns:
        An empty string if all of it can be read.
    """
    if type(value) is Unread:
        what, instead = _said(value.key)
        return f"your function returns {what}, which the check cannot read: {instead}"
    if depth and type(value) is dict:
        value = list(value.values())
    if depth and type(value) in (tuple, list):
        return next(filter(None, (complaint(each, depth - 1) for each in value[:1000])), "")
    return ""
