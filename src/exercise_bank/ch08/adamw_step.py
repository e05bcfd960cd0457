"""Exercise 08.adamw_step: one step of AdamW with explicit state."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from exercise_bank.ch08.mistakes.adamw_step import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.parts import parts
from exercise_bank.skills import both_types, in_single, rung
from plaincourse.exercise import Alternative, Exercise, Inputs

State = tuple[Tensor, Tensor, Tensor]
AVERAGES = "two running averages"
CORRECTED = "averages corrected for their start"
DECAY = "decay apart from the gradient"


def call_of(
    g: Generator, n: int, t: int, *, rate: float = 0.1, decay: float = 0.0, size: float = 1.0
) -> dict[str, Any]:
    old = float(t > 1)
    return {
        "weight": 1 + normal(g, n).abs(),
        "gradient": size * normal(g, n),
        "mean": old * size * normal(g, n),
        "square": old * (size * (0.5 + normal(g, n).abs())) ** 2,
        "t": t,
        "rate": rate,
        "decay": decay,
    }


def averages(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 1), call_of(g, 4, 2, decay=0.5), call_of(g, 3, 40, size=10.0)]


def first_steps(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 1), call_of(g, 4, 1, rate=0.01), call_of(g, 3, 1, size=100.0)]


def later_steps(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 2), call_of(g, 5, 7), call_of(g, 3, 400, rate=0.02)]


def decay_alone(g: Generator) -> list[Inputs]:
    """Draw weights that never had a gradient."""
    drawn = (call_of(g, 1, 1, decay=0.5), call_of(g, 4, 20, rate=0.05, decay=2.0))
    none = ("gradient", "mean", "square")
    return [{**each, **{name: 0 * each[name] for name in none}} for each in drawn]


def tiny_gradients(g: Generator) -> list[Inputs]:
    return [call_of(g, 2, 1, size=1e-7), call_of(g, 3, 6, size=1e-8)]


def whole(g: Generator) -> list[Inputs]:
    zero = torch.zeros(2, dtype=torch.float64)
    example = {
        "weight": zero + 2, "gradient": torch.tensor([8.0, -0.5]).double(), "mean": zero,
        "square": zero, "t": 1, "rate": 0.25, "decay": 0.0,
    }  # fmt: skip
    still = {**call_of(g, 3, 5, decay=0.5), "gradient": torch.zeros(3, dtype=torch.float64)}
    return [example, call_of(g, 4, 20, rate=0.05, decay=2.0), call_of(g, 1, 3, decay=0.5), still]


def adamw_step(
    weight: Float[Tensor, " n"],
    gradient: Float[Tensor, " n"],
    mean: Float[Tensor, " n"],
    square: Float[Tensor, " n"],
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def by_lerp(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = torch.lerp(mean, gradient, 0.1)
    square = torch.lerp(square, gradient.square(), 0.05)
    size = torch.sqrt(square) / (1 - 0.95**t) ** 0.5 + 1e-8
    kept = weight * (1 - rate * decay)
    return torch.addcdiv(kept, mean, size, value=-rate / (1 - 0.9**t)), mean, square


def one_by_one(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    rows = []
    for w, g, m, s in zip(weight, gradient, mean, square, strict=True):
        m, s = m + 0.1 * (g - m), s + 0.05 * (g * g - s)
        size = (s / (1 - 0.95**t)) ** 0.5 + 1e-8
        rows.append(torch.stack([w - rate * (decay * w + m / (1 - 0.9**t) / size), m, s]))
    new = torch.stack(rows, dim=1)
    return new[0], new[1], new[2]


def with_tensors(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    b1, b2 = torch.tensor(0.9), torch.tensor(0.95)
    mean, square = b1 * mean + (1 - b1) * gradient, b2 * square + (1 - b2) * gradient * gradient
    step = mean / (1 - b1**t) / ((square / (1 - b2**t)).sqrt() + 1e-8)
    return weight - rate * (step + decay * weight), mean, square


def right(inputs: Inputs) -> State:
    return adamw_step(**inputs)


WEIGHT, MEAN, SQUARE = (parts(right, ("weight", "mean", "square"), i) for i in range(3))
ALL = parts(right, ("weight", "mean", "square"))


TASK = Exercise(
    id="08.adamw_step",
    title="One step of AdamW",
    level="easy",
    minutes=15,
    concepts=("adamw",),
    reference=adamw_step,
    rungs=(
        rung("the mean that the next step needs", 0.5, in_single(averages), MEAN, AVERAGES),
        rung("the square that the next step needs", 0.5, in_single(averages), SQUARE, AVERAGES),
        rung(
            "the weight after the first step, without decay",
            0.75,
            in_single(first_steps),
            WEIGHT,
            CORRECTED,
        ),
        rung(
            "the weight after a later step, without decay",
            0.5,
            in_single(later_steps),
            WEIGHT,
            CORRECTED,
        ),
        rung("decay alone, if all gradients are 0", 0.75, in_single(decay_alone), WEIGHT, DECAY),
        rung(
            "the weight where gradients are as small as δ", 0.25, in_single(tiny_gradients), WEIGHT
        ),
        rung("all three together, in float32 and float64", 0.75, both_types(whole), ALL),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by lerp and addcdiv", answer=by_lerp),
        Alternative(name="weight by weight", answer=one_by_one),
        Alternative(name="both β as tensors in float32", answer=with_tensors),
    ),
    hints=(
        "How far should a weight move at t = 1 if its gradient is 1000, 0.001 or exactly 0?",
        "Which of the averages does the weight use: the corrected ones, or those that the function "
        "returns?",
        "Write down the two averages first, then the two corrections. One quotient and one decay "
        "remain.",
    ),
    forbid=("optim", "plainformer", "_single_tensor_adamw", "adamw"),
)
