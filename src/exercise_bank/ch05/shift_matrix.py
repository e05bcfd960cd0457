"""Exercise 05.shift_matrix: the matrix that moves sinusoidal positions on."""

# torch.block_diag has no types.
# mypy: disable-error-code="no-any-return, no-untyped-call"

import torch
from torch import Generator, Tensor

from exercise_bank.ch05.mistakes.shift_matrix import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import sides_of
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import FINE

SUMS = "sine and cosine of a sum"
LAYOUT = "all sines, then all cosines"
SPEEDS = "each plane has its own speed"


def drawn(offset: int, m: int, c: float) -> Inputs:
    return {"offset": offset, "m": m, "c": c}


def one_plane(g: Generator) -> list[Inputs]:
    near, two, back = more(g, 9), more(g, 9), more(g, 9)
    return [drawn(offset, 2, 10_000.0) for offset in (1 + near, 2 + two, -3 - back)]


def more_planes(g: Generator) -> list[Inputs]:
    near = int(torch.randint(2, 9, (), generator=g))
    by = [more(g, 9), more(g, 9), more(g, 90)]
    sizes = ((1, 4), (7, 6), (near, 10))
    return [drawn(offset + far, m, 10_000.0) for (offset, m), far in zip(sizes, by, strict=True)]


def any_base(g: Generator) -> list[Inputs]:
    far, near = torch.randint(20, 900, (2,), generator=g).tolist()
    return [drawn(3, 4, 100.0), drawn(far, 8, 500.0), drawn(-near, 14, 20_000.0)]


def whole(g: Generator) -> list[Inputs]:
    return [drawn(3, 2, 10_000.0), drawn(0, 6, 50.0), drawn(-40, 10, 10_000.0), *any_base(g)]


def moves_the_rows(inputs: Inputs, matrix: object) -> str | None:
    """Return the first position whose row the matrix maps to a wrong row, in words, or None."""
    offset, m, c = inputs["offset"], inputs["m"], inputs["c"]
    if not isinstance(matrix, Tensor) or matrix.shape != (m, m):
        return None
    for t in (0, 1, 5):
        rows = [_row(t, m, c), _row(t + offset, m, c)]
        gap = (matrix.to(torch.float64) @ rows[0] - rows[1]).abs().max().item()
        if not gap < 1e-6:
            return f"your matrix times row {t} differs from row {t + offset} by up to {gap:.2g}"
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


def as_a_power(offset: int, m: int, c: float) -> Tensor:
    speeds = torch.tensor([c ** (-2 * r / m) for r in range(m // 2)], dtype=torch.float64)
    turn = torch.zeros(m, m, dtype=torch.float64)
    turn[: m // 2, m // 2 :], turn[m // 2 :, : m // 2] = torch.diag(speeds), torch.diag(-speeds)
    return torch.matrix_exp(offset * turn)


def sizes(inputs: Inputs, matrix: Tensor) -> Tensor:
    return matrix.abs()


def pattern(inputs: Inputs, matrix: Tensor) -> Tensor:
    return (matrix.abs() > 1e-12).double()


def diagonal(inputs: Inputs, matrix: Tensor) -> Tensor:
    return matrix.diagonal()


side = sides_of(shift_matrix, in_full=True)

TASK = Exercise(
    id="05.shift_matrix",
    title="One matrix for every step",
    level="medium",
    minutes=14,
    concepts=("sinusoidal-encoding", "sinusoidal-offsets"),
    extra=True,
    reference=shift_matrix,
    rungs=(
        side(
            "one plane: cosines and sines, whatever their signs",
            1.0,
            one_plane,
            sizes,
            "the entries without their signs",
            SUMS,
        ),
        Rung(
            name="one plane: it leads forwards",
            points=1.25,
            draw=one_plane,
            law=moves_the_rows,
            idea=SUMS,
        ),
        side(
            "several planes: which entries are not 0",
            1.0,
            more_planes,
            pattern,
            "whether each entry is not 0 (1) or is 0 (0)",
            LAYOUT,
        ),
        side(
            "the diagonal: the cosine of each plane, in this layout",
            0.75,
            more_planes,
            diagonal,
            "the cosines on the diagonal",
            SPEEDS,
        ),
        side(
            "the diagonal, for any base",
            0.5,
            any_base,
            diagonal,
            "the cosines on the diagonal",
            SPEEDS,
        ),
        Rung(
            name="the whole, in float64 and no other dtype, no offset and offsets back",
            points=0.5,
            draw=whole,
            law=moves_the_rows,
            dtype=True,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="entry by entry", answer=entry_by_entry),
        Alternative(name="blocks reordered", answer=blocks_reordered),
        Alternative(name="a matrix exponential", answer=as_a_power),
    ),
    hints=(
        "Write sin(ω(t + Δ)) and cos(ω(t + Δ)) as sums of sin(ωt) and cos(ωt). What are their "
        "factors?",
        "In this layout, at which places of the row are the sine and the cosine of plane r?",
        "The matrix has four blocks of size m/2, and each is diagonal. Which two are equal, and "
        "which differ in sign?",
    ),
    precision=FINE,
)
