"""Online softmaxes in closed boxes: sound in several ways, or with one fault.

A box takes scores (q, k), values (k, e) and the number of keys in a block, and returns the output
(q, e) and the log-sum-exp (q,).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import MOST_NUMBERS, alike, in_reach, numbers, whole
from exercise_bank.closing import closed

Box = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]
FAULTS = (
    "none",
    "no maximum",
    "sum kept",
    "values kept",
    "last block lost",
    "empty block",
    "one maximum",
)
SOUND = ("online", "lazy", "backwards", "at once")


def box(fault: str) -> Box:
    """Return a box with a fault, or a sound one of its own kind, under an uninformative name."""

    def softmax(scores: Tensor, value: Tensor, block: int) -> tuple[Tensor, Tensor]:
        if fault == "at once":
            weights = torch.softmax(scores, dim=1).nan_to_num(0.0)
            return weights @ value, torch.logsumexp(scores, dim=1)
        q, k = scores.shape
        starts = list(range(0, k, block))
        if fault == "last block lost" and k % block:
            starts = starts[:-1]
        m = scores.new_zeros(q) - (0.0 if fault == "no maximum" else torch.inf)
        total, out = scores.new_zeros(q), value.new_zeros(q, value.shape[1])
        for start in reversed(starts) if fault == "backwards" else starts:
            part = scores[:, start : start + block]
            new = _maximum(fault, m, part)
            safe = new if fault == "empty block" else new.masked_fill(new == -torch.inf, 0.0)
            fade, weights = torch.exp(m - safe), torch.exp(part - safe[:, None])
            total = (total if fault == "sum kept" else total * fade) + weights.sum(dim=1)
            held = out if fault == "values kept" else out * fade[:, None]
            out = held + weights @ value[start : start + block]
            m = new
        return out / total.masked_fill(total == 0, 1.0)[:, None], m + total.log()

    made: Box = closed(softmax, _taken)
    return made


def _taken(scores: Any, value: Any, block: Any) -> tuple[Tensor, Tensor, int]:
    block = whole("block", block, 1, 10_000)
    scores, value = numbers("scores", scores, 2, hidden=True), numbers("value", value, 2)
    if scores.shape[1] != len(value):
        raise ValueError(f"there are scores of {scores.shape[1]} keys and {len(value)} values")
    in_reach(keys=len(value))
    in_reach(queries=len(scores), most=MOST_NUMBERS)
    scores, value = alike(scores=scores, value=value)
    return scores, value, block


def _maximum(fault: str, m: Tensor, part: Tensor) -> Tensor:
    """Return the maximum with which a box continues."""
    if fault == "no maximum":
        return m
    top = part.amax(dim=1)
    if fault == "lazy":
        return torch.where(top > m + 3.0, top, m)
    if fault == "one maximum":
        return torch.maximum(m, part.max().expand_as(m))
    return torch.maximum(m, top)
