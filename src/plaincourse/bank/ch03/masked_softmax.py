"""Exercise 03.masked_softmax: weights for those who may be looked at, exact zeros for the rest."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.masked_softmax import MISCONCEPTIONS
from plaincourse.bank.draws import normal, spread
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import causal, padding
from plainformer.softmax import softmax


def nothing_hidden(g: Generator) -> list[Inputs]:
    return [
        {"scores": normal(g, 1, 1), "mask": torch.ones(1, 1, dtype=torch.bool)},
        {"scores": spread(g, 2, 3), "mask": torch.ones(2, 3, dtype=torch.bool)},
    ]


def one_key_hidden(g: Generator) -> list[Inputs]:
    low = torch.tensor([[0.0, 3.0, -1.0]], dtype=torch.float64)
    high = torch.tensor([[0.0, 3.0, 4.0]], dtype=torch.float64)
    mask = torch.tensor([[True, True, False]])
    return [{"scores": low, "mask": mask}, {"scores": high, "mask": mask}]


def causal_rows(g: Generator) -> list[Inputs]:
    return [
        {"scores": spread(g, 2, 2), "mask": causal(2)},
        {"scores": spread(g, 2, 3, 4, 4), "mask": causal(4)},
        {"scores": spread(g, 2, 2, 3, 5), "mask": causal(3, 5)},
    ]


def a_hidden_key_towers(g: Generator) -> list[Inputs]:
    scores, negative = spread(g, 3, 3), spread(g, 2, 3) - 300
    scores[:, 2] += 2000
    deep = torch.tensor([[-3e9, -3e9, 0.0]], dtype=torch.float64)
    return [
        {"scores": deep, "mask": torch.tensor([[True, True, False]])},
        {"scores": scores, "mask": causal(3)},
        {"scores": negative, "mask": torch.tensor([[True, False, True], [False, True, True]])},
    ]


def half_precision(g: Generator) -> list[Inputs]:
    """Draw which keys tower at 12 800, as a forgotten scale gives; what is left shares evenly."""
    inputs: list[Inputs] = []
    for dtype, towers in ((torch.float16, 12800.0), (torch.bfloat16, 3e9)):
        order = torch.randperm(4, generator=g)
        scores = torch.tensor([0.0, 0.0, towers, towers])[order].to(dtype)[None]
        inputs.append({"scores": scores, "mask": (order < 2)[None]})
    return inputs


def masks_that_broadcast(g: Generator) -> list[Inputs]:
    lengths = torch.randint(1, 5, (2,), generator=g)
    return [
        {"scores": spread(g, 3, 2), "mask": torch.tensor([True, False])},
        {"scores": spread(g, 2, 2, 3, 4), "mask": padding(lengths, k=4)},
    ]


def nowhere_to_look(g: Generator) -> list[Inputs]:
    return [
        {"scores": spread(g, 1, 2), "mask": torch.zeros(1, 2, dtype=torch.bool)},
        {"scores": spread(g, 4, 2), "mask": causal(4, 2)},
        {"scores": spread(g, 2, 1, 2, 3), "mask": padding(torch.tensor([0, 2]), k=3)},
    ]


def hidden_weights_are_zero(inputs: Inputs, weights: Tensor) -> str | None:
    """Say which hidden key has weight, or which row has the wrong sum."""
    weights = weights.double()
    if not weights.isfinite().all():
        return (
            f"{int((~weights.isfinite()).sum())} of your {weights.numel()} weights are not finite"
        )
    mask = inputs["mask"].broadcast_to(weights.shape)
    leaks = (weights != 0) & ~mask
    if leaks.any():
        place = tuple(leaks.nonzero()[0].tolist())
        return f"a hidden key gets exactly 0; yours at {list(place)} gets {weights[place]:.3g}"
    off = ((weights.sum(-1) - mask.any(-1).to(weights)).abs() > 4e-3).nonzero()
    if len(off):
        place = tuple(off[0].tolist())
        wanted = int(mask.any(-1)[place])
        return (
            f"row {list(place)} should sum to {wanted}; yours sums to {weights.sum(-1)[place]:.4g}"
        )
    return None


def fill_then_clean(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


def added_minus_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    added = torch.where(mask, 0.0, -torch.inf).to(scores.dtype)
    weights = torch.softmax(scores + added, dim=-1)
    return torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))


def by_exp(scores: Tensor, mask: Tensor) -> Tensor:
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, torch.ones_like(total), total)


def through_float32(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores.float().masked_fill(~mask, -torch.inf)
    return torch.softmax(hidden, dim=-1).nan_to_num(0.0).to(scores.dtype)


TASK = Exercise(
    id="03.masked_softmax",
    title="Softmax under a mask",
    level="medium",
    minutes=15,
    concepts=("mask-before-softmax", "minus-infinity-vs-1e9", "look-nowhere"),
    reference=softmax,
    rungs=(
        Rung(name="a mask that hides nothing changes nothing", points=0.5, draw=nothing_hidden),
        Rung(
            name="a hidden key gets 0, the others share 1",
            points=1.0,
            draw=one_key_hidden,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="causal masks, with batch and heads",
            points=0.5,
            draw=causal_rows,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="a hidden key cannot harm, however large its score",
            points=0.5,
            draw=a_hidden_key_towers,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="the same in float16 and bfloat16",
            points=0.5,
            draw=half_precision,
            law=hidden_weights_are_zero,
            dtype=True,
        ),
        Rung(
            name="masks that broadcast",
            points=0.5,
            draw=masks_that_broadcast,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="a row that may look nowhere gets zeros",
            points=1.5,
            draw=nowhere_to_look,
            law=hidden_weights_are_zero,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="fill, then clean up nan", answer=fill_then_clean),
        Alternative(name="minus infinity added", answer=added_minus_infinity),
        Alternative(name="from exp", answer=by_exp),
        Alternative(name="computed in float32", answer=through_float32),
    ),
    hints=(
        "What must a score be for exp to give exactly 0?",
        "masked_fill(where, value) returns a new tensor; where is True is where the value goes. "
        "Your mask is True where a query may look.",
        "Which rows of the mask have no True at all, and what does softmax make of them?",
    ),
    equivalents={
        "masked_softmax: line 4: any(dim=-1, keepdim=True) dropped": (
            "hidden weights are 0 already, so it makes no difference which zeros are put there"
        ),
        "masked_softmax: line 4: weights becomes hidden in torch.zeros_like(weights)": (
            "both have the same shape and dtype"
        ),
    },
)
