"""Exercise 05.rotate_part: rotary positions that turn a part of each vector."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch05.mistakes.rotate_part import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def drawn(g: Generator, positions: list[int], d: int, rotated: int, *batch: int) -> Inputs:
    """Draw vectors (*batch, q, d) for these positions."""
    return {
        "x": normal(g, *batch, len(positions), d),
        "positions": torch.tensor(positions),
        "rotated": rotated,
    }


def one_plane(g: Generator) -> list[Inputs]:
    return [drawn(g, [1], 2, 2), drawn(g, [3], 2, 2), drawn(g, [0, 1, 2], 2, 2)]


def several_planes(g: Generator) -> list[Inputs]:
    return [drawn(g, [0, 1], 4, 4), drawn(g, [0, 1, 2, 3], 6, 6), drawn(g, [*range(5)], 10, 10)]


def given_positions(g: Generator) -> list[Inputs]:
    return [drawn(g, [7], 4, 4), drawn(g, [40, 2, 19], 6, 6), drawn(g, [5, 6, 7], 8, 8, 2)]


def a_part(g: Generator) -> list[Inputs]:
    return [drawn(g, [0, 1, 2], 4, 2), drawn(g, [0, 1, 2, 3], 10, 6), drawn(g, [0, 1], 7, 4)]


def whole(g: Generator) -> list[Inputs]:
    return [drawn(g, [3, 4], 9, 4, 2, 3), drawn(g, [0, 90, 17, 3], 12, 8, 1, 2)]


def rotate_part(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    """Turn the first ``rotated`` components, in halves; pass on the rest."""
    frequencies = 10_000.0 ** (-torch.arange(0, rotated, 2, dtype=torch.float64) / rotated)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def complex_numbers(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    half = rotated // 2
    exponent = torch.arange(half, dtype=torch.float64) / half
    angles = positions.double()[:, None] / 10_000.0**exponent
    numbers = torch.complex(x[..., :half].contiguous(), x[..., half:rotated].contiguous())
    numbers = numbers * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([numbers.real, numbers.imag, x[..., rotated:]], dim=-1)


def half_turned(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    part, rest = x[..., :rotated], x[..., rotated:]
    exponent = torch.arange(0, rotated, 2, dtype=torch.float64) / rotated
    angles = torch.outer(positions.double(), 10_000.0**-exponent).repeat(1, 2)
    first, second = part.chunk(2, dim=-1)
    partner = torch.cat([-second, first], dim=-1)
    return torch.cat([part * angles.cos() + partner * angles.sin(), rest], dim=-1)


def in_float32(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    half = rotated // 2
    angles = torch.outer(positions, 10_000 ** (-torch.arange(0, rotated, 2).float() / rotated))
    a, b, rest = x.split([half, half, x.shape[-1] - rotated], dim=-1)
    first = a * angles.cos() - b * angles.sin()
    return torch.cat([first, a * angles.sin() + b * angles.cos(), rest], dim=-1)


TASK = Exercise(
    id="05.rotate_part",
    title="Turn a part",
    level="medium",
    minutes=14,
    concepts=("rotary-embedding", "rotary-layouts"),
    reference=rotate_part,
    rungs=(
        Rung(name="one plane turns to the left", points=0.5, draw=one_plane),
        Rung(name="halves, each plane at its own speed", points=1.0, draw=several_planes),
        Rung(name="the positions are those given", points=1.0, draw=given_positions),
        Rung(name="only the first components turn", points=1.5, draw=a_part),
        Rung(name="the whole, with batch and heads", points=1.0, draw=whole),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="complex numbers", answer=complex_numbers),
        Alternative(name="partner and tables", answer=half_turned),
        Alternative(name="frequencies in float32", answer=in_float32),
    ),
    hints=(
        "How many planes are there, and which two components make the first of them?",
        "The frequencies count the planes among the components that turn. Which number stands "
        "below the exponent, then?",
        "Three parts stand side by side in the result: the turned first halves, the turned "
        "second halves, and what was not touched. Which of the first two gets the minus?",
    ),
    equivalents={
        "rotate_part: line 2: dtype=torch.float64 dropped in torch.arange(…)": (
            "float32 holds the frequencies well enough"
        ),
    },
)
