"""Exercise 03.masked_attention: attention that looks only where it may."""

import math

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.masked_attention import MISCONCEPTIONS
from plaincourse.bank.draws import triple
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.attention import attend
from plainformer.masks import causal, combine, padding


def one_visible_key(g: Generator) -> list[Inputs]:
    inputs: list[Inputs] = []
    for k, d, e in ((2, 2, 1), (3, 3, 2)):
        mask = torch.zeros(1, k, dtype=torch.bool)
        mask[0, int(torch.randint(k, (), generator=g))] = True
        inputs.append({**triple(g, 1, k, d, e), "mask": mask})
    return inputs


def causal_masks(g: Generator) -> list[Inputs]:
    return [
        {**triple(g, 2, 2, 2, 2, size=1.5), "mask": causal(2)},
        {**triple(g, 4, 4, 3, 5, size=1.5), "mask": causal(4)},
        {**triple(g, 2, 5, 4, 3, (2,), size=1.5), "mask": causal(2, 5)},
    ]


def padded_batches(g: Generator) -> list[Inputs]:
    lengths = torch.randint(1, 5, (3,), generator=g)
    return [
        {
            **triple(g, 2, 2, 2, 2, (2, 1), size=1.5),
            "mask": padding(torch.tensor([1, 2]), k=2),
        },
        {**triple(g, 3, 5, 4, 6, (3, 2), size=1.5), "mask": padding(lengths, k=5)},
    ]


def causal_and_padded(g: Generator) -> list[Inputs]:
    lengths = torch.tensor([3, 1])
    mask = combine(causal(3), padding(lengths, k=3))
    return [{**triple(g, 3, 3, 4, 2, (2, 2), size=1.5), "mask": mask}]


def nowhere_to_look(g: Generator) -> list[Inputs]:
    return [
        {**triple(g, 1, 2, 2, 2), "mask": torch.zeros(1, 2, dtype=torch.bool)},
        {**triple(g, 3, 2, 3, 4, (2, 2)), "mask": causal(3, 2)},
        {**triple(g, 2, 3, 5, 1, (2, 1)), "mask": padding(torch.tensor([0, 3]), k=3)},
    ]


def hidden_values_stay_out(inputs: Inputs, output: Tensor) -> str | None:
    """Say which output is not finite, or lies outside the range of the values it may see."""
    if not output.isfinite().all():
        return f"{int((~output.isfinite()).sum())} of your {output.numel()} outputs are not finite"
    value, mask = inputs["value"], inputs["mask"]
    seen = mask.broadcast_to((*output.shape[:-1], value.shape[-2]))[..., None]
    shown = value[..., None, :, :].broadcast_to((*seen.shape[:-1], value.shape[-1]))
    low = shown.masked_fill(~seen, torch.inf).amin(-2)
    high = shown.masked_fill(~seen, -torch.inf).amax(-2)
    wrong = ((output < low - 1e-6) | (output > high + 1e-6)) & seen.any(-2)
    if not wrong.any():
        return None
    place = tuple(wrong.nonzero()[0].tolist())
    return (
        f"your output {list(place)} is {output[place]:.4g}; the values that this query may see run "
        f"from {low[place]:.4g} to {high[place]:.4g} there"
    )


def where_and_clean(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = torch.softmax(torch.where(mask, scores, -torch.inf), dim=-1)
    return weights.nan_to_num(0.0) @ value


def masked_powers(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    lowest = torch.finfo(scores.dtype).min
    scores = scores.masked_fill(~mask, lowest)
    powers: Tensor = (scores - scores.amax(-1, keepdim=True)).exp().masked_fill(~mask, 0)
    totals: Tensor = powers.sum(-1, keepdim=True).clamp_min(1e-300)
    return powers @ value / totals


def added(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    weights = (query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1) + bias).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights)) @ value


TASK = Exercise(
    id="03.masked_attention",
    title="Attention under a mask",
    level="medium",
    minutes=15,
    concepts=("combined-mask", "mask-before-softmax", "look-nowhere", "mask-broadcasting"),
    reference=attend,
    rungs=(
        Rung(
            name="the only visible key gives its value",
            points=1.0,
            draw=one_visible_key,
            law=hidden_values_stay_out,
        ),
        Rung(
            name="causal masks, also with fewer queries than keys",
            points=1.5,
            draw=causal_masks,
            law=hidden_values_stay_out,
        ),
        Rung(
            name="padding masks, for several heads",
            points=1.0,
            draw=padded_batches,
            law=hidden_values_stay_out,
        ),
        Rung(
            name="both together",
            points=0.5,
            draw=causal_and_padded,
            law=hidden_values_stay_out,
        ),
        Rung(
            name="a query that may look nowhere gets zeros",
            points=1.0,
            draw=nowhere_to_look,
            law=hidden_values_stay_out,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="torch.where, then clean", answer=where_and_clean),
        Alternative(name="masked powers", answer=masked_powers),
        Alternative(name="an additive mask", answer=added),
    ),
    hints=(
        "Write attention without a mask first. Between which two of its steps does the mask act?",
        "Score, scale, hide, softmax, average. A row that sees nothing needs one more step.",
        "scores.masked_fill(~mask, -inf), softmax over the last axis, nan_to_num, then @ value.",
    ),
    rtol=1e-5,
    atol=1e-7,
    equivalents={
        "masked_attention: line 2: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
        "masked_attention: line 2: query becomes key in query.shape": (
            "queries and keys have one width"
        ),
    },
)
