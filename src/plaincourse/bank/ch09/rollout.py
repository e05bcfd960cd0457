"""Exercise 09.rollout: weights multiplied through the layers."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch09.maps import causal
from plaincourse.bank.ch09.mistakes.rollout import MISCONCEPTIONS
from plaincourse.bank.draws import rows_sum_to_1
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def one_layer(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, 1, 1, 2, 2)}, {"weights": causal(g, 1, 1, 4, 4)}]


def several_heads(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, 1, 2, 2, 2)}, {"weights": causal(g, 1, 3, 4, 4)}]


def several_layers(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, layers, 2, 3, 3)} for layers in (2, 3)]


def other_residual(g: Generator) -> list[Inputs]:
    return [
        {"weights": causal(g, 1, 1, 2, 2), "residual": 0.25},
        {"weights": causal(g, 3, 2, 4, 4), "residual": 0.8},
        {"weights": causal(g, 2, 3, 5, 5), "residual": 0.0},
    ]


def rollout(weights: Tensor, residual: float = 0.5) -> Tensor:
    """Multiply the mixed maps, the later layer from the left."""
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    reached = same
    for layer in weights:
        step = (1 - residual) * layer.mean(dim=0) + residual * same
        reached = step @ reached
    return reached


def chained(weights: Tensor, residual: float = 0.5) -> Tensor:
    same = torch.eye(weights.shape[-1], dtype=weights.dtype)
    steps = torch.lerp(weights.mean(dim=1), same, residual)
    whole = steps[0]
    for step in steps[1:]:
        whole = torch.einsum("ij,jk->ik", step, whole)
    return whole


def from_the_top(weights: Tensor, residual: float = 0.5) -> Tensor:
    rows = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for layer in reversed(list(weights)):
        rows = rows @ layer.mean(dim=0) * (1 - residual) + rows * residual
    return rows


TASK = Exercise(
    id="09.rollout",
    title="Rollout",
    level="warm-up",
    minutes=10,
    concepts=("attention-rollout",),
    reference=rollout,
    rungs=(
        Rung(name="one layer, one head", points=1.0, draw=one_layer, law=rows_sum_to_1),
        Rung(name="several heads", points=1.0, draw=several_heads, law=rows_sum_to_1),
        Rung(name="several layers", points=1.0, draw=several_layers, law=rows_sum_to_1),
        Rung(name="another residual", points=1.0, draw=other_residual, law=rows_sum_to_1),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a chain of einsums", answer=chained),
        Alternative(name="from the top down", answer=from_the_top),
    ),
    hints=(
        "What does one layer do to a word: which share stays, which share is fetched?",
        "Mix the mean over heads with the identity. Which of two layers acts first?",
        "Begin with the identity, go through the layers in order, and multiply each mixed map from "
        "the left.",
    ),
    axes="q q",
    equivalents={
        "rollout: line 2: -1 becomes -2 in weights.shape[-1]": "the maps are square",
        "rollout: line 2: dtype=weights.dtype dropped in torch.eye(…)": (
            "float32 holds the shares well enough"
        ),
    },
)
