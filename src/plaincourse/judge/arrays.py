"""Convert tensors and arrays to dtype, shape and bytes, and back."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking.noticing import unwatched
from plaincourse.checking.readable import ARRAYS, DTYPES
from plaincourse.judge.faults import WireError

_NAMES = {dtype: name for name, dtype in DTYPES.items()}
#: The dtypes that NumPy also has.
_ALIKE = {
    kind: np.dtype(name)
    for name, kind in DTYPES.items()
    if name != "bfloat16" and not name.startswith("float8")
}
_MOST_AXES = 32
_MOST_ON_AN_AXIS = 1 << 40


def is_plain_array(value: Any) -> bool:
    """Return whether a NumPy array or scalar holds numbers or texts of a fixed length."""
    return isinstance(value, (np.ndarray, np.generic)) and bool(ARRAYS.fullmatch(value.dtype.str))


def tensor_out(value: Tensor) -> tuple[str, list[int], memoryview]:
    """Return dtype, shape and bytes of a tensor."""
    if type(value) is Tensor:  # reading it runs no code of a subclass
        return _unwatched_out(value)
    return _out(value)


def _out(value: Tensor) -> tuple[str, list[int], memoryview]:
    if type(value) is Tensor and value.dtype in _ALIKE and not (value.is_conj() or value.is_neg()):
        array = value.detach().numpy()
        bytes_ = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return _NAMES[value.dtype], list(array.shape), memoryview(bytes_)  # type: ignore[arg-type]
    plain = value.detach().as_subclass(Tensor).resolve_conj().resolve_neg().contiguous()
    # A column of one row counts as contiguous but keeps its stride; viewing bytes needs stride 1.
    flat = plain.as_strided((plain.numel(),), (1,)).view(torch.uint8).numpy()
    return _NAMES[plain.dtype], list(plain.shape), memoryview(flat)  # type: ignore[arg-type]


_unwatched_out = unwatched(_out)


@unwatched
def tensor_in(dtype: Any, shape: Any, data: Any) -> Tensor:
    """Make a tensor from its dtype, shape and bytes.

    Raises:
        WireError: they are inconsistent.
    """
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise WireError(f"expected a dtype of torch, got {str(dtype)[:40]!r}")
    kind = DTYPES[dtype]
    sizes, bytes_ = _sizes(shape), memoryview(data).nbytes
    if math.prod(sizes) * kind.itemsize != bytes_:
        raise WireError(f"a tensor of shape {sizes} and dtype {dtype} has not {bytes_} bytes")
    if not bytes_:
        return torch.empty(sizes, dtype=kind)
    if kind in _ALIKE and kind is not torch.bool:
        return torch.from_numpy(np.frombuffer(data, dtype=_ALIKE[kind]).reshape(sizes))
    raw = torch.from_numpy(np.frombuffer(data, dtype=np.uint8))
    # A bool stored as a byte other than 0 and 1 behaves as both.
    return ((raw != 0) if kind is torch.bool else raw.view(kind)).reshape(sizes)


def array_out(value: Any) -> tuple[str, list[int], memoryview]:
    """Return dtype, shape and bytes of an array or a NumPy scalar."""
    plain = np.ascontiguousarray(value, dtype=value.dtype).view(np.ndarray)
    flat = np.frombuffer(plain.tobytes(), dtype=np.uint8)
    return plain.dtype.str, list(np.shape(value)), memoryview(flat)  # type: ignore[arg-type]


def array_in(dtype: Any, shape: Any, data: Any) -> Any:
    """Make an array from its dtype, shape and bytes.

    Raises:
        WireError: they are inconsistent, or the bytes are not valid values.
    """
    kind, sizes = array_dtype(dtype), _sizes(shape)
    bytes_ = memoryview(data).nbytes
    if math.prod(sizes) * kind.itemsize != bytes_:
        raise WireError(f"an array of shape {sizes} and dtype {dtype} has not {bytes_} bytes")
    if not bytes_:
        return np.empty(sizes, dtype=kind)
    raw = np.frombuffer(data, dtype=np.uint8)
    if kind.kind == "U" and (raw.view(kind.str[0] + "u4") > 0x10FFFF).any():
        raise WireError("an array of texts holds what is no character")
    return ((raw != 0) if kind.kind == "b" else raw.view(kind)).reshape(sizes)


def array_dtype(name: Any) -> Any:
    """Return a NumPy dtype by its code, such as ``"<f8"``.

    Raises:
        WireError: it is not a dtype that may cross.
    """
    if not isinstance(name, str) or not ARRAYS.fullmatch(name):
        raise WireError(f"expected a NumPy dtype such as '<f8', got {str(name)[:40]!r}")
    try:
        kind = np.dtype(name)
    except TypeError as error:
        raise WireError(f"there is no NumPy dtype {name!r}") from error
    return kind


def _sizes(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or len(shape) > _MOST_AXES:
        raise WireError(f"expected the sizes of at most {_MOST_AXES} axes")
    if not all(type(n) is int and 0 <= n <= _MOST_ON_AN_AXIS for n in shape):
        raise WireError(f"expected sizes from 0 to {_MOST_ON_AN_AXIS}")
    return tuple(shape)
