"""Training loops in closed boxes: gradient descent with clipping, right or with one fault.

A box takes the weights (n,), the gradients of all steps (t, n), the rates (t,) and the length at
which a gradient is clipped. It returns the weights after each step (t, n).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import MOST_NUMBERS, alike, in_reach, numbers
from exercise_bank.closing import closed

Loop = Callable[[Tensor, Tensor, Tensor, float], Tensor]
FAULTS = ("none", "adds up", "clips each", "clips late", "climbs", "late gradient", "late rate")


def box(fault: str) -> Loop:
    """Return a box with a ``fault``, under an uninformative name."""

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
                used = used * min(1.0, longest / max(float(used.detach().norm()), 1e-12))
            rate = rates[max(t - 1, 0)] if fault == "late rate" else rates[t]
            weight = weight + rate * used if fault == "climbs" else weight - rate * used
            path.append(weight)
        return torch.stack(path)

    made: Loop = closed(loop, _taken, name="loop", slopes=True)
    return made


def _taken(weight: Any, gradients: Any, rates: Any, longest: Any) -> list[Any]:
    """Take weights (n,), gradients (t, n), rates (t,) and a length, infinite or not."""
    named = {"weight": weight, "gradients": gradients, "rates": rates}
    named = {n: torch.as_tensor(x) if type(x) is list else x for n, x in named.items()}
    axes = {"weight": 1, "gradients": 2, "rates": 1}
    weight, gradients, rates = alike(
        **{n: numbers(n, x, axes[n], wild=True) for n, x in named.items()}
    )
    t, n = gradients.shape
    if len(weight) not in {1, n} or len(rates) < t:
        raise ValueError(
            f"weight is {tuple(weight.shape)}, gradients {tuple(gradients.shape)} and rates "
            f"{tuple(rates.shape)}: expected (n,), (t, n) and (t,)"
        )
    in_reach(steps=t)
    in_reach(weights=n, most=MOST_NUMBERS)
    if isinstance(longest, Tensor) and longest.numel() == 1:
        longest = longest.item()
    if isinstance(longest, bool) or not isinstance(longest, (int, float)) or not longest >= 0:
        raise ValueError(f"longest={longest!r:.60}: expected a number that is 0 or more")
    return [weight.expand(n), gradients, rates, min(float(longest), 1e30)]
