"""Exercise 06.fold_gain: a norm's gain and shift, moved into the layer that follows."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch06.mistakes.fold_gain import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.parts import parts
from exercise_bank.skills import both_types, in_single, through
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

COLUMNS = "a gain for each column"
BIAS = "the old bias stays"
SHIFT = "the shift goes through the old weight"


def draw(g: Generator, out: int, m: int) -> Inputs:
    return {
        "gain": 1.5 + normal(g, m),
        "shift": normal(g, m),
        "weight": normal(g, out, m),
        "bias": normal(g, out),
    }


def gains(g: Generator) -> list[Inputs]:
    dead = draw(g, 3, 3)
    dead["gain"][1] = 0
    return [draw(g, 1, 1), draw(g, 2, 2), draw(g, 3, 3), dead]


def no_shift(g: Generator) -> list[Inputs]:
    return [
        {**x, "shift": torch.zeros_like(x["shift"])}
        for x in (draw(g, 1, 1), draw(g, 2, 2), draw(g, 4, 4))
    ]


def shifts(g: Generator) -> list[Inputs]:
    """Draw layers without a bias after norms without a gain."""
    drawn = (draw(g, 1, 1), draw(g, 3, 3), draw(g, 2, 2))
    return [
        {**x, "gain": torch.ones_like(x["gain"]), "bias": torch.zeros_like(x["bias"])}
        for x in drawn
    ]


def shifts_and_gains(g: Generator) -> list[Inputs]:
    dead, *others = draw(g, 3, 3), draw(g, 2, 2), draw(g, 4, 4)
    dead["gain"].zero_()
    return [{**x, "bias": torch.zeros_like(x["bias"])} for x in (dead, *others)]


def example() -> Inputs:
    numbers = {"gain": [2.0], "shift": [1.0], "weight": [[3.0]], "bias": [10.0]}
    return {name: torch.tensor(x, dtype=torch.float64) for name, x in numbers.items()}


def both(g: Generator) -> list[Inputs]:
    return [example(), draw(g, 4, 4), draw(g, 1, 2), draw(g, 2, 7), draw(g, 5, 3)]


def fold_gain(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return weight and bias of the one layer that does what norm and layer did."""
    return weight * gain, bias + weight @ shift


def by_diagonal(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight @ torch.diag(gain), torch.mv(weight, shift) + bias


def by_probing(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    at_zero = weight @ shift + bias
    steps = torch.eye(len(gain), dtype=weight.dtype) * gain + shift
    return (steps @ weight.T + bias - at_zero).T, at_zero


def entry_by_entry(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    new, moved = weight.clone(), bias.clone()
    for j in range(len(gain)):
        moved += weight[:, j] * shift[j]
        new[:, j] *= gain[j]
    return new, moved


def right(inputs: Inputs) -> tuple[Tensor, Tensor]:
    return fold_gain(**inputs)


def rung(name: str, points: float, draw: Any, only: int, idea: str) -> Rung:
    law = through(weight_first, parts(right, ("weight", "bias"), only))
    return Rung(name=name, points=points, draw=in_single(draw), law=law, compare=False, idea=idea)


def weight_first(inputs: Inputs, answer: Any) -> Any:
    """Return weight and bias in the required order, if the answer swaps them."""
    turned = isinstance(answer, (tuple, list)) and [*map(axes, answer)] == [1, 2]
    return answer[::-1] if turned else answer


def axes(x: Any) -> int:
    return x.ndim if isinstance(x, Tensor) else 0


TASK = Exercise(
    id="06.fold_gain",
    title="Fold the gain into the next layer",
    level="medium",
    minutes=15,
    concepts=("layer-norm", "pre-norm"),
    extra=True,
    reference=fold_gain,
    rungs=(
        rung("the weight: each input feature has its own gain", 1.25, gains, 0, COLUMNS),
        rung("the bias if the shift is 0", 0.75, no_shift, 1, BIAS),
        rung("the bias: a shift goes through the layer", 1.25, shifts, 1, SHIFT),
        rung(
            "the bias: the shift goes through the weight, whatever the gains",
            0.75,
            shifts_and_gains,
            1,
            SHIFT,
        ),
        Rung(
            name="both at once, layers that are not square, in float32 and float64",
            points=1.0,
            draw=both_types(both),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a diagonal matrix", answer=by_diagonal),
        Alternative(name="by probing with unit vectors", answer=by_probing),
        Alternative(name="entry by entry", answer=entry_by_entry),
    ),
    hints=(
        "Write the output for one y: W (gain * y + shift) + b. Which part of it depends on y?",
        "Multiply out. In W (gain * y), each feature of y is multiplied by its gain and then by "
        "one column of W.",
        "The part without y does not depend on the input, so it belongs to the bias. Which matrix "
        "multiplies the shift in this part, the old one or the new one?",
    ),
    precision=SUMMED,
)
