"""Exercise 09.rollout: weights multiplied through the layers."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch09.maps import both_ways, causal
from exercise_bank.ch09.mistakes.rollout import MISCONCEPTIONS
from exercise_bank.draws import rows_sum_to_1
from exercise_bank.skills import both_types, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED


def one_layer(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, 1, 1, n, n)} for n in (2, 4, 5)]


def several_heads(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, 1, h, n, n)} for h, n in ((2, 2), (3, 4), (4, 3))]


def several_layers(g: Generator) -> list[Inputs]:
    return [{"weights": causal(g, n, 1, 3, 3), "residual": 0.0} for n in (2, 3)]


def heads_and_layers(g: Generator) -> list[Inputs]:
    """Draw layers of several heads in which a share of each word remains."""
    return [
        {"weights": causal(g, 2, 2, 3, 3)},
        {"weights": causal(g, 3, 2, 4, 4), "residual": 0.25},
        {"weights": causal(g, 2, 4, 4, 4), "residual": 0.6},
    ]


def other_residual(g: Generator) -> list[Inputs]:
    """Draw shares that remain, all of it among them."""
    return [{"weights": causal(g, 1, 1, 3, 3), "residual": share} for share in (0.25, 0.8, 1.0)]


def whole(g: Generator) -> list[Inputs]:
    one_head = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    return [
        {"weights": one_head[None, None]},
        {"weights": one_head.expand(2, 1, 2, 2).clone(), "residual": 0.0},
        {"weights": causal(g, 3, 2, 4, 4), "residual": 0.8},
        {"weights": causal(g, 2, 3, 5, 5)},
        {"weights": both_ways(g, 4, 2, 4, 4), "residual": 0.3},
    ]


def rollout(weights: Tensor, residual: float = 0.5) -> Tensor:
    """Multiply the mixed maps, with later layers on the left."""
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


def word_by_word(weights: Tensor, residual: float = 0.5) -> Tensor:
    n = weights.shape[-1]
    share = torch.eye(n).to(weights)
    for heads in weights.unbind():
        looked = torch.stack([*heads]).mean(0)
        fetched = torch.stack([(looked[i, :, None] * share).sum(0) for i in range(n)])
        share = residual * share + (1 - residual) * fetched
    return share


TASK = Exercise(
    id="09.rollout",
    title="Rollout",
    level="warm-up",
    minutes=10,
    concepts=("attention-rollout",),
    reference=rollout,
    rungs=(
        Rung(
            name="one layer of one head: half of each word stays",
            points=0.5,
            idea="a share of each word stays",
            draw=in_single(one_layer),
            law=rows_sum_to_1,
        ),
        Rung(
            name="several heads are averaged",
            points=0.5,
            idea="the mean over heads",
            draw=in_single(several_heads),
            law=rows_sum_to_1,
        ),
        Rung(
            name="with residual=0 nothing but the product of the maps, the later one on the left",
            points=0.75,
            idea="layers are multiplied",
            draw=in_single(several_layers),
            law=rows_sum_to_1,
        ),
        Rung(
            name="the share that stays is `residual`",
            points=0.25,
            idea="a share of each word stays",
            draw=in_single(other_residual),
            law=rows_sum_to_1,
        ),
        Rung(
            name="each layer averages its heads and keeps its share before the next",
            points=1.25,
            idea="layers are multiplied",
            draw=in_single(heads_and_layers),
            law=rows_sum_to_1,
        ),
        Rung(
            name="all of it, in float32 and float64",
            points=0.75,
            draw=both_types(whole),
            law=rows_sum_to_1,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a chain of einsums", answer=chained),
        Alternative(name="from the top down", answer=from_the_top),
        Alternative(name="word by word", answer=word_by_word),
    ),
    hints=(
        "What does one layer do to a word: which share stays, which share is fetched?",
        "Mix the mean over heads with the identity. Which of two layers acts first?",
        "Begin with the identity, go through the layers in order, and multiply each mixed map from "
        "the left.",
    ),
    axes="q q",
    precision=SUMMED,
    equivalents={
        "rollout: line 2: -1 becomes -2 in weights.shape[-1]": "the maps are square",
        "rollout: line 2: dtype=weights.dtype dropped in torch.eye(…)": (
            "float32 holds the shares well enough"
        ),
    },
)
