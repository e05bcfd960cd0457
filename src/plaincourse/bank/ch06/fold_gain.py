"""Exercise 06.fold_gain: a norm's gain and shift, moved into the layer that follows."""

from typing import Any

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch06.mistakes.fold_gain import MISCONCEPTIONS
from plaincourse.bank.draws import normal, together
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

ZERO = torch.zeros(1, dtype=torch.float64)


def draw(g: Generator, out: int, m: int, *, gain: bool = True, shift: bool = True) -> Inputs:
    return {
        "gain": 1.5 + normal(g, m) if gain else torch.ones(m, dtype=torch.float64),
        "shift": normal(g, m) if shift else torch.zeros(m, dtype=torch.float64),
        "weight": normal(g, out, m),
        "bias": normal(g, out),
        "y": normal(g, 3, m),
    }


def one_gain(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, shift=False), draw(g, 1, 2, shift=False)]


def gains(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 3, shift=False), draw(g, 2, 5, shift=False), draw(g, 4, 2, shift=False)]


def shifts(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, gain=False), draw(g, 3, 3, gain=False), draw(g, 4, 2, gain=False)]


def both(g: Generator) -> list[Inputs]:
    dead = draw(g, 3, 3)
    dead["gain"][1] = 0
    return [draw(g, 1, 1), draw(g, 4, 4), draw(g, 2, 7), dead]


def apply(answer: Any, inputs: Inputs) -> Tensor:
    """Apply the folded layer to what the norm makes without gain and shift."""
    given = (inputs[name] for name in ("gain", "shift", "weight", "bias"))
    (weight, bias), kind = together(answer(*given))
    folded: Tensor = inputs["y"].double() @ weight.mT + bias
    return folded.to(kind)


def fold_gain(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return weight and bias of the one layer that does what norm and layer did."""
    return weight * gain, bias + weight @ shift


def by_diagonal(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight @ torch.diag(gain), torch.mv(weight, shift) + bias


def by_probing(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    at_zero = weight @ shift + bias
    steps = torch.eye(len(gain), dtype=weight.dtype) * gain + shift
    return (steps @ weight.T + bias - at_zero).T, at_zero


TASK = Exercise(
    id="06.fold_gain",
    title="Fold the gain into the next layer",
    level="medium",
    minutes=15,
    concepts=("layer-norm", "pre-norm"),
    reference=fold_gain,
    call=apply,
    rungs=(
        Rung(name="one output, a gain and no shift", points=1.0, draw=one_gain),
        Rung(name="each feature has its own gain", points=1.0, draw=gains),
        Rung(name="a shift goes through the layer", points=1.0, draw=shifts),
        Rung(name="both at once, a gain of 0 among them", points=2.0, draw=both),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a diagonal matrix", answer=by_diagonal),
        Alternative(name="by probing with unit vectors", answer=by_probing),
    ),
    hints=(
        "Write the output for one y: W (gain * y + shift) + b. Which part depends on y?",
        "Multiply out. In W (gain * y) each feature of y meets its gain and then one column of W.",
        "The part without y is a vector that does not change with the input, so it belongs to the "
        "bias. Which matrix multiplies the shift in it, the old one or the new one?",
    ),
)
