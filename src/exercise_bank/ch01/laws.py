"""The laws that several exercises of chapter 01 share; their answers are NumPy arrays."""

from typing import Any

import numpy as np
from torch import Generator

from exercise_bank.draws import normal
from plaincourse.exercise import Inputs


def array(g: Generator, *shape: int) -> Any:
    """Draw an array of independent numbers of mean 0 and variance 1."""
    return normal(g, *shape).numpy()


def among_the_values(inputs: Inputs, output: Any) -> str | None:
    """Report an output that is not an array, has the wrong width, or lies outside the values."""
    value = inputs["value"]
    if not isinstance(output, np.ndarray):
        return f"expected a NumPy array, your output is a {type(output).__name__}"
    if output.shape != value.shape[1:]:
        return f"expected shape {value.shape[1:]}, the shape of one value; yours is {output.shape}"
    low, high = value.min(axis=0), value.max(axis=0)
    outside = np.flatnonzero((output < low - 1e-6) | (output > high + 1e-6))
    if not len(outside):
        return None
    j = int(outside[0])
    there = f"the values there run from {low[j]:.4g} to {high[j]:.4g}"
    if low[j] == high[j]:
        there = f"every value there is {low[j]:.4g}"
    return (
        f"a blend lies between the smallest and the largest value; your entry {j} is "
        f"{output[j]:.4g}, and {there}"
    )
