"""Exercise 05.rotate_part: rotary positions that turn a part of each vector."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch05.mistakes.rotate_part import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import sides_of
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

PART = "only a part turns"
PLANES = "planes are halves of the part"
ANGLES = "a speed for each plane"


def drawn(g: Generator, positions: list[int], d: int, rotated: int, *batch: int) -> dict[str, Any]:
    """Draw vectors (*batch, q, d) for these positions."""
    return {
        "x": normal(g, *batch, len(positions), d),
        "positions": torch.tensor(positions),
        "rotated": rotated,
    }


def a_part(g: Generator) -> list[Inputs]:
    return [drawn(g, [1, 2], 4, 2), drawn(g, [1, 2, 3, 4], 10, 6), drawn(g, [2, 1], 7, 4, 2)]


def one_plane(g: Generator) -> list[Inputs]:
    return [drawn(g, [0, 1], 2, 2), drawn(g, [0, 1, 2], 2, 2)]


def several_planes(g: Generator) -> list[Inputs]:
    return [drawn(g, [0, 1], 4, 4), drawn(g, [0, 1, 2, 3], 6, 6), drawn(g, [*range(5)], 10, 10)]


def planes_in_a_part(g: Generator) -> list[Inputs]:
    return [
        drawn(g, [0, 1], 4, 4),
        drawn(g, [1], 9, 4),
        drawn(g, [0, 1, 2, 3], 13, 6),
        drawn(g, [*range(5)], 22, 10),
    ]


def given_positions(g: Generator) -> list[Inputs]:
    """Draw positions that are not the row numbers, in one plane."""
    return [drawn(g, [7], 2, 2), drawn(g, [40, 2, 19], 2, 2), drawn(g, [3, 5], 2, 2)]


def whole(g: Generator) -> list[Inputs]:
    example = {
        "x": torch.tensor([[1.0, 0.0, 5.0]], dtype=torch.float64),
        "positions": torch.tensor([math.pi / 2], dtype=torch.float64),
        "rotated": 2,
    }
    single = drawn(g, [2, 0, 5], 6, 4)
    single = {**single, "x": single["x"].float()}
    between = {**drawn(g, [0, 0], 2, 2), "positions": torch.tensor([0.5, 2.25])}
    far = drawn(g, [0, 90, 17, 3], 12, 8, 1, 2)
    return [example, single, between, drawn(g, [3, 4], 9, 4, 2, 3), far]


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


def plane_by_plane(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    out, half = x.clone(), rotated // 2
    for r in range(half):
        angle = positions * 10_000.0 ** (-2 * r / rotated)
        out[..., r] = x[..., r] * angle.cos() - x[..., r + half] * angle.sin()
        out[..., r + half] = x[..., r] * angle.sin() + x[..., r + half] * angle.cos()
    return out


def passed_on(inputs: Inputs, out: Tensor) -> Tensor:
    """Return which of the remaining components changed, and whether any rotated one did.

    A component that has become 0 counts 2, to distinguish it from one that has turned.
    """
    x, rotated = inputs["x"], inputs["rotated"]
    moved = (out - x).abs() > 1e-6
    turns = moved[..., :rotated].any(dim=-1, keepdim=True).double()
    rest = moved[..., rotated:] * (1 + (out[..., rotated:] == 0).double())
    return torch.cat([rest, turns], dim=-1)


def lengths(inputs: Inputs, out: Tensor) -> Tensor:
    """Return the length of each plane in halves, and whether the vectors of a position turn.

    The second is returned for position 0, which turns nothing, and for the other positions
    together.
    """
    a, b = out.chunk(2, dim=-1)
    moved = ((out - inputs["x"]).abs() > 1e-6).any(dim=-1)
    first = inputs["positions"] == 0
    turns = torch.stack([moved[..., first].any(), moved[..., ~first].any()]).double()
    return torch.cat([(a * a + b * b).sqrt().flatten(), turns])


def cosines(inputs: Inputs, out: Tensor) -> Tensor:
    """Return the cosine of each plane's angle, in halves; it does not depend on the direction."""
    parts = (each.double()[..., : inputs["rotated"]] for each in (inputs["x"], out))
    before, after = (torch.complex(*each.chunk(2, dim=-1)) for each in parts)
    return (after * before.conj()).real / before.abs().square()


side = sides_of(rotate_part)

TASK = Exercise(
    id="05.rotate_part",
    title="Turn a part",
    level="medium",
    minutes=14,
    concepts=("rotary-embedding", "rotary-layouts"),
    reference=rotate_part,
    rungs=(
        side(
            "the rest is passed on, and the part is not",
            0.75,
            a_part,
            passed_on,
            "for each component behind the part whether it stays (0), changes (1) or becomes 0 "
            "(2), and then whether (1) the part changes",
            PART,
        ),
        Rung(name="one plane turns to the left", points=1.0, draw=one_plane, idea=PLANES),
        side(
            "planes are halves: each keeps its length",
            1.0,
            several_planes,
            lengths,
            "the lengths of the planes in halves, and whether (1) position 0 turns, and others",
            PLANES,
        ),
        side(
            "the planes of the part turn, each at its own speed",
            1.0,
            planes_in_a_part,
            cosines,
            "the cosines of the angles by which the planes turn, to either side",
            ANGLES,
        ),
        side(
            "the positions are those given",
            0.5,
            given_positions,
            cosines,
            "the cosines of the angles by which the plane turns, to either side",
            ANGLES,
        ),
        Rung(
            name="all of it: a part, with batch and heads, in float32 and float64",
            points=0.75,
            draw=whole,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="complex numbers", answer=complex_numbers),
        Alternative(name="partner and tables", answer=half_turned),
        Alternative(name="frequencies in float32", answer=in_float32),
        Alternative(name="plane by plane", answer=plane_by_plane),
    ),
    hints=(
        "How many planes are there, and which two components form the first one?",
        "The frequencies depend on the planes of the part that turns, not of the whole width. By "
        "which number do you then divide the exponent?",
        "The result has three parts side by side: the turned first halves, the turned second "
        "halves, and the rest unchanged. Which of the first two gets the minus?",
    ),
    equivalents={
        "rotate_part: line 2: dtype=torch.float64 dropped in torch.arange(…)": (
            "float32 holds the frequencies well enough"
        ),
    },
)
