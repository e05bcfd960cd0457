"""Checks of what an answer gives to a closed box, the same for every box of a task.

Whatever a box would do with an argument out of range, each kind of box would do in its own way, and
so say which kind it is. A refusal says nothing of that.
"""

import math
import operator
from typing import Any

import torch
from torch import Tensor

#: How many numbers a box takes at most, and how long an axis: more than any probe needs.
MOST_NUMBERS = 4_000_000
LONGEST = 4096


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number.

    Args:
        name: what it is called.
        value: what was given.
        least: the smallest that is taken.
        most: the largest.

    Raises:
        TypeError: it is something other than a whole number: a float, a text, True or False.
        ValueError: it is out of range.
    """
    if isinstance(value, Tensor) and value.ndim == 0 and not value.is_floating_point():
        value = value.item()
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: expected a whole number")
    if not least <= number <= most:
        raise ValueError(f"{name}={number}: expected {least} to {most}")
    return number


def wholes(name: str, values: Any, least: int, most: int) -> list[int]:
    """Return a list of whole numbers.

    Args:
        name: what the list is called.
        values: what was given.
        least: the smallest number that is taken.
        most: the largest.

    Raises:
        TypeError: it is something other than a list of whole numbers.
        ValueError: one is out of range.
    """
    if isinstance(values, Tensor) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        raise TypeError(f"{name} is a {type(values).__name__}: expected a list of whole numbers")
    return [whole(f"{name}[{i}]", each, least, most) for i, each in enumerate(values)]


def in_reach(least: int = 1, most: int = LONGEST, **counts: int) -> None:
    """Refuse sizes that a box does not take, after their shapes were found to fit.

    Args:
        least: the smallest that is taken.
        most: the largest.
        counts: how many there are, by what they are: ``steps=5``.

    Raises:
        ValueError: one is out of range.
    """
    for what, count in counts.items():
        if not least <= count <= most:
            raise ValueError(f"there are {count} {what}: expected {least} to {most}")


def true_or_false(name: str, value: Any) -> bool:
    """Return a truth value.

    Args:
        name: what it is called.
        value: what was given.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: expected True or False")
    return value


def numbers(
    name: str, value: Any, axes: int | None, *, hidden: bool = False, wild: bool = False
) -> Tensor:
    """Return a tensor of floating numbers: float32 or float64; whole numbers serve as well.

    Args:
        name: what it is called.
        value: what was given.
        axes: how many axes it has; none for two or more, of which none is empty.
        hidden: whether some of its numbers may be -inf.
        wild: whether they may be nan and infinite, for boxes that all can compute with them.

    Raises:
        TypeError: it is something other than a tensor of such numbers.
        ValueError: it has other axes, too many numbers, or one that is nan or infinite.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} is a {type(value).__name__}: expected a tensor")
    small = value.is_floating_point() and value.dtype not in (torch.float32, torch.float64)
    if value.layout != torch.strided or value.device.type != "cpu":
        raise TypeError(
            f"{name} is a tensor of layout {value.layout} on device {value.device}: expected "
            "torch.strided on cpu"
        )
    if small or value.is_quantized or value.is_complex() or value.dtype == torch.bool:
        raise TypeError(
            f"{name} is a tensor of {value.dtype}: expected real numbers, float32 or float64"
        )
    if value.ndim != axes if axes is not None else value.ndim < 2:
        wanted = "2 or more" if axes is None else axes
        raise ValueError(f"{name} has shape {tuple(value.shape)}: expected {wanted} axes")
    if axes is None and (not value.numel() or max(value.shape) > LONGEST):
        raise ValueError(f"{name} has shape {tuple(value.shape)}: expected axes of 1 to {LONGEST}")
    if value.numel() > MOST_NUMBERS:
        raise ValueError(f"{name} has {value.numel()} numbers: expected at most {MOST_NUMBERS}")
    if not value.is_floating_point():
        return value.to(torch.get_default_dtype())
    if wild:
        return value
    bad = value.isnan() | (value.isinf() & (value > 0) if hidden else value.isinf())
    if bad.any():
        allowed = "numbers or -inf" if hidden else "finite numbers"
        raise ValueError(f"{name} holds nan or inf: expected {allowed}")
    return value


def alike(**named: Any) -> list[Tensor]:
    """Return tensors of numbers in the widest of their floating types.

    Args:
        named: the tensors, by their names; each was refused or taken by :func:`numbers`.
    """
    floating = [x.dtype for x in named.values() if x.is_floating_point()]
    dtype = torch.float64 if torch.float64 in floating else torch.float32
    return [x.to(dtype) for x in named.values()]


def queries_keys_values(query: Any, key: Any, value: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return query (..., q, d), key (..., k, d) and value (..., k, e), with the same batch axes.

    Args:
        query: what was given for it.
        key: likewise.
        value: likewise.

    Raises:
        TypeError: one is something other than a tensor of real numbers.
        ValueError: their sizes do not fit, or are too large.
    """
    named = {"query": query, "key": key, "value": value}
    query, key, value = alike(
        **{name: numbers(name, x, None, wild=True) for name, x in named.items()}
    )
    (q, d), (k, width), (values, e) = (x.shape[-2:] for x in (query, key, value))
    batch = together(query, key, value)
    wrong = ""
    if d != width or k != values:
        wrong = "expected (..., q, d), (..., k, d) and (..., k, e)"
    elif batch is None:
        wrong = "the axes before the last two do not fit"
    elif math.prod(batch) * q * k > MOST_NUMBERS:
        wrong = f"expected at most {MOST_NUMBERS} pairs of a query and a key"
    if wrong or batch is None:
        shapes = f"query is {_shape(query)}, key {_shape(key)} and value {_shape(value)}"
        raise ValueError(f"{shapes}: {wrong}")
    if not batch:
        return query, key, value
    return query.expand(*batch, q, d), key.expand(*batch, k, d), value.expand(*batch, k, e)


def together(*tensors: Tensor) -> torch.Size | None:
    """Return the shape of all batch axes together, or ``None`` where they do not fit.

    Args:
        tensors: the batch axes are all but the last two.
    """
    if all(x.ndim == 2 for x in tensors):
        return torch.Size()
    try:
        return torch.broadcast_shapes(*(x.shape[:-2] for x in tensors))
    except RuntimeError:
        return None


def _shape(x: Tensor) -> str:
    return str(tuple(x.shape))
