"""Exercise 05.to_halves: a checkpoint moves from one rotary layout to the other."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch05.mistakes.to_halves import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import in_single, sides_of
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

PLANES = "a plane's two, half a head apart"
HEADS = "each head by itself"
ROWS = "whole rows change places"


def one_head(g: Generator) -> list[Inputs]:
    return [{"weight": normal(g, d, m), "n_heads": 1} for d, m in ((4, 4), (6, 1), (6, 6), (10, 3))]


def several_heads(g: Generator) -> list[Inputs]:
    sizes = ((2, 4, 8), (3, 6, 5), (4, 8, 4), (2, 4, 2))
    return [{"weight": normal(g, h * d, m), "n_heads": h} for h, d, m in sizes]


def whole(g: Generator) -> list[Inputs]:
    sizes = ((2, 8, 16), (5, 6, 30), (3, 10, 7), (2, 2, 3))
    drawn = [{"weight": normal(g, h * d, m), "n_heads": h} for h, d, m in sizes]
    example = {"weight": torch.arange(4.0)[:, None], "n_heads": 1}
    return [example, *drawn]


def in_bfloat16(g: Generator) -> list[Inputs]:
    return [*in_single(whole)(g), {"weight": normal(g, 12, 5, dtype=torch.bfloat16), "n_heads": 2}]


def to_halves(weight: Tensor, n_heads: int) -> Tensor:
    """Reorder the rows of each head: even components first, then odd ones."""
    rows, m = weight.shape
    planes = weight.reshape(n_heads, rows // n_heads // 2, 2, m)
    return planes.transpose(1, 2).reshape(rows, m)


def by_index(weight: Tensor, n_heads: int) -> Tensor:
    d = weight.shape[0] // n_heads
    order = torch.cat([torch.arange(0, d, 2), torch.arange(1, d, 2)])
    return weight[torch.cat([head * d + order for head in range(n_heads)])]


def head_by_head(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[0::2], w[1::2]]) for w in weight.chunk(n_heads)])


def by_permutation(weight: Tensor, n_heads: int) -> Tensor:
    d = weight.shape[0] // n_heads
    order = torch.eye(d)[[*range(0, d, 2), *range(1, d, 2)]]
    return torch.block_diag(*[order] * n_heads) @ weight


def row_by_row(weight: Tensor, n_heads: int) -> Tensor:
    d = len(weight) // n_heads
    out = torch.empty_like(weight)
    for row in range(len(weight)):
        head, component = divmod(row, d)
        plane, second = divmod(component, 2)
        out[head * d + plane + second * (d // 2)] = weight[row]
    return out


def taken(inputs: Inputs, out: Tensor) -> Tensor:
    """Return which row of the weight each row of the result equals; -1 if none."""
    same = (out[:, None] == inputs["weight"].double()).all(dim=-1)
    return torch.where(same.any(dim=-1), same.int().argmax(dim=-1), -1)


def all_taken(inputs: Inputs, out: Tensor) -> Tensor:
    """Return the rows of the weight in the result, in order, and whether they moved."""
    rows = taken(inputs, out)
    return torch.cat([rows.sort().values, (rows != torch.arange(len(rows))).any()[None].long()])


def partners(inputs: Inputs, out: Tensor) -> Tensor:
    """Return pairs of rows of the weight that are half a head apart, the lower one first."""
    first, second = taken(inputs, out).chunk(2)
    pairs = torch.stack([torch.minimum(first, second), torch.maximum(first, second)]).mT
    return pairs[pairs[:, 0].argsort(stable=True)]


def heads_of(inputs: Inputs, out: Tensor) -> Tensor:
    """Return each row's head in the weight, and the heads in which any row moved."""
    rows, heads = taken(inputs, out), inputs["n_heads"]
    moved = (rows != torch.arange(len(rows))).reshape(heads, -1).any(dim=-1).long()
    return torch.cat([rows // (len(out) // heads), moved])


side = sides_of(to_halves, in_full=True)

TASK = Exercise(
    id="05.to_halves",
    title="From pairs to halves",
    level="medium",
    minutes=10,
    concepts=("rotary-layouts",),
    extra=True,
    reference=to_halves,
    rungs=(
        side(
            "rows change places, and stay whole",
            0.75,
            in_single(several_heads),
            all_taken,
            "the numbers of the rows that you return, sorted (-1 if it is not a row of the "
            "weight), and then whether (1) any has moved",
            ROWS,
        ),
        side(
            "one head: the two rows of a plane are half a head apart",
            1.25,
            in_single(one_head),
            partners,
            "which rows of the weight are a pair, d/2 apart in your result, one pair a line",
            PLANES,
        ),
        side(
            "rows move in every head, and none leaves its head",
            1.0,
            in_single(several_heads),
            heads_of,
            "the heads that your rows come from, and then for each head whether (1) any row of it "
            "has moved",
            HEADS,
        ),
        side(
            "one head: its planes in order, the first of each before all second ones",
            1.0,
            in_single(one_head),
            taken,
            "the numbers of the rows in your result",
            PLANES,
        ),
        Rung(name="all of it, in float32 and bfloat16", points=1.0, draw=in_bfloat16),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by index", answer=by_index),
        Alternative(name="head by head", answer=head_by_head),
        Alternative(name="a permutation in float32", answer=by_permutation),
        Alternative(name="row by row", answer=row_by_row),
    ),
    hints=(
        "nn.Linear computes x @ weight.T. Which axis of weight counts the components of a query?",
        "In pairs, the rows of a head belong to plane 0, plane 0, plane 1, plane 1, … Which of "
        "them come first in halves?",
        "Split the rows into (heads, planes, 2). Which two of these three axes change places?",
    ),
    equivalents={
        "to_halves: line 4: 1 and 2 swapped in planes.transpose(1, 2)": (
            "two axes may be named in either order"
        ),
    },
)
