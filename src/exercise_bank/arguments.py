"""Argument checks shared by all closed boxes of a task.

The kinds of box would each treat an argument out of range differently, and so reveal their kind. A
refusal by a shared check reveals nothing.
"""

import math
import operator
from typing import Any

import torch
from torch import Tensor

#: Limits on the number of elements and the length of an axis that a box accepts: above any probe's
#: needs.
MOST_NUMBERS = 4_000_000
LONGEST = 4096


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number.

    Args:
        name: name of the argument, for messages.
        value: the argument.
        least: smallest allowed value.
        most: largest allowed value.

    Raises:
        TypeError: it is not a whole number: a float, a text, True or False.
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
        name: name of the list, for messages.
        values: the argument.
        least: smallest allowed number.
        most: largest allowed number.

    Raises:
        TypeError: it is not a list of whole numbers.
        ValueError: a number is out of range.
    """
    if isinstance(values, Tensor) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        raise TypeError(f"{name} is a {type(values).__name__}: expected a list of whole numbers")
    return [whole(f"{name}[{i}]", each, least, most) for i, each in enumerate(values)]


def in_reach(least: int = 1, most: int = LONGEST, **counts: int) -> None:
    """Refuse sizes out of range, once the shapes are known to fit.

    Args:
        least: smallest allowed size.
        most: largest allowed size.
        counts: the sizes, by their plural names: ``steps=5``.

    Raises:
        ValueError: a size is out of range.
    """
    for what, count in counts.items():
        if not least <= count <= most:
            raise ValueError(f"there are {count} {what}: expected {least} to {most}")


def true_or_false(name: str, value: Any) -> bool:
    """Return a truth value.

    Args:
        name: name of the argument, for messages.
        value: the argument.

    Raises:
        TypeError: it is not a truth value.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: expected True or False")
    return value


def numbers(
    name: str, value: Any, axes: int | None, *, hidden: bool = False, wild: bool = False
) -> Tensor:
    """Return a tensor of float32 or float64; whole numbers are accepted too.

    Args:
        name: name of the argument, for messages.
        value: the argument.
        axes: number of axes; if None, two or more, none of them empty.
        hidden: whether -inf is allowed.
        wild: whether nan and infinities are allowed, for boxes that all can compute with them.

    Raises:
        TypeError: it is not a tensor of such numbers.
        ValueError: it has the wrong axes, too many numbers, or a number that is nan or infinite.
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
        named: the tensors, by their names; each is checked by :func:`numbers`.
    """
    floating = [x.dtype for x in named.values() if x.is_floating_point()]
    dtype = torch.float64 if torch.float64 in floating else torch.float32
    return [x.to(dtype) for x in named.values()]


def queries_keys_values(query: Any, key: Any, value: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return query (..., q, d), key (..., k, d) and value (..., k, e), with the same batch axes.

    Args:
        query: the argument of this name.
        key: likewise.
        value: likewise.

    Raises:
        TypeError: one is not a tensor of real numbers.
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
    """Return the broadcast shape of all batch axes, or ``None`` if they do not fit.

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
