"""Exercise 07.mean_of_real: one vector for each sequence of a padded batch."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch07.mistakes.mean_of_real import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.pooling import mean_pool


def flags(*rows: str) -> Tensor:
    return torch.tensor([[each == "1" for each in row] for row in rows])


def all_real(g: Generator) -> list[Inputs]:
    return [
        {"hidden": 3 + normal(g, 1, 2, 1), "real": flags("11")},
        {"hidden": 1 + normal(g, 3, 4, 2), "real": flags("1111", "1111", "1111")},
    ]


def padded_behind(g: Generator) -> list[Inputs]:
    return [
        {"hidden": 2 + normal(g, 1, 3, 1), "real": flags("110")},
        {"hidden": 2 + normal(g, 3, 3, 3), "real": flags("111", "110", "100")},
    ]


def anywhere(g: Generator) -> list[Inputs]:
    return [
        {"hidden": 2 + normal(g, 2, 3, 2), "real": flags("011", "001")},
        {"hidden": 2 + normal(g, 2, 5, 4), "real": flags("01011", "00110")},
    ]


def spoilt_padding(g: Generator) -> list[Inputs]:
    real = flags("110", "011")
    hidden = normal(g, 2, 3, 2)
    return [
        {"hidden": torch.where(real[..., None], hidden, torch.nan), "real": real},
        {"hidden": torch.where(real[..., None], hidden, torch.inf), "real": real},
    ]


def nothing_real(g: Generator) -> list[Inputs]:
    return [
        {"hidden": 1 + normal(g, 1, 2, 2), "real": flags("00")},
        {"hidden": 1 + normal(g, 3, 3, 2), "real": flags("100", "000", "110")},
    ]


def between_the_real(inputs: Inputs, pooled: Tensor) -> str | None:
    """Say which mean lies outside the real vectors of its sequence."""
    hidden, real = inputs["hidden"], inputs["real"]
    if pooled.shape != (hidden.shape[0], hidden.shape[2]):
        return f"one vector for each sequence is (b, m); yours has the shape {tuple(pooled.shape)}"
    if not pooled.isfinite().all():
        return f"{int((~pooled.isfinite()).sum())} of your {pooled.numel()} numbers are not finite"
    for b, row in enumerate(real):
        kept = hidden[b][row]
        low = kept.amin(dim=0) if len(kept) else torch.zeros_like(pooled[b])
        high = kept.amax(dim=0) if len(kept) else low
        if ((pooled[b] < low - 1e-6) | (pooled[b] > high + 1e-6)).any():
            return (
                f"the mean of sequence {b} lies between its {len(kept)} real vectors; yours does "
                "not"
            )
    return None


def one_by_one(hidden: Tensor, real: Tensor) -> Tensor:
    rows = []
    for vectors, kept in zip(hidden, real, strict=True):
        chosen = vectors[kept]
        rows.append(chosen.mean(dim=0) if len(chosen) else torch.zeros_like(vectors[0]))
    return torch.stack(rows)


def by_weights(hidden: Tensor, real: Tensor) -> Tensor:
    share = real.to(hidden.dtype) / real.sum(dim=-1, keepdim=True).clamp_min(1)
    return torch.einsum("bqm,bq->bm", hidden.masked_fill(~real[..., None], 0.0), share)


TASK = Exercise(
    id="07.mean_of_real",
    title="The mean of what is real",
    level="warm-up",
    minutes=8,
    concepts=("mean-pooling",),
    reference=mean_pool,
    rungs=(
        Rung(name="without padding it is the plain mean", points=0.5, draw=all_real),
        Rung(
            name="padding behind takes no part",
            points=1.0,
            draw=padded_behind,
            law=between_the_real,
        ),
        Rung(
            name="nor does padding anywhere else", points=0.5, draw=anywhere, law=between_the_real
        ),
        Rung(
            name="not even if it is nan or inf",
            points=0.5,
            draw=spoilt_padding,
            law=between_the_real,
        ),
        Rung(name="nothing real gives zeros", points=0.5, draw=nothing_real, law=between_the_real),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one sequence at a time", answer=one_by_one),
        Alternative(name="einsum with weights", answer=by_weights),
    ),
    hints=(
        "A mean is a sum divided by a count. Which vectors are in the sum, and which in the count?",
        "The sum runs over the positions, axis 1. The count is a number for each sequence.",
        "What is 0 · nan? And what is 0 / 0? Look up torch.where and clamp_min.",
    ),
    equivalents={},
)
