"""Exercise 06.gated_feedforward: SwiGLU from its three matrices."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from plaincourse.bank.ch06.mistakes.gated_feedforward import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, f: int, *shape: int) -> Inputs:
    m = shape[-1]
    return {
        "x": 1.5 * normal(g, *shape),
        "gate": normal(g, f, m),
        "up": normal(g, f, m),
        "down": normal(g, m, f),
    }


def one_number(g: Generator) -> list[Inputs]:
    one = torch.ones(1, 1, dtype=torch.float64)
    return [{"x": x * one, "gate": 2 * one, "up": one, "down": one} for x in (1.0, -1.0, 0.3, 2.5)]


def one_token(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 1, 2), draw(g, 3, 1, 3), draw(g, 5, 1, 2)]


def wide(g: Generator) -> list[Inputs]:
    return [draw(g, 7, 3, 4), draw(g, 2, 5, 6), draw(g, 4, 4, 4)]


def leading_axes(g: Generator) -> list[Inputs]:
    return [draw(g, 5, 2, 3, 4), draw(g, 3, 1, 2, 2, 5), draw(g, 6, 3)]


def gated_feedforward(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Return W_2 (silu(W_g x) * W_1 x) for each token."""
    opened = F.silu(x @ gate.mT)
    return (opened * (x @ up.mT)) @ down.mT


def by_sigmoid(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    a = torch.einsum("...m,fm->...f", x, gate)
    b = torch.einsum("...m,fm->...f", x, up)
    return torch.einsum("...f,mf->...m", a * torch.sigmoid(a) * b, down)


def by_halves(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    both = F.linear(x, torch.cat([gate, up]))
    a, b = both.chunk(2, dim=-1)
    return F.linear(a / (1 + torch.exp(-a)) * b, down)


TASK = Exercise(
    id="06.gated_feedforward",
    title="A gated feed-forward network",
    level="easy",
    minutes=10,
    concepts=("gated-feed-forward", "feed-forward", "expand-and-contract"),
    reference=gated_feedforward,
    rungs=(
        Rung(name="one number goes through gate and up", points=1.0, draw=one_number),
        Rung(name="one token, the right half is the gate", points=1.0, draw=one_token),
        Rung(name="the middle may be wider or narrower", points=1.0, draw=wide),
        Rung(name="any axes in front", points=1.0, draw=leading_axes),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="sigmoid and einsum", answer=by_sigmoid),
        Alternative(name="one product, cut in halves", answer=by_halves),
    ),
    hints=(
        "Which three products with a matrix are there, and which two of them start from x?",
        "Only one of the two readings of x is bent. The two then meet, number by number.",
        "The matrices are in the layout of nn.Linear.weight, (out, in). What does that mean for "
        "the side on which x stands?",
    ),
    forbid=("GatedFeedForward", "plainformer"),
)
