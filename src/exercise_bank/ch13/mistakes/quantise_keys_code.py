"""Wrong code for the exercise on quantised keys, and the size and error of each plan."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

Plan = tuple[str, int, int]
Choice = int | None


def scaled(key: Tensor, plan: Plan, slip: str = "") -> tuple[Tensor, Tensor]:
    """Return the keys in steps of their scales (n, d), and these scales (n, d)."""
    along, group, bits = plan
    by_token = (along == "token") != (slip in ("axes", "axes, whole groups"))
    by_token |= slip == "always by token, whole groups"
    turned = key.reshape(key.shape[::-1]) if slip == "reshaped" else key.T
    rows = key if by_token else turned
    if slip.endswith("whole groups"):
        rows.unflatten(1, (rows.shape[1] // group, group))  # raises an error if a row has none
    if slip == "whole rows":
        group = rows.shape[1]
    lines = rows.reshape(-1, group)
    if slip == "strided in rows":
        lines = rows.unflatten(1, (group, -1)).mT.reshape(-1, group)
    if slip == "strided":
        lines = rows.reshape(group, -1).T
    if slip == "one scale":
        lines = rows.reshape(1, -1)
    top = 2 ** (bits - 1) - (0 if slip.startswith("one too many") else 1)
    if slip == "all bits":
        top = 2**bits - 1
    largest = (lines if slip == "without abs" else lines.abs()).amax(dim=1, keepdim=True)
    scale = largest / top
    if slip == "from least to largest":
        least = lines.amin(dim=1, keepdim=True)
        scale = (lines.amax(dim=1, keepdim=True) - least) / (2**bits - 1)
        scale = scale.masked_fill(scale == 0, 1.0)
        lines = ((lines - least) / scale).round() + least / scale
        lines = lines * scale
    if slip != "zeros":
        scale = scale.masked_fill(scale == 0, 1.0)
    found = []
    for x in (lines / scale, scale.expand_as(lines)):
        back = (x.T if slip == "strided" else x).reshape(rows.shape)
        if slip == "strided in rows":
            back = x.reshape(len(rows), -1, group).mT.reshape(rows.shape)
        if not by_token:
            back = back.reshape(key.shape) if slip == "reshaped" else back.T
        found.append(back)
    return found[0], found[1]


def sizes_of(key: Tensor, plans: Sequence[Plan], slip: str = "") -> list[int]:
    """Return the bits of codes and scales under each plan."""
    n, d = key.shape
    found = []
    for along, group, bits in plans:
        scales = n * d // group
        if slip == "no scales":
            scales = 0
        if slip == "scales of rows":
            scales = n if along == "token" else d
        if slip == "wide scales":
            scales *= 2
        if slip == "scales of one row":
            scales //= n if along == "token" else d
        if slip == "one scale per plan":
            scales = 1
        found.append(n * d * bits + 16 * scales)
    return found


def errors_of(query: Tensor, key: Tensor, plans: Sequence[Plan], slip: str = "") -> list[float]:
    """Return the largest error of a score under each plan."""
    root = key.shape[1] ** 0.5
    found = []
    for plan in plans:
        steps, scale = scaled(key, plan, slip)
        ways: dict[str, Callable[[Tensor], Tensor]] = {
            "cut": torch.trunc, "down": torch.floor, "from least to largest": torch.clone,
        }  # fmt: skip
        codes = ways.get(slip, torch.round)(steps)
        off = codes * scale - key
        if slip == "of weights":
            exact, rounded = (query @ x.T / root for x in (key, key + off))
            off = rounded.softmax(dim=1) - exact.softmax(dim=1)
        elif slip not in ("of keys", "mean of keys"):
            off = query @ off.T / root
        measure: Callable[[Tensor], Tensor] = {
            "signed": lambda x: x.max(),
            "below": lambda x: (-x).max(),
            "mean": lambda x: x.abs().mean(),
            "mean of keys": lambda x: x.abs().mean(),
            "root of mean": lambda x: x.square().mean().sqrt(),
            "squared": lambda x: x.square().max(),
            "no root": lambda x: x.abs().max() * root,
            "one too many, no root": lambda x: x.abs().max() * root,
            "by the width": lambda x: x.abs().max() / root,
        }.get(slip, lambda x: x.abs().max())
        found.append(measure(off).item())
    return found


def chosen(
    plans: Sequence[Plan], sizes: Sequence[int], errors: Sequence[float], bound: float, rule: str
) -> Choice:
    """Return the number of the smallest plan within the bound, or the choice of a wrong rule."""
    every = range(len(plans))
    if rule == "smallest of all":
        return min(every, key=sizes.__getitem__)
    if rule == "most accurate":
        return min(every, key=errors.__getitem__)
    fit = [i for i in every if errors[i] <= bound]
    if not fit:
        return {"0 for none": 0, "-1 for none": -1}.get(rule) if rule else None
    if rule == "first":
        return fit[0]
    if rule == "last":
        return fit[-1]
    if rule == "largest":
        return max(fit, key=sizes.__getitem__)
    if rule == "least accurate":
        return max(fit, key=errors.__getitem__)
    if rule == "fewest bits":
        return min(fit, key=lambda i: plans[i][2])
    if rule == "place by size":
        return sorted(every, key=sizes.__getitem__).index(min(fit, key=sizes.__getitem__))
    if rule == "place among the fitting":
        return fit.index(min(fit, key=sizes.__getitem__))
    if rule == "first of its size":
        return sizes.index(min(sizes[i] for i in fit))
    if rule == "last of equals":
        return min(reversed(fit), key=sizes.__getitem__)
    return min(fit, key=sizes.__getitem__)


def answered(
    query: Tensor,
    key: Tensor,
    plans: Sequence[Plan],
    bound: float,
    *,
    size: str = "",
    error: str = "",
    rule: str = "",
    none: str = "",
    part: str = "",
) -> tuple[Any, Any, Any]:
    """Answer correctly except for slips in the sizes, the errors, the choice, or the form."""
    sizes, errors = sizes_of(key, plans, size), errors_of(query, key, plans, error)
    choice = chosen(plans, sizes, errors, bound, rule)
    if choice is None and none == "an error":
        raise ValueError("no plan fits")
    if choice is None and none:
        choice = {"0": 0, "-1": -1}.get(none)
        if choice is None:
            choice = chosen(plans, sizes, errors, bound, none)
    if part == "bytes":
        return [each / 8 for each in sizes], errors, choice
    if part == "plan":
        return sizes, errors, None if choice is None else plans[choice]
    if part == "order":
        return errors, sizes, choice
    return sizes, errors, choice


def slipped(**slips: Any) -> Any:
    """Make an answer with these slips."""
    return partial(answered, **slips)
