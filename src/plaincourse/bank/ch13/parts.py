"""Laws that look at one part of what an answer returns, so that a slip costs what it is worth."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from plaincourse.difference import difference
from plaincourse.exercise import Inputs, Law

Right = Callable[[Inputs], tuple[Any, ...]]


def part(right: Right, number: int, name: str) -> Law:
    """Make a law about one of the outputs.

    Args:
        right: gives all outputs as they should be.
        number: which of them the law is about, from 0.
        name: what it is called, as in "your log-sum-exp is 2".
    """

    def law(inputs: Inputs, answer: Any) -> str | None:
        expected = right(inputs)
        if not isinstance(answer, (tuple, list)) or len(answer) != len(expected):
            return f"return a tuple of {len(expected)}"
        said = difference(expected[number], answer[number], rtol=1e-5, atol=5e-6, dtype="kind")
        return said and said.replace("your output", f"your {name}", 1)

    return law


def up_to_a_factor(right: Right, number: int, name: str) -> Law:
    """Make a law about one of the outputs that overlooks a factor common to all of its numbers.

    Args:
        right: gives all outputs as they should be.
        number: which of them the law is about, from 0.
        name: what it is called.
    """
    exact = part(right, number, name)

    def law(inputs: Inputs, answer: Any) -> str | None:
        said, wanted = exact(inputs, answer), right(inputs)[number]
        if said is None or not isinstance(answer, (tuple, list)) or len(answer) <= number:
            return said
        found = answer[number]
        if not isinstance(found, Tensor) or found.shape != wanted.shape:
            return said
        ratio = found.double() / wanted.double()
        first = ratio.flatten()[0]
        alike = torch.allclose(ratio, first.expand_as(ratio), rtol=1e-5)
        return None if alike and bool(first > 0) else said

    return law
