"""What a call wrote into its arguments: seen on one side, done again on the other."""

from typing import Any

import numpy as np
from torch import Tensor

from plaincourse.judge.crossing import Crossing
from plaincourse.judge.wire import encode


class _Marks(Crossing):
    """Objects that stay where they are count as unchanged."""

    def refer(self, value: Any) -> list[Any]:
        return ["x", id(value)]


def snapshot(value: Any) -> tuple[Any, list[bytes]]:
    """Return what tells whether a value was written into since."""
    tree, buffers = encode(value, _Marks())
    return tree, [bytes(each) for each in buffers]


def redo(original: Any, changed: Any) -> None:
    """Write into a value in place what makes it equal to another; only data is written.

    What cannot be written in place, such as another shape of a NumPy array, is left as it is.
    """
    if isinstance(original, Tensor) and isinstance(changed, Tensor):
        new = changed.detach()
        if original.shape == new.shape and original.dtype == new.dtype:
            original.data.copy_(new)
        else:
            original.data = new
    elif isinstance(original, np.ndarray) and isinstance(changed, np.ndarray):
        if original.shape != changed.shape and original.size == changed.size:
            original.shape = changed.shape
        if original.shape == changed.shape and original.dtype == changed.dtype:
            original[...] = changed
    elif isinstance(original, list) and isinstance(changed, list):
        both = list(zip(original, changed, strict=False))
        original[:] = [_redone(old, new) for old, new in both] + changed[len(both) :]
    elif isinstance(original, dict) and isinstance(changed, dict):
        for key in [key for key in original if key not in changed]:
            del original[key]
        for key, new in changed.items():
            original[key] = _redone(original[key], new) if key in original else new
    elif isinstance(original, tuple) and isinstance(changed, tuple):
        for old, new in zip(original, changed, strict=False):
            redo(old, new)
    elif isinstance(original, set) and isinstance(changed, set):
        original.clear()
        original |= changed


def _redone(old: Any, new: Any) -> Any:
    """Return the old value, written into, where that can be; else the new one."""
    kinds = (Tensor, np.ndarray, list, dict, set, tuple)
    for kind in kinds:
        if isinstance(old, kind) and isinstance(new, kind):
            redo(old, new)
            return new if kind is tuple and old is not new and len(old) != len(new) else old
    return new


def copied(value: Any) -> Any:
    """Return a copy of data into which one may write without changing the original."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(copied(each) for each in value)
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return value.copy() if hasattr(value, "__array__") and hasattr(value, "copy") else value
