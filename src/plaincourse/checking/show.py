"""Write values so that a student can read them: small ones in full, large ones by their shape."""

from typing import Any

import numpy as np
from torch import Tensor

from plaincourse.checking.compare import as_tensor, is_array
from plaincourse.checking.difference import dtype_of

SMALL = 48
DEEP = 8


def show(value: Any, *, depth: int = 0) -> str:
    """Write a value: arrays of up to 48 numbers in full with 4 decimals, others by their shape.

    Lists are written up to 48 items, and 8 deep: one may contain itself.
    """
    if is_array(value):
        array, shape = as_tensor(value), tuple(value.shape)
        if 0 < array.numel() <= SMALL:
            return _array(array) if shape else show(array.item())
        noun = "tensor" if isinstance(value, Tensor) else "array"
        return f"a {dtype_of(array)} {noun} of shape {shape}"
    if isinstance(value, (tuple, list)):
        if depth == DEEP:
            return "…"
        inner = ", ".join(show(item, depth=depth + 1) for item in value[:SMALL])
        inner += ", …" if len(value) > SMALL else ""
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, np.generic):
        return show(value.item())
    if isinstance(value, float):
        return f"{value:.6g}"
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + " …"


def _array(x: Tensor) -> str:
    """Write a small array row by row, with its numbers below each other."""
    array: Any = (x.double() if x.is_floating_point() else x).numpy()  # NumPy has no bfloat16
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", max_line_width=100)
    finite = array[np.isfinite(array)]
    sizes = np.abs(finite[finite != 0])
    whole = bool((finite == np.round(finite)).all()) and not (sizes >= 1e15).any()
    extreme = bool((sizes >= 1e5).any() or (sizes < 5e-5).any())
    form = ".0f" if whole else ".4g" if extreme else ".4f"
    width = max(len(f"{number:{form}}") for number in array.reshape(-1))

    def write(number: Any) -> str:
        return f"{number:{form}}".rjust(width)

    return np.array2string(
        array, separator=", ", max_line_width=100, formatter={"float_kind": write}
    )
