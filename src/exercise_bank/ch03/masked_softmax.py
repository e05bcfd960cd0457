"""Exercise 03.masked_softmax: weights for the visible keys, exact zeros for the hidden ones."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from exercise_bank.ch03.mistakes.masked_softmax import MISCONCEPTIONS
from exercise_bank.draws import same_dtype, some, spread
from plaincourse.checking.drawing import Fresh
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED
from plainformer.masks import causal, padding
from plainformer.softmax import softmax


def rows(g: Generator, *shape: int) -> Tensor:
    return spread(g, *shape).float()


def reordered(g: Generator, scores: Tensor, mask: Tensor) -> Inputs:
    """Keep visible inputs; give hidden ones further queries copied from them, in any order."""
    q, k = scores.shape[-2:]
    if isinstance(g, Fresh):
        again = torch.randint(q, (some(g, 1, 3),), generator=g)
        queries = torch.cat([torch.arange(q), again])
        queries = queries[torch.randperm(len(queries), generator=g)]
        keys = torch.randperm(k, generator=g)
        scores, mask = scores[..., queries, :][..., keys], mask[..., keys]
        mask = mask[..., queries, :] if mask.shape[-2] == q else mask
    return {"scores": scores, "mask": mask}


def nothing_hidden(g: Generator) -> list[Inputs]:
    return [
        {"scores": rows(g, 1, 2), "mask": torch.ones(1, 2, dtype=torch.bool)},
        {"scores": rows(g, 2, 3), "mask": torch.ones(2, 3, dtype=torch.bool)},
        {"scores": rows(g, 2, 1, 3, 4), "mask": torch.ones(3, 4, dtype=torch.bool)},
    ]


def some_hidden(g: Generator) -> list[Inputs]:
    """Draw rows in which some or all keys are visible, with moderate scores."""
    mask = torch.tensor([[True, True, False]])
    holes = torch.tensor([[True, False, True, True], [False, True, False, True]])
    drawn = [
        {"scores": torch.tensor([[0.0, math.log(3.0), 7.0]]), "mask": mask},
        {"scores": torch.tensor([[0.0, 3.0, -1.0]]), "mask": mask},
        {"scores": rows(g, 2, 4), "mask": holes},
        {"scores": rows(g, 3, 3), "mask": causal(3)},
    ]
    return [reordered(g, **each) for each in drawn]


def with_batch_and_heads(g: Generator) -> list[Inputs]:
    lengths = torch.randint(1, 5, (2,), generator=g)
    return [
        {"scores": rows(g, 2, 3, 4, 4), "mask": causal(4)},
        {"scores": rows(g, 2, 2, 3, 5), "mask": causal(3, 5)},
        {"scores": rows(g, 3, 2), "mask": torch.tensor([True, False])},
        {"scores": rows(g, 2, 2, 3, 4), "mask": padding(lengths, k=4)},
    ]


def a_hidden_key_towers(g: Generator) -> list[Inputs]:
    scores, negative = rows(g, 3, 3), spread(g, 2, 3) - 300
    scores[:, 2] += 2000
    return [
        {"scores": torch.tensor([[-3e9, -3e9, 0.0]]), "mask": torch.tensor([[True, True, False]])},
        {"scores": scores, "mask": causal(3)},
        {"scores": negative, "mask": torch.tensor([[True, False, True], [False, True, True]])},
    ]


def every_type(g: Generator, *towers: float) -> list[Inputs]:
    """Draw keys of which two are hidden, with large scores if some are given for four types."""
    inputs: list[Inputs] = []
    types = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    for dtype, tower in zip(types, towers or (3.0,) * 4, strict=True):
        order = torch.randperm(4, generator=g)
        scores = torch.tensor([0.0, 0.0, tower, tower])[order].to(dtype)[None]
        inputs.append({"scores": scores, "mask": (order < 2)[None]})
    return inputs


def large_scores(g: Generator) -> list[Inputs]:
    """Draw hidden keys with the highest scores, 12 800 in float16 as a forgotten scale gives.

    The lowest number of a type occurs as an ordinary score; compared with it, only -inf hides a
    key.
    """
    lowest: list[Inputs] = [
        {
            "scores": torch.tensor([[torch.finfo(dtype).min, 0.0]], dtype=dtype),
            "mask": torch.tensor([[True, False]]),
        }
        for dtype in (torch.float16, torch.float32)
    ]
    return [*a_hidden_key_towers(g), *every_type(g, 12800.0, 3e9, 9e9, 9e9), *lowest]


def nowhere_to_look(g: Generator) -> list[Inputs]:
    example = torch.tensor([[0.0, 0.0, 9.0], [1.0, 2.0, 3.0]])
    seen = torch.tensor([[True, True, False], [False, False, False]])
    drawn = [
        {"scores": example, "mask": seen},
        {"scores": rows(g, 4, 2), "mask": causal(4, 2)},
        {"scores": rows(g, 2, 1, 2, 3), "mask": padding(torch.tensor([0, 2]), k=3)},
    ]
    return [reordered(g, **each) for each in drawn]


def everything(g: Generator) -> list[Inputs]:
    empty = {"scores": rows(g, 1, 2), "mask": torch.zeros(1, 2, dtype=torch.bool)}
    return [*some_hidden(g), *nowhere_to_look(g), empty]


def exactly_zero(inputs: Inputs, weights: Any) -> str | None:
    """Report a hidden key with a weight above 0, or a visible key without one."""
    if said := unfit(inputs, weights):
        return said
    mask = inputs["mask"].broadcast_to(weights.shape)
    wrong = ((weights != 0) & ~mask).nonzero()
    if len(wrong):
        place = tuple(wrong[0].tolist())
        return f"a hidden key gets exactly 0; yours at {list(place)} gets {weights[place]:.3g}"
    if not (weights[mask] > 0).all():
        return "with scores like these a key that is seen gets more than 0; one of yours does not"
    return None


def right_ratios(inputs: Inputs, weights: Any) -> str | None:
    """Report two visible keys whose weights have the wrong ratio, whatever the sum of the row."""
    if said := unfit(inputs, weights):
        return said
    scores, mask = inputs["scores"].double(), inputs["mask"].broadcast_to(weights.shape)
    found = weights.double().log()
    for place in mask.any(-1).nonzero().tolist():
        row = tuple(place)
        s, w, keys = scores[row], found[row], mask[row].nonzero().flatten()
        off = ((w - w[keys[0]]) - (s - s[keys[0]]))[keys]
        if not (off.abs() < 1e-3).all():
            j, i = keys[int(off.abs().nan_to_num(1e9).argmax())], keys[0]
            return (
                f"in row {place} the keys {j} and {i} are seen, with scores {s[j] - s[i]:.4g} "
                f"apart, so the ratio of their weights is e to this power; yours are "
                f"{w[j].exp():.4g} and {w[i].exp():.4g}"
            )
    return None


def reference(scores: Tensor, mask: Tensor) -> Float[Tensor, "*batch k"]:
    """Hide first, so that no mask is refused, be it one that opens later keys alone."""
    return softmax(scores.masked_fill(~mask, -torch.inf))


def empty_rows(inputs: Inputs, weights: Any) -> str | None:
    """Report a row without visible keys that is not zero, or another row that is."""
    if said := unfit(inputs, weights):
        return said
    empty = ~inputs["mask"].broadcast_to(weights.shape).any(-1)
    for row in empty.nonzero().tolist():
        if weights[tuple(row)].any() or weights[tuple(row)].isnan().any():
            held = show(weights[tuple(row)])
            return f"in row {row} all keys are hidden, so it gets zeros; yours holds {held}"
    if not (weights[~empty].sum(-1) > 0).all():
        return "a row with an open key has weights above 0; one of yours has none"
    return None


def same_type(inputs: Inputs, weights: Any) -> str | None:
    return unfit(inputs, weights) or same_dtype(inputs, weights)


def unfit(inputs: Inputs, weights: Any) -> str | None:
    wanted = inputs["scores"].shape
    if isinstance(weights, Tensor) and weights.shape == wanted:
        return None
    got = tuple(weights.shape) if isinstance(weights, Tensor) else type(weights).__name__
    return f"weights have the shape of the scores, {tuple(wanted)}; yours: {got}"


def hidden_weights_are_zero(inputs: Inputs, weights: Tensor) -> str | None:
    """Report a hidden key with a weight, or a row with a wrong sum."""
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
    reference=reference,
    rungs=(
        Rung(
            name="a mask that hides nothing changes nothing",
            points=0.25,
            idea="what is seen shares 1",
            draw=nothing_hidden,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="a hidden key gets exactly 0",
            points=0.75,
            idea="hidden keys get exactly 0",
            draw=some_hidden,
            law=exactly_zero,
            compare=False,
        ),
        Rung(
            name="seen keys keep their ratios",
            points=0.75,
            idea="what is seen shares 1",
            draw=some_hidden,
            law=right_ratios,
            compare=False,
        ),
        Rung(
            name="what is seen shares 1, with any axes in front and masks that broadcast",
            points=0.75,
            idea="what is seen shares 1",
            draw=with_batch_and_heads,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="a row whose keys are all hidden gets zeros",
            points=1.0,
            idea="empty rows get zeros",
            draw=nowhere_to_look,
            law=empty_rows,
            compare=False,
        ),
        Rung(
            name="the whole, at any sizes",
            points=0.75,
            draw=everything,
            law=hidden_weights_are_zero,
        ),
        Rung(
            name="the dtype of the weights is that of the scores",
            points=0.25,
            draw=every_type,
            law=same_type,
            compare=False,
            dtype=True,
        ),
        Rung(
            name="beside hidden keys with scores of any size, in every number type",
            points=0.5,
            draw=large_scores,
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
        "Your mask is True for the open keys.",
        "Which rows of the mask have no True at all, and what does softmax make of them?",
    ),
    precision=SUMMED,
    equivalents={
        "masked_softmax: line 4: any(dim=-1, keepdim=True) dropped": (
            "hidden weights are 0 already, so it makes no difference which zeros are put there"
        ),
        "masked_softmax: line 4: weights becomes hidden in torch.zeros_like(weights)": (
            "both have the same shape and dtype"
        ),
    },
)
