"""Values from the tree and the buffers that came, whoever sent them."""

from collections.abc import Callable
from typing import Any

import torch

from plaincourse.judge.arrays import DTYPES, array_dtype, array_in, tensor_in
from plaincourse.judge.crossing import DEEPEST, TYPES, Crossing
from plaincourse.judge.faults import WireError


def decode(tree: Any, buffers: list[Any], crossing: Crossing | None = None) -> Any:
    """Return the value that :func:`encode` took apart. The tree may be anyone's.

    Raises:
        WireError: the tree is not one that :func:`encode` makes.
    """
    try:
        return _in(tree, buffers, crossing or Crossing(), 0)
    except WireError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError, RuntimeError, MemoryError) as error:
        raise WireError(f"what came is no value: {type(error).__name__}: {error}"[:300]) from None


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
    "k": lambda name: TYPES[name],
}
