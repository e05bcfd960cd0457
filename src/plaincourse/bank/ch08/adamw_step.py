"""Exercise 08.adamw_step: one step of AdamW, with all its state in the open."""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from plaincourse.bank.ch08.mistakes.adamw_step import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

State = tuple[Tensor, Tensor, Tensor]


def call_of(
    g: Generator, n: int, t: int, *, rate: float = 0.1, decay: float = 0.0, size: float = 1.0
) -> Inputs:
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


def first_steps(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 1), call_of(g, 4, 1, rate=0.01), call_of(g, 3, 1, size=100.0)]


def later_steps(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 2), call_of(g, 5, 7), call_of(g, 3, 400, rate=0.02)]


def decaying(g: Generator) -> list[Inputs]:
    return [call_of(g, 1, 3, decay=0.5), call_of(g, 4, 20, rate=0.05, decay=2.0)]


def nothing_came(g: Generator) -> list[Inputs]:
    still = {**call_of(g, 3, 5, decay=0.5), "gradient": torch.zeros(3, dtype=torch.float64)}
    fresh = {**call_of(g, 2, 1), "gradient": torch.zeros(2, dtype=torch.float64)}
    return [fresh, still]


def tiny_gradients(g: Generator) -> list[Inputs]:
    return [call_of(g, 2, 1, size=1e-7), call_of(g, 3, 6, size=1e-8)]


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


TASK = Exercise(
    id="08.adamw_step",
    title="One step of AdamW",
    level="easy",
    minutes=15,
    concepts=("adamw",),
    reference=adamw_step,
    rungs=(
        Rung(name="the first step, from averages of zero", points=1.0, draw=first_steps),
        Rung(name="a later step", points=1.0, draw=later_steps),
        Rung(name="decay, apart from the gradient", points=1.0, draw=decaying),
        Rung(name="a gradient of zero", points=0.5, draw=nothing_came),
        Rung(name="gradients as small as δ", points=0.5, draw=tiny_gradients),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by lerp and addcdiv", answer=by_lerp),
        Alternative(name="weight by weight", answer=one_by_one),
        Alternative(name="both β as tensors in float32", answer=with_tensors),
    ),
    hints=(
        "How far should a weight move at t = 1 if its gradient is 1000, 0.001 or exactly 0?",
        "Which of the three results are corrected, and which are handed on as they are?",
        "Write down the four lines in order: two averages, two corrections. What is left is one "
        "quotient and one decay.",
    ),
    forbid=("optim", "plainformer", "_single_tensor_adamw", "adamw"),
    equivalents={},
)
