"""Checks of what an answer gives to a closed box, the same for every box of a task.

Whatever a box would do with an argument out of range, each kind of box would do in its own way, and
so say which kind it is. A refusal says nothing of that.
"""

import operator
from typing import Any

import torch
from torch import Tensor

#: How many numbers a box takes at most: more than any probe needs.
MOST_NUMBERS = 4_000_000


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


def numbers(name: str, value: Any, axes: int, *, hidden: bool = False) -> Tensor:
    """Return a tensor of real numbers.

    Args:
        name: what it is called.
        value: what was given.
        axes: how many axes it has.
        hidden: whether some of its numbers may be -inf.

    Raises:
        TypeError: it is something other than a tensor of real numbers.
        ValueError: it has other axes, too many numbers, or one that is nan or infinite.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} is a {type(value).__name__}: expected a tensor")
    if value.is_complex() or value.dtype == torch.bool or value.layout != torch.strided:
        raise TypeError(f"{name} is a tensor of {value.dtype}: expected real numbers")
    if value.ndim != axes:
        raise ValueError(f"{name} has shape {tuple(value.shape)}: expected {axes} axes")
    if value.numel() > MOST_NUMBERS:
        raise ValueError(f"{name} has {value.numel()} numbers: expected at most {MOST_NUMBERS}")
    if value.is_floating_point():
        bad = value.isnan() | (value.isinf() & (value > 0) if hidden else value.isinf())
        if bad.any():
            allowed = "numbers or -inf" if hidden else "finite numbers"
            raise ValueError(f"{name} holds nan or inf: expected {allowed}")
    return value
