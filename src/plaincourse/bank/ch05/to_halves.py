"""Exercise 05.to_halves: a checkpoint moves from one rotary layout to the other."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch05.mistakes.to_halves import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def one_head(g: Generator) -> list[Inputs]:
    return [{"weight": normal(g, d, m), "n_heads": 1} for d, m in ((6, 1), (6, 3), (10, 6))]


def several_heads(g: Generator) -> list[Inputs]:
    sizes = ((2, 6, 2), (3, 6, 5), (4, 8, 4))
    return [{"weight": normal(g, h * d, m), "n_heads": h} for h, d, m in sizes]


def awkward(g: Generator) -> list[Inputs]:
    sizes = ((2, 8, 16), (5, 6, 30), (3, 10, 7))
    drawn = [{"weight": normal(g, h * d, m), "n_heads": h} for h, d, m in sizes]
    return [*drawn, {"weight": normal(g, 12, 5, dtype=torch.bfloat16), "n_heads": 2}]


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


TASK = Exercise(
    id="05.to_halves",
    title="From pairs to halves",
    level="medium",
    minutes=10,
    concepts=("rotary-layouts",),
    reference=to_halves,
    rungs=(
        Rung(name="one head", points=1.0, draw=one_head),
        Rung(name="each head by itself", points=2.0, draw=several_heads),
        Rung(name="the whole, at awkward sizes", points=2.0, draw=awkward),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by index", answer=by_index),
        Alternative(name="head by head", answer=head_by_head),
        Alternative(name="a permutation in float32", answer=by_permutation),
    ),
    hints=(
        "nn.Linear computes x @ weight.T. Which axis of weight counts the components of a query?",
        "In pairs, a head's rows are plane 0, plane 0, plane 1, plane 1, … Which rows of a head "
        "come first when it is written in halves?",
        "Split the rows into (heads, planes, 2). Which two of these three change places?",
    ),
    equivalents={
        "to_halves: line 4: 1 and 2 swapped in planes.transpose(1, 2)": (
            "two axes may be named in either order"
        ),
    },
)
