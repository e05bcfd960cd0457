"""Write values so that a student can read them: small ones in full, large ones by their shape."""

from typing import Any

import numpy as np
from torch import Tensor

from plaincourse.compare import as_tensor

SMALL = 48


def show(value: Any) -> str:
    """Write a value: arrays of up to 48 numbers in full with 4 decimals, others by their shape."""
    if isinstance(value, (Tensor, np.ndarray)):
        array = as_tensor(value)
        kind = "array" if isinstance(value, np.ndarray) else "tensor"
        shape = tuple(array.shape)
        if array.numel() > SMALL:
            return f"a {_dtype(array)} {kind} of shape {shape}"
        if not shape:
            return _number(array.item())
        return _array(array)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(show(item) for item in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, (bool, np.bool_)) or value is None:
        return str(value)
    if isinstance(value, (int, float, np.generic)):
        return _number(value.item() if isinstance(value, np.generic) else value)
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + " …"


def _array(x: Tensor) -> str:
    array = x.numpy()
    if not array.size:
        return f"a {_dtype(x)} tensor of shape {tuple(x.shape)}, empty"
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", max_line_width=100)
    finite = array[np.isfinite(array)]
    whole = bool((finite == np.round(finite)).all())
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    smallest = float(np.abs(finite[finite != 0]).min()) if (finite != 0).any() else 1.0
    wide = largest >= 1e5 or smallest < 5e-5

    def write(number: float) -> str:
        if whole and largest < 1e15:
            return f"{number:.0f}"
        return f"{number:.4g}" if wide else f"{number:.4f}"

    text = {"float_kind": write}
    cells = [write(float(v)) for v in array.reshape(-1)]
    width = max(map(len, cells))
    text = {"float_kind": lambda number: write(number).rjust(width)}
    return np.array2string(array, separator=", ", max_line_width=100, formatter=text)


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _dtype(x: Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")
