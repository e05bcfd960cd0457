"""Laws about masks that ignore properties tested elsewhere: type, axes, polarity."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from plaincourse.exercise import Inputs, Law

Masks = Callable[[Inputs], Tensor]


def form(right: Masks) -> Law:
    """Make a law that an answer is a boolean mask of the right shape, with two values in it."""

    def law(inputs: Inputs, mask: Any) -> str | None:
        wanted = tuple(right(inputs).shape)
        if not isinstance(mask, Tensor):
            return f"return a tensor; yours is a {type(mask).__name__}"
        if mask.dtype != torch.bool:
            below = " and numbers below 0" if (mask < 0).any() else ""
            return f"a mask is boolean, True for an open key; yours has dtype {mask.dtype}{below}"
        if mask.shape != wanted:
            return f"the shape is {wanted}; yours is {tuple(mask.shape)}"
        if mask.all() or not mask.any():
            return f"every entry of your mask is {bool(mask.all())}; it should hide some keys only"
        return None

    return law


def sees(right: Masks, *, only: Masks | None = None, either: bool = False) -> Law:
    """Make a law about a mask's pattern, whatever its type and its axes of size 1.

    Args:
        right: the right mask.
        only: the entries that the law covers; all if left out.
        either: whether True may also mean hidden.
    """

    def law(inputs: Inputs, mask: Any) -> str | None:
        expected = right(inputs)
        found = pattern(mask, expected, loosely=either)
        if found is None:
            got = tuple(mask.shape) if isinstance(mask, Tensor) else type(mask).__name__
            return f"a mask has an entry for each key, {tuple(expected.shape)}; yours is {got}"
        here = torch.ones_like(expected) if only is None else only(inputs)
        uniform = [bool(each.all()) or not each.any() for each in (found, expected)]
        if uniform == [True, False]:
            return f"every entry of your mask is {bool(found.all())}; it should hide some keys only"
        if either and not ((found != ~expected) & here).any():
            return None
        wrong = ((found != expected) & here).nonzero()
        if not len(wrong):
            return None
        place = tuple(wrong[0].tolist())
        sequence = f" of sequence {place[0]}" if expected.ndim == 4 else ""
        who = f"query {place[-2]}" if expected.shape[-2] > 1 else "a query"
        may, does = ("may", "hides it") if expected[place] else ("may not", "leaves it open")
        return f"{who}{sequence} {may} attend to key {place[-1]}, and your mask {does}"

    return law


def pattern(mask: Any, like: Tensor, *, loosely: bool = False) -> Tensor | None:
    """Read a mask of any type as True where a query may attend, or return None if that fails.

    Args:
        mask: an answer's mask; axes of size 1 may be missing.
        like: the right mask.
        loosely: whether axes of size 1 may also be in other places.
    """
    if not isinstance(mask, Tensor) or mask.numel() != like.numel():
        return None
    if [n for n in mask.shape if n > 1] != [n for n in like.shape if n > 1]:
        return None
    if mask.ndim == like.ndim and mask.shape != like.shape and not loosely:
        return None
    if mask.dtype == torch.bool:
        return mask.reshape(like.shape)
    if mask.is_floating_point() and not mask.any():
        return torch.full_like(like, bool(like.all()))  # added, zeros open all; as factors, none
    added = mask.is_floating_point() and bool((mask < 0).any())
    return (mask == 0 if added else mask != 0).reshape(like.shape)
