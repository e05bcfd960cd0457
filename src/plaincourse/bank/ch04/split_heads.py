"""Exercise 04.split_heads: one width cut into heads."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch04.mistakes.split_heads import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, b: int, n: int, h: int, d: int) -> Inputs:
    return {"x": normal(g, b, n, h * d), "n_heads": h}


def one_position(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, 2, 3), draw(g, 1, 1, 3, 2), draw(g, 1, 1, 3, 1)]


def several_positions(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 2, 2, 2), draw(g, 1, 3, 3, 3), draw(g, 1, 3, 2, 4)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, 2, 2), draw(g, 3, 5, 2, 7), draw(g, 4, 3, 5, 1), draw(g, 3, 7, 1, 2)]


def four_axes(inputs: Inputs, heads: Tensor) -> str | None:
    """Say that the output has the wrong shape, or a head the wrong slice."""
    b, n, width = inputs["x"].shape
    h = inputs["n_heads"]
    if heads.shape != (b, h, n, width // h):
        return f"the shape is (b, h, n, d) = {(b, h, n, width // h)}; yours is {tuple(heads.shape)}"
    return None


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, n_heads, width // n_heads).transpose(1, 2)


def stacked_chunks(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def viewed(x: Tensor, n_heads: int) -> Tensor:
    return x.view(*x.shape[:2], n_heads, -1).permute(0, 2, 1, 3)


def head_by_head(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    d = width // n_heads
    heads = x.new_zeros(b, n_heads, n, d)
    for r in range(n_heads):
        heads[:, r] = x[:, :, r * d : (r + 1) * d]
    return heads


TASK = Exercise(
    id="04.split_heads",
    title="Cut one width into heads",
    level="warm-up",
    minutes=8,
    concepts=("head-splitting", "head-width", "subspaces"),
    reference=split_heads,
    rungs=(
        Rung(
            name="one position: its numbers, cut into heads",
            points=0.5,
            draw=one_position,
            law=four_axes,
        ),
        Rung(
            name="each head holds its slice of every position",
            points=1.5,
            draw=several_positions,
            law=four_axes,
        ),
        Rung(name="a batch, at awkward sizes", points=1.0, draw=awkward, law=four_axes),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="chunks, stacked", answer=stacked_chunks),
        Alternative(name="view and permute", answer=viewed),
        Alternative(name="head by head", answer=head_by_head),
    ),
    hints=(
        "Position 0 is one vector. Which of its numbers belong to head 1?",
        "A reshape can cut the last axis in two. Where do positions and heads stand after it?",
        "After cutting you have (b, n, h, d). Which two axes must still change places?",
    ),
    axes="b h n d",
    equivalents={
        "split_heads: line 3: 1 and 2 swapped in "
        "x.reshape(b, n, n_head …  // n_heads).transpose(…)": "axes may be named in either order",
    },
)
