"""Training loops in closed boxes: gradient descent with clipping, right or with one fault.

A box takes the weights (n,), the gradients of all steps (t, n), the rates (t,) and the length at
which a gradient is clipped. It returns the weights after each step (t, n).
"""

from collections.abc import Callable

import torch
from torch import Tensor

Loop = Callable[[Tensor, Tensor, Tensor, float], Tensor]
FAULTS = ("none", "adds up", "clips each", "clips late", "climbs", "late gradient", "late rate")


def box(fault: str) -> Loop:
    """Return a box with a ``fault``, whose name says nothing."""

    def loop(weight: Tensor, gradients: Tensor, rates: Tensor, longest: float) -> Tensor:
        path, held = [], torch.zeros_like(gradients[0])
        for t in range(len(gradients)):
            came = gradients[t]
            if fault == "late gradient":
                came = gradients[t - 1] if t else torch.zeros_like(came)
            held = held + came if fault == "adds up" else came
            used = held
            if fault == "clips each":
                used = used.clamp(-longest, longest)
            elif fault != "clips late":
                used = used * min(1.0, longest / max(float(used.norm()), 1e-12))
            rate = rates[max(t - 1, 0)] if fault == "late rate" else rates[t]
            weight = weight + rate * used if fault == "climbs" else weight - rate * used
            path.append(weight)
        return torch.stack(path)

    return loop
