"""Keys, plans and bounds for 13.quantise_keys, and the size and error of each plan.

A plan (along, group, bits) stores the keys (n, d) of one head: ``group`` neighbours along a token
or along a channel share a scale.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Generator, Tensor

from exercise_bank.ch13.mistakes.quantise_keys_code import (
    Plan,
    chosen,
    errors_of,
    scaled,
    sizes_of,
)
from exercise_bank.draws import more, normal, some
from plaincourse.exercise import Inputs

#: A wrong way to measure plans, and a wrong rule to choose one; empty if they are right.
Slip = tuple[str, str]
BITS = (3, 4, 5, 6, 8)
#: Least distance of a bound from every error, and of a quotient from a tie, relative to a step.
GAP, TIE = 1.15, 2e-4
#: Slips that each choose a different plan in :func:`contested`.
CONTESTED: tuple[Slip, ...] = (
    ("no scales", ""),
    ("scales of rows", ""),
    ("wide scales", ""),
    ("mean", ""),
    ("of keys", ""),
    ("no root", ""),
    ("whole rows", ""),
    ("axes", ""),
    ("signed", ""),
    ("cut", ""),
    ("", "first"),
    ("", "fewest bits"),
    ("", "last"),
)


def plans_for(n: int, d: int, along: Sequence[str] = ("token", "channel")) -> list[Plan]:
    """Return plans with groups of half a row and more, and with all numbers of bits."""
    length = {"token": d, "channel": n}
    return [
        (axis, length[axis] // part, bits)
        for axis in along
        for part in (1, 2)
        if length[axis] % part == 0
        for bits in BITS
    ]


def shuffled(g: Generator, plans: Sequence[Plan], count: int) -> list[Plan]:
    order = torch.randperm(len(plans), generator=g).tolist()
    return [plans[i] for i in order[:count]]


def keys(g: Generator, n: int, d: int, q: int) -> tuple[Tensor, Tensor]:
    """Draw queries and keys with a large channel, of either sign, and one token that is larger."""
    query, key = normal(g, q, d), normal(g, n, d)
    key[:, some(g, 0, d - 1)] *= some(g, 3, 9)
    key[some(g, 0, n - 1)] *= 1 + some(g, 0, 2)
    return query, key


def no_ties(key: Tensor, plans: Sequence[Plan]) -> bool:
    """Return whether every quotient has a single nearest whole number by a wide margin."""
    return all(
        bool(((steps - steps.floor() - 0.5).abs() > TIE).all())
        for steps, _ in (scaled(key, plan) for plan in plans)
    )


def bounds(errors: Sequence[float]) -> Iterator[float]:
    """Yield bounds between the errors, each far from the next."""
    for low, high in pairwise(sorted(errors)):
        if high > GAP * low:
            yield float(f"{(low * high) ** 0.5:.3g}")


def measured(g: Generator, n: int, d: int, plans: Sequence[Plan]) -> Inputs:
    """Draw inputs for measuring each plan."""
    while True:
        query, key = keys(g, n, d, some(g, 2, 4))
        found = list(bounds(errors_of(query, key, plans)))
        if found and no_ties(key, plans):
            bound = found[some(g, 0, len(found) - 1)]
            return {"query": query, "key": key, "plans": list(plans), "bound": bound}


def contested(g: Generator, n: int, d: int, slip: Slip, count: int = 7) -> Inputs:
    """Draw inputs for which a slip chooses another plan than the smallest within the bound."""
    way, rule = slip
    while True:
        plans = shuffled(g, plans_for(n, d), count)
        query, key = keys(g, n, d, some(g, 2, 4))
        sizes, errors = sizes_of(key, plans), errors_of(query, key, plans)
        if len(set(sizes)) < count or not no_ties(key, plans):
            continue
        wrong_sizes = sizes_of(key, plans, way)
        wrong_errors = errors_of(query, key, plans, way)
        for bound in bounds(errors):
            right = chosen(plans, sizes, errors, bound, "")
            easy = {
                chosen(plans, sizes, errors, bound, each)
                for each in ("smallest of all", "most accurate")
            }
            if right in easy or right == chosen(plans, wrong_sizes, wrong_errors, bound, rule):
                continue
            return {"query": query, "key": key, "plans": plans, "bound": bound}


def stretched(g: Generator, n: int, d: int) -> tuple[int, int]:
    return n + 2 * more(g, 2), d + 2 * more(g, 2)
