"""Exercise 11.lazy: an online softmax that rescales only when it must."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch11.mistakes.lazy import MISCONCEPTIONS
from exercise_bank.draws import single, spread
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NOTHING = -torch.inf
SHOWN = torch.tensor([[0.0, 1.0, 5.0], [3.0, 2.0, 4.0]])


def drawn(g: Generator, scores: list[list[float]], block: int, tau: float, e: int = 2) -> Inputs:
    """Return inputs with these scores, and values that are far apart."""
    rows = torch.tensor(scores)
    value = spread(g, e, rows.shape[1]).mT.contiguous().float()
    return {"scores": rows, "value": value, "block": block, "tau": tau}


def wobbled(g: Generator, inputs: Inputs) -> Inputs:
    """Change all scores a little, too little to affect the rescalings, in steps of 1/1024."""
    by = (100 * single(g, *inputs["scores"].shape).tanh()).round() / 1024
    return {**inputs, "scores": inputs["scores"] + by}


def one_block(g: Generator) -> list[Inputs]:
    return [
        wobbled(g, drawn(g, [[0.0, 3.0]], 2, 1.0)),
        wobbled(g, drawn(g, [[3.0, 1.0]], 2, 1.0)),
        wobbled(g, drawn(g, [[4.0, 0.0, 6.0]], 5, 0.0, e=3)),
    ]


def exact(g: Generator) -> list[Inputs]:
    return [
        wobbled(g, drawn(g, [[0.0, 1.0]], 1, 2.0)),
        wobbled(g, drawn(g, [[0.0, 5.0]], 1, 2.0)),
        wobbled(g, drawn(g, [[0.0, 1.0, 2.0, 9.0, 10.0]], 2, 4.0, e=3)),
        wobbled(g, drawn(g, [[800.0, 803.0, 812.0, 790.0, 1700.0]], 1, 8.0)),
        wobbled(g, drawn(g, [[0.0, 2.0, 1.0]], 1, 0.0)),
        drawn(g, [[0.0, 1.0, -1.0]], 1, 2.0),
    ]


def counted(g: Generator) -> list[Inputs]:
    return [
        wobbled(g, drawn(g, [[0.0, 1.0, 4.0]], 1, 2.0)),
        wobbled(g, drawn(g, [[5.0, 0.0, 9.0, 1.0, 20.0]], 1, 3.0)),
        wobbled(g, drawn(g, [[0.0, 9.0, 8.0, 7.0, 1.0]], 2, 2.0)),
        wobbled(g, drawn(g, [[9.0, 2.0, 3.0, 10.0, 4.0]], 1, 2.0)),
    ]


def creeping(g: Generator) -> list[Inputs]:
    return [
        wobbled(g, drawn(g, [[0.0, 1.0, 2.0, 3.0]], 1, 2.5)),
        wobbled(g, drawn(g, [[float(i) for i in range(11)]], 1, 3.5)),
        wobbled(g, drawn(g, [[0.0, 3.0, 5.0, 3.0, 8.0, 2.0]], 1, 4.0)),
        wobbled(g, drawn(g, [[0.0, 7.0, 0.0, 1.0, 6.0]], 1, 4.0)),
        wobbled(g, drawn(g, [[0.0, 0.0, 1.0, -5.0, 2.0, -5.0, 3.0, -5.0]], 2, 2.5)),
    ]


def just_tau(g: Generator) -> list[Inputs]:
    return [
        drawn(g, [[0.0, 2.0, 4.0, 5.0]], 1, 2.0),
        drawn(g, [[1.0, 9.0, 8.0, 9.5]], 1, 8.0),
        drawn(g, [[1.0, 1.0, 1.0, 2.0]], 1, 0.0),
    ]


def rows_by_themselves(g: Generator) -> list[Inputs]:
    low = [[0.0, 9.0, 1.0, 2.0], [6.0, 5.0, 7.0, 4.0]]
    # Row 0 moves by little while row 1 jumps; then both move by little. No score is changed here.
    apart = {"scores": torch.tensor([[0.0, 1.5, 3.0], [0.0, 9.0, 9.0]]), "block": 1, "tau": 2.0}
    three = [[0.0, 1.0, 8.0, 2.0, 3.0], [-900.0, -902.0, -895.0, -890.0, -891.0], [9.0] + [0.0] * 4]
    return [
        {"scores": SHOWN, "value": torch.ones(3, 1), "block": 1, "tau": 2.0},
        {**apart, "value": torch.eye(3)},
        wobbled(g, drawn(g, low, 1, 2.0)),
        wobbled(g, drawn(g, three, 2, 3.0, e=3)),
        drawn(g, [[2.0 * i * (-1) ** (i + j) for i in range(6)] for j in range(5)], 1, 5.0),
    ]


def nothing_yet(g: Generator) -> list[Inputs]:
    return [
        wobbled(g, drawn(g, [[NOTHING, 3.0, 9.0]], 1, 2.0)),
        wobbled(g, drawn(g, [[NOTHING, NOTHING, NOTHING, 0.0], [1.0, NOTHING, 2.0, 7.0]], 2, 2.0)),
        wobbled(g, drawn(g, [[NOTHING, NOTHING, NOTHING], [0.0, 5.0, NOTHING]], 1, 1.0)),
        wobbled(g, drawn(g, [[2.0, NOTHING, 3.0], [NOTHING, NOTHING, -2.0]], 1, 2.0)),
    ]


def lazy(scores: Tensor, value: Tensor, block: int, tau: float) -> tuple[Tensor, Tensor]:
    """Return the output (q, e) and how often each row was rescaled (q,)."""
    q, k = scores.shape
    used = torch.full((q,), -torch.inf)
    total, out = torch.zeros(q), torch.zeros(q, value.shape[1])
    count = torch.zeros(q, dtype=torch.int64)
    for start in range(0, k, block):
        part = scores[:, start : start + block]
        highest = part.amax(dim=1)
        moves = highest > used + tau
        count = count + (moves & (used > -torch.inf))
        new = torch.where(moves, highest, used)
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade = torch.exp(used - anchor)
        weights = torch.exp(part - anchor[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def row_by_row(scores: Tensor, value: Tensor, block: int, tau: float) -> tuple[Tensor, Tensor]:
    outputs, counts = [], []
    for row in scores:
        used, total, out, times = -math.inf, 0.0, torch.zeros_like(value[0]), 0
        for s, v in zip(row.split(block), value.split(block), strict=True):
            top = s.max().item()
            if top > used + tau and used == -math.inf:
                used = top
            elif top > used + tau:
                fade = math.exp(used - top)
                used, total, out, times = top, total * fade, out * fade, times + 1
            if used > -math.inf:
                weights = (s - used).exp()
                total, out = total + weights.sum().item(), out + weights @ v
        outputs.append(out / (total or 1.0))
        counts.append(times)
    return torch.stack(outputs), torch.tensor(counts)


def apart(scores: Tensor, value: Tensor, block: int, tau: float) -> tuple[Tensor, Tensor]:
    tops = torch.stack([part.amax(dim=1) for part in scores.split(block, dim=1)])
    used, count = tops[0].clone(), torch.zeros(len(scores), dtype=torch.long)
    for top in tops[1:]:
        moved = top - used > tau
        count += (moved & used.isfinite()).long()
        used = torch.where(moved | ~used.isfinite(), top, used)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, count


def masked(scores: Tensor, value: Tensor, block: int, tau: float) -> tuple[Tensor, Tensor]:
    q, e = len(scores), value.shape[1]
    kept = torch.zeros(q, e + 1, dtype=value.dtype)
    held = torch.ones(len(value), e + 1, dtype=value.dtype)
    held[:, :e] = value
    used, times = torch.full((q, 1), -1e30, dtype=value.dtype), torch.zeros(q, 1, dtype=torch.int)
    for start in range(0, scores.shape[1], block):
        stop = start + block
        top = scores[:, start:stop].max(dim=1, keepdim=True).values
        above = (top > used + tau) & (top > -torch.inf)
        first = used < -1e29
        times += (above & ~first).int()
        kept = kept * torch.where(above, torch.exp(used - top), 1.0)
        used = torch.where(above, top, used)
        parts = torch.where(scores[:, start:stop] == -torch.inf, 0.0, 1.0)
        kept = (
            kept
            + torch.nan_to_num(torch.exp(scores[:, start:stop] - used) * parts) @ held[start:stop]
        )
    return kept[:, :e] / torch.where(kept[:, e:] > 0, kept[:, e:], 1.0), times[:, 0]


def right(inputs: Inputs) -> tuple[Tensor, Tensor]:
    return lazy(**inputs)


NAMES = ("output", "number of rescalings")
OUTPUT, COUNT = parts(right, NAMES, 0), parts(right, NAMES, 1, dtype="any")
BOTH = parts(right, NAMES, dtype="any")

TASK = Exercise(
    id="11.lazy",
    title="Rescale only when it matters",
    level="hard",
    minutes=13,
    concepts=("rescaling", "online-exactness"),
    reference=lazy,
    rungs=(
        Rung(
            name="one block needs no rescaling",
            points=0.25,
            draw=one_block,
            law=BOTH,
            compare=False,
        ),
        Rung(
            name="the output is exact, rescaled or not",
            points=1.25,
            idea="exact, rescaled or not",
            draw=exact,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="small moves are not counted, large ones are",
            points=0.75,
            idea="only moves of more than τ",
            draw=counted,
            law=COUNT,
            compare=False,
        ),
        Rung(
            name="a move is measured from the maximum in use",
            points=1.0,
            idea="only moves of more than τ",
            draw=creeping,
            law=COUNT,
            compare=False,
        ),
        Rung(
            name="a move of τ itself is not more than τ",
            points=0.25,
            draw=just_tau,
            law=COUNT,
            compare=False,
        ),
        Rung(
            name="each row decides for itself",
            points=2.0,
            idea="each row by itself",
            draw=rows_by_themselves,
            law=BOTH,
            compare=False,
        ),
        Rung(
            name="blocks of -inf only, first or later",
            points=0.5,
            draw=nothing_yet,
            law=BOTH,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="row by row", answer=row_by_row),
        Alternative(name="the count apart from the output", answer=apart),
        Alternative(name="a column of ones beside the values", answer=masked),
    ),
    hints=(
        "The output is o / l. What happens to it if both are computed from a maximum that is too "
        "small by 1?",
        "There are two maxima: the largest score so far, and the one that your exponents use. They "
        "agree after a rescaling, and may differ by up to τ later.",
        "Decide for each row with torch.where: the maximum in use becomes the block's where that "
        "is more than τ above it, and stays elsewhere. The factor exp(used - new) is then 1 by "
        "itself.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "lazy: line 4: torch.zeros of q dropped",
                "lazy: line 4: torch.zeros becomes ones",
                "lazy: line 4: torch.zeros of q dropped (2)",
                "lazy: line 4: torch.zeros becomes ones (2)",
            ),
            "the first factor is exp(-inf) = 0, whatever it multiplies",
        ),
        **dict.fromkeys(
            (
                "lazy: line 12: 0.0 becomes -1.0 in new.masked_fill(new == -torch.inf, 0.0)",
                "lazy: line 12: 0.0 becomes 1.0 in new.masked_fill(new == -torch.inf, 0.0)",
            ),
            "exp(-inf) is 0 relative to any finite number",
        ),
        "lazy: line 18: 1.0 becomes 2.0 in total.masked_fill(total == 0, 1.0)": (
            "the dividend is 0 there"
        ),
        "lazy: line 5: dtype=torch.int64 dropped in torch.zeros(q, dtype=torch.int64)": (
            "2.0 rescalings are 2"
        ),
    },
)
