"""Exercise 05.shift_matrix: the matrix that moves sinusoidal positions on."""

# torch.block_diag has no types.
# mypy: disable-error-code="no-any-return, no-untyped-call"

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch05.mistakes.shift_matrix import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def one_plane(g: Generator) -> list[Inputs]:
    return [{"offset": offset, "m": 2, "c": 10_000.0} for offset in (1, 2, -3)]


def more_planes(g: Generator) -> list[Inputs]:
    return [{"offset": offset, "m": m, "c": 10_000.0} for offset, m in ((1, 4), (7, 6), (40, 10))]


def any_base(g: Generator) -> list[Inputs]:
    far, near = torch.randint(20, 900, (2,), generator=g).tolist()
    return [
        {"offset": 3, "m": 4, "c": 100.0},
        {"offset": far, "m": 8, "c": 500.0},
        {"offset": -near, "m": 14, "c": 20_000.0},
    ]


def moves_the_rows(inputs: Inputs, matrix: object) -> str | None:
    """Say for which position the matrix leads to another row than it should."""
    offset, m, c = inputs["offset"], inputs["m"], inputs["c"]
    if not isinstance(matrix, Tensor) or matrix.shape != (m, m):
        return None
    for t in (0, 1, 5):
        rows = [_row(t, m, c), _row(t + offset, m, c)]
        gap = (matrix.to(torch.float64) @ rows[0] - rows[1]).abs().max().item()
        if not gap < 1e-6:
            return f"times the row of position {t}, yours misses row {t + offset} by {gap:.2g}"
    return None


def _row(t: int, m: int, c: float) -> Tensor:
    angles = t * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    return torch.cat([angles.sin(), angles.cos()])


def shift_matrix(offset: int, m: int, c: float) -> Tensor:
    """Return M with M @ row(t) = row(t + offset), for rows of all sines, then all cosines."""
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


def entry_by_entry(offset: int, m: int, c: float) -> Tensor:
    matrix = torch.zeros(m, m, dtype=torch.float64)
    half = m // 2
    for r in range(half):
        angle = torch.tensor(offset / c ** (2 * r / m), dtype=torch.float64)
        matrix[r, r] = matrix[r + half, r + half] = angle.cos()
        matrix[r, r + half], matrix[r + half, r] = angle.sin(), -angle.sin()
    return matrix


def blocks_reordered(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(m // 2, dtype=torch.float64) * 2 / m)
    cos, sin = angles.cos(), angles.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)
    order = torch.cat([torch.arange(0, m, 2), torch.arange(1, m, 2)])
    return torch.block_diag(*blocks)[order][:, order]


TASK = Exercise(
    id="05.shift_matrix",
    title="One matrix for every step",
    level="medium",
    minutes=14,
    concepts=("sinusoidal-encoding", "sinusoidal-offsets"),
    reference=shift_matrix,
    rungs=(
        Rung(name="one plane", points=1.5, draw=one_plane, law=moves_the_rows),
        Rung(name="every plane at its own speed", points=2.0, draw=more_planes, law=moves_the_rows),
        Rung(name="any base, forwards and back", points=1.5, draw=any_base, law=moves_the_rows),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="entry by entry", answer=entry_by_entry),
        Alternative(name="blocks reordered", answer=blocks_reordered),
    ),
    hints=(
        "Write sin(ω(t + Δ)) and cos(ω(t + Δ)) as sums of sin(ωt) and cos(ωt). What stands before "
        "them?",
        "Where in the row do the sine and the cosine of plane r stand, in this layout?",
        "The matrix has four blocks of size m/2, and each is diagonal. Which two are equal, and "
        "which differ in sign?",
    ),
    rtol=1e-6,
    atol=1e-9,
)
