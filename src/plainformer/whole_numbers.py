"""Whole numbers of any library: one check for all arguments that are counts."""

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

import torch
from torch import Tensor

if TYPE_CHECKING:
    Whole = int
else:
    # The type of an argument that ``whole`` reads: int, or an integer of NumPy or PyTorch.
    Whole = SupportsIndex


def whole(value: object, name: str, *, least: int | None = None, of: str = "") -> int:
    """Return a whole number as Python's ``int``.

    Integers of NumPy and PyTorch without a dimension are accepted like Python's own. A truth value
    is refused, because ``top_k=True`` is a mistake and does not mean ``top_k=1``.

    Args:
        value: the number.
        name: its name in messages.
        least: the smallest number that is allowed; any when left out.
        of: the unit that it counts, for the message, such as " of tokens".

    Raises:
        ValueError: it is not a whole number, or below ``least``.

    >>> whole(torch.tensor(3), "top_k")
    3
    """
    tensor = isinstance(value, Tensor) and (value.ndim > 0 or value.dtype == torch.bool)
    try:
        if isinstance(value, bool) or tensor:
            raise TypeError
        number = index(value)  # type: ignore[arg-type]  # without an index: TypeError
    except TypeError:
        raise ValueError(f"{name}={value!r:.80}: expected a whole number{of}") from None
    if least is not None and number < least:
        raise ValueError(f"{name}={number}: expected at least {least}")
    return number


def wholes(values: object, name: str) -> list[int]:
    """Return a sequence of whole numbers as a list of Python's ``int``.

    Args:
        values: a list, a tuple, an array or a tensor of one dimension.
        name: their name in messages.

    Raises:
        ValueError: one of them is not a whole number, or they are not a sequence.

    >>> wholes(torch.tensor([5, 3]), "prompt")
    [5, 3]
    """
    values = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(values, Iterable):
        raise ValueError(f"{name}={values!r:.80}: expected a sequence of whole numbers")
    numbers = list(values)
    if all(type(number) is int for number in numbers):
        return numbers
    return [whole(number, name) for number in numbers]
