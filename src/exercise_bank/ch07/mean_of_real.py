"""Exercise 07.mean_of_real: one vector for each sequence of a padded batch."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch07.mistakes.mean_of_real import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED
from plainformer.pooling import mean_pool

SUM = "real vectors are added"
COUNT = "divided by how many there are"


def flags(*rows: str) -> Tensor:
    return torch.tensor([[each == "1" for each in row] for row in rows])


def drawn(g: Generator, m: int, *rows: str) -> dict[str, Tensor]:
    real = flags(*rows)
    return {"hidden": 2 + normal(g, *real.shape, m), "real": real}


def padded(g: Generator) -> list[Inputs]:
    """Draw padding after, before and between real vectors."""
    return [
        drawn(g, 2, "110"),
        drawn(g, 3, "111", "110", "100"),
        drawn(g, 2, "011", "001"),
        drawn(g, 4, "01011", "00110"),
    ]


def equal_vectors(g: Generator) -> list[Inputs]:
    """Draw sequences of one repeated vector, padding included: any mean equals that vector."""
    both = (drawn(g, 1, "11"), drawn(g, 2, "110", "100"), drawn(g, 3, "0110", "0111", "1001"))
    return [{**x, "hidden": x["hidden"][:, :1].expand_as(x["hidden"]).clone()} for x in both]


def spoilt_padding(g: Generator) -> list[Inputs]:
    spoilt: list[Inputs] = []
    for what in (torch.nan, torch.inf, -torch.inf):
        each = drawn(g, 2, "110", "011", "010")
        spoilt.append({**each, "hidden": each["hidden"].where(each["real"][..., None], what)})
    return spoilt


def nothing_real(g: Generator) -> list[Inputs]:
    return [drawn(g, 2, "100", "000", "111"), drawn(g, 1, "00", "11"), drawn(g, 3, "0")]


def whole(g: Generator) -> list[Inputs]:
    example = {
        "hidden": torch.tensor([[[1.0], [3.0], [50.0]], [[8.0], [50.0], [50.0]]]).double(),
        "real": flags("110", "100"),
    }
    of_zeros = drawn(g, 2, "1110", "0011")
    of_zeros["hidden"][:, 2] = 0  # a real vector, although all its numbers are 0
    return [example, drawn(g, 3, "0110", "1111", "0001"), drawn(g, 5, "1"), of_zeros]


def empty_rows(inputs: Inputs, pooled: Tensor) -> str | None:
    """Report a sequence without a real token that does not give zeros, or another one that does."""
    real = inputs["real"]
    if pooled.shape != (real.shape[0], inputs["hidden"].shape[2]):
        return f"one vector for each sequence is (b, m); yours has the shape {tuple(pooled.shape)}"
    for b, some in enumerate(real.any(dim=1).tolist()):
        zero = bool((pooled[b] == 0).all())
        if zero == some:
            has = "real tokens, and yours is zeros" if some else f"none; yours is {show(pooled[b])}"
            return f"sequence {b} has {has}"
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


def nan_to_number(hidden: Tensor, real: Tensor) -> Tensor:
    kept = hidden.nan_to_num(0, 0, 0) * real[..., None]
    return kept.sum(1) / torch.maximum(real.sum(1), torch.tensor(1))[:, None]


TASK = Exercise(
    id="07.mean_of_real",
    title="The mean of the real tokens",
    level="warm-up",
    minutes=8,
    concepts=("mean-pooling",),
    reference=mean_pool,
    rungs=(
        Rung(
            name="real vectors are in the sum, whatever it is divided by",
            points=1.0,
            draw=in_single(padded),
            law=in_proportion(mean_pool, "only the real vectors of a sequence are added"),
            compare=False,
            idea=SUM,
        ),
        Rung(
            name="the mean of equal vectors is that vector",
            points=1.0,
            draw=in_single(equal_vectors),
            idea=COUNT,
        ),
        Rung(
            name="padding that is nan or inf, whatever the sum is divided by",
            points=0.25,
            draw=in_single(spoilt_padding),
            law=in_proportion(mean_pool, "only the real vectors of a sequence are added"),
            compare=False,
        ),
        Rung(
            name="a sequence without a real token gives zeros, and no other sequence does",
            points=0.25,
            draw=in_single(nothing_real),
            law=empty_rows,
            compare=False,
        ),
        Rung(
            name="padding on either side, in float32 and float64",
            points=0.5,
            draw=both_types(whole),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one sequence at a time", answer=one_by_one),
        Alternative(name="einsum with weights", answer=by_weights),
        Alternative(name="nan and inf made 0 first", answer=nan_to_number),
    ),
    hints=(
        "A mean is a sum divided by a count. Which vectors are in the sum, and which in the count?",
        "The sum runs over the positions, axis 1. The count is a number for each sequence.",
        "What is 0 · nan? And what is 0 / 0? Look up torch.where and clamp_min.",
    ),
    precision=SUMMED,
)
