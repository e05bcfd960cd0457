"""Exercise 06.gated_feedforward: SwiGLU from its three matrices."""

from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from exercise_bank.ch06.mistakes.gated_feedforward import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

BENT = (
    "only neuron 0 reaches the output, and its `up` reads 1. So the output is proportional to SiLU "
    "of its gate reading"
)
LINEAR = (
    "only neuron 0 reaches the output, and its `gate` reads 60, which SiLU leaves as it is. So the "
    "output is proportional to its `up` reading"
)
PRODUCT = "two readings, their product, and the way back"
BENT_ONE = "the argument of SiLU"


def draw(g: Generator, f: int, *shape: int) -> dict[str, Any]:
    m = shape[-1]
    return {
        "x": 1.5 * normal(g, *shape),
        "gate": normal(g, f, m),
        "up": normal(g, f, m),
        "down": normal(g, m, f),
    }


def open_gates(g: Generator) -> list[Inputs]:
    """Draw gate inputs of 60 and more on both sides, which SiLU leaves unchanged."""
    drawn: list[Inputs] = []
    for f, m in ((1, 1), (2, 2), (3, 3), (7, 4), (2, 6)):
        each = draw(g, f, 3, m)
        for name in ("x", "gate", "up"):
            each[name] = 8 + each[name].abs()
        each["down"] = each["down"].abs()
        drawn.append(each)
    return drawn


def two_by_two(g: Generator, x: Tensor, gate: Tensor, up: Tensor) -> Inputs:
    """Build a network of symmetric matrices whose neuron 0 alone writes."""
    down = torch.diag(torch.cat([1 + normal(g, 1).abs(), torch.zeros(1).double()]))
    return {"x": x, "gate": gate, "up": up, "down": down}


def symmetric(a: float, b: float, c: float) -> Tensor:
    return torch.tensor([[a, b], [b, c]], dtype=torch.float64)


def read_1(g: Generator) -> list[Inputs]:
    """Draw gates of every size for a neuron whose `up` is 1."""
    reads = torch.tensor([-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 4.0], dtype=torch.float64)
    x = torch.stack([reads, torch.ones_like(reads)], dim=-1)
    some = 1 + normal(g, 1).abs().item()
    gates = (symmetric(1, 0, 1), symmetric(some, 0.2, -1))
    first = two_by_two(g, x[[1, 5]], gates[0], symmetric(0, 1, 0))
    return [first, *(two_by_two(g, x, gate, symmetric(0, 1, 0)) for gate in gates)]


def equal_gates(g: Generator) -> list[Inputs]:
    """Draw values of `up`, of either sign, for a neuron with a gate input of 60."""
    x = torch.stack([torch.ones(5, dtype=torch.float64), 2 * normal(g, 5)], dim=-1)
    x[0, 1], x[1, 1] = -0.5, 0.5
    a, c = normal(g, 2).tolist()
    ups = (symmetric(0, 1, 0), symmetric(a, 1.5, c))
    return [two_by_two(g, x, symmetric(60, 0, 1), up) for up in ups]


def examples() -> list[Inputs]:
    one = torch.ones(1, 1, dtype=torch.float64)
    first = {"x": one, "gate": one, "up": one, "down": one}
    return [first, {**first, "up": -one, "down": 3 * one}, {**first, "x": -2 * one}]


def whole(g: Generator) -> list[Inputs]:
    shut = draw(g, 3, 2, 2)
    shut["gate"].zero_()
    several = (draw(g, 4, 4, 4), draw(g, 5, 2, 3, 4), draw(g, 3, 1, 2, 2, 5), draw(g, 6, 3))
    return [*examples(), shut, *several]


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


def feature_by_feature(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    out = torch.zeros_like(x)
    for neuron in range(len(gate)):
        a, b = (x * gate[neuron]).sum(-1), (x * up[neuron]).sum(-1)
        out = out + (nn.SiLU()(a) * b)[..., None] * down[:, neuron]
    return out


TASK = Exercise(
    id="06.gated_feedforward",
    title="A gated feed-forward network",
    level="easy",
    minutes=10,
    concepts=("gated-feed-forward", "feed-forward", "expand-and-contract"),
    reference=gated_feedforward,
    rungs=(
        Rung(
            name="gates wide open, where SiLU changes nothing",
            points=1.5,
            draw=in_single(open_gates),
            idea=PRODUCT,
        ),
        Rung(
            name="half-open gates, in a neuron whose `up` reads 1",
            points=0.75,
            draw=in_single(read_1),
            law=in_proportion(gated_feedforward, BENT, rows=False),
            compare=False,
            idea=BENT_ONE,
        ),
        Rung(
            name="the reading of `up` keeps its sign and its size",
            points=1.0,
            draw=in_single(equal_gates),
            law=in_proportion(gated_feedforward, LINEAR, rows=False),
            compare=False,
            idea=BENT_ONE,
        ),
        Rung(
            name="all of it, any axes in front, in float32 and float64",
            points=0.75,
            draw=both_types(whole),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="sigmoid and einsum", answer=by_sigmoid),
        Alternative(name="one product, cut in halves", answer=by_halves),
        Alternative(name="neuron by neuron", answer=feature_by_feature),
    ),
    hints=(
        "Which are the three products with a matrix, and which two of them multiply x?",
        "Only one of the two readings of x goes through SiLU. The two are then multiplied, number "
        "by number.",
        "The matrices are in the layout of nn.Linear.weight, (out, in). How do you have to "
        "multiply x by them?",
    ),
    forbid=("GatedFeedForward", "plainformer"),
    precision=SUMMED,
)
