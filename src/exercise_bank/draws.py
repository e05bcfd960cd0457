"""Draws of inputs, and laws that several exercises share.

Sizes are awkward on purpose. *Lookalike* sizes (b = h = q = k = d) let a mistake in the axes
through with the right shape, so that its numbers are wrong; unequal sizes make it fail.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Inputs

Shape = tuple[int, ...]
TOLERANCE = 1e-6


def normal(g: Generator, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Draw independent numbers of mean 0 and variance 1."""
    return torch.randn(*shape, generator=g, dtype=torch.float64).to(dtype)


def single(g: Generator, *shape: int) -> Tensor:
    """Draw such numbers in float32, the type of the examples in the prompts."""
    return normal(g, *shape, dtype=torch.float32)


def spread(g: Generator, *shape: int, step: float = 1.0) -> Tensor:
    """Draw numbers whose rows contain no close pair: shuffled steps, with a little noise."""
    order = torch.rand(*shape, generator=g, dtype=torch.float64).argsort(dim=-1)
    return step * (order - (shape[-1] - 1) / 2 + 0.2 * normal(g, *shape).clamp(-1, 1))


def some(g: Generator, low: int, high: int) -> int:
    """Draw a whole number from low to high, both included."""
    return int(torch.randint(low, high + 1, (), generator=g))


def more(g: Generator, most: int = 3) -> int:
    """Draw how much larger a size is than in the visible inputs, from 0 to most; there it is 0.

    Visible inputs therefore predict neither sizes nor results of hidden ones.
    """
    return some(g, 0, most) if isinstance(g, Fresh) else 0


def stretched(g: Generator, *sizes: int, most: int = 2) -> list[int]:
    """Return the sizes of visible inputs, each of them larger by chance in hidden ones."""
    return [size + more(g, most) for size in sizes]


def pair(g: Generator, q: int, k: int, d: int, batch: Shape = (), *, size: float = 1.0) -> Inputs:
    """Draw a query (..., q, d) and a key (..., k, d); ``size`` multiplies both."""
    return {"query": size * normal(g, *batch, q, d), "key": size * normal(g, *batch, k, d)}


def triple(
    g: Generator, q: int, k: int, d: int, e: int, batch: Shape = (), *, size: float = 1.0
) -> Inputs:
    """Draw a query (..., q, d), a key (..., k, d) and a value (..., k, e)."""
    return {**pair(g, q, k, d, batch, size=size), "value": normal(g, *batch, k, e)}


def in_float32(inputs: Inputs) -> Inputs:
    """Return the same inputs with float32 for every other float type."""
    return _retyped(inputs, torch.float32)


def in_float64(inputs: Inputs) -> Inputs:
    """Return the same inputs with float64 for every other float type."""
    return _retyped(inputs, torch.float64)


def _retyped(inputs: Inputs, dtype: torch.dtype) -> Inputs:
    return {
        name: x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x
        for name, x in inputs.items()
    }


def together(parts: Sequence[Tensor]) -> tuple[list[Tensor], torch.dtype]:
    """Return an answer's tensors in float64, and their coarsest type, which bounds their precision.

    A grader multiplies with them, and an answer may use float32 although the inputs are float64.
    """
    tensors = [torch.as_tensor(part) for part in parts]
    kinds = [x.dtype for x in tensors if x.is_floating_point()]
    coarsest = max(kinds, key=lambda kind: torch.finfo(kind).eps, default=torch.float64)
    return [x.double() for x in tensors], coarsest


def rows_sum_to_1(inputs: Inputs, weights: Tensor) -> str | None:
    """Report a row of weights with a wrong sum, and the sum."""
    if not weights.isfinite().all():
        wrong = int((~weights.isfinite()).sum())
        return f"{wrong} of your {weights.numel()} weights are nan or inf"
    if (weights < 0).any():
        return f"a weight is never negative; your smallest is {weights.min().item():.4g}"
    sums = weights.sum(dim=-1)
    off = ((sums - 1).abs() > _tolerance(weights, inputs)).nonzero()
    if not len(off):
        return None
    place = tuple(off[0].tolist())
    found = sums[place].item()
    return (
        f"your row {list(place)} sums to {found:.4g} over the keys, where each should sum to 1; "
        f"{len(off)} of {sums.numel()} rows are off"
    )


def within_the_values(inputs: Inputs, output: Tensor) -> str | None:
    """Report a feature of the output outside the range of the values that it averages."""
    value = inputs["value"]
    if output.shape[-1] != value.shape[-1]:
        return f"the output has width {output.shape[-1]}; the values have {value.shape[-1]}"
    if not output.isfinite().all():
        return f"{int((~output.isfinite()).sum())} of your {output.numel()} outputs are nan or inf"
    low, high = value.amin(dim=-2, keepdim=True), value.amax(dim=-2, keepdim=True)
    slack = _tolerance(output, inputs)
    wrong = ((output < low - slack) | (output > high + slack)).nonzero()
    if not len(wrong):
        return None
    place = tuple(wrong[0].tolist())
    column = (*place[:-2], 0, place[-1])
    return (
        f"an average lies between the smallest and the largest value; your output {list(place)} is "
        f"{output[place].item():.4g}, but feature {place[-1]} of the values runs from "
        f"{low[column].item():.4g} to {high[column].item():.4g}"
    )


def same_dtype(inputs: Inputs, output: Tensor) -> str | None:
    """Report an output whose dtype differs from the inputs'."""
    given = next(iter(inputs.values())).dtype
    if output.dtype != given:
        return f"the inputs are {given}, your output is {output.dtype}: keep the dtype"
    return None


def _tolerance(x: Tensor, inputs: Inputs) -> float:
    """Return the tolerance for the dtype of an answer, or for the coarsest that is allowed.

    An answer's dtype should be no coarser than that of the inputs, or float32.
    """
    given = [each.dtype for each in inputs.values() if isinstance(each, Tensor)]
    most = max(_step(kind) for kind in (torch.float32, *given))
    return max(TOLERANCE, min(1000 * min(_step(x.dtype), most), 0.02))


def _step(dtype: torch.dtype) -> float:
    return float(torch.finfo(dtype).eps) if dtype.is_floating_point else 0.0
