"""How 05.shift_matrix goes wrong."""

# torch.block_diag has no types.
# mypy: disable-error-code="no-any-return, no-untyped-call"

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def four_blocks(angles: Tensor) -> Tensor:
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


def backwards(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(-offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m))


def interleaved(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    return torch.block_diag(*[four_blocks(angle[None]) for angle in angles])


def one_speed(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * torch.ones(m // 2, dtype=torch.float64))


def half_exponent(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * c ** (-torch.arange(m // 2, dtype=torch.float64) / m))


def fixed_base(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * 10_000.0 ** (-torch.arange(0, m, 2, dtype=torch.float64) / m))


def no_minus(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([sin, cos], dim=1)])


def sine_on_the_diagonal(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([sin, cos], dim=1), torch.cat([-cos, sin], dim=1)])


def speeding_up(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * c ** (torch.arange(0, m, 2, dtype=torch.float64) / m))


def in_float32(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * c ** (-torch.arange(0, m, 2) / m)).float()


def widened_too_late(offset: int, m: int, c: float) -> Tensor:
    return in_float32(offset, m, c).double()


def from_one(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * c ** (-torch.arange(2, m + 2, 2, dtype=torch.float64) / m))


def to_the_end(offset: int, m: int, c: float) -> Tensor:
    planes = torch.arange(m // 2, dtype=torch.float64)
    return four_blocks(offset * c ** (-planes / max(m // 2 - 1, 1)))


def always_forwards(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(abs(offset) * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m))


def cosines_alone(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    return torch.diag(torch.cat([angles.cos(), angles.cos()]))


def twice_the_exponent(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(offset * c ** (-2 * torch.arange(0, m, 2, dtype=torch.float64) / m))


def two_minuses(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([-sin, cos], dim=1)])


def lower_rows_swapped(offset: int, m: int, c: float) -> Tensor:
    angles = offset * c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    cos, sin = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([cos, -sin], dim=1)])


def frequencies_in_pairs(offset: int, m: int, c: float) -> Tensor:
    each = c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m)
    angles, half = offset * each.repeat_interleave(2), m // 2
    matrix, r = torch.diag(angles.cos()), torch.arange(half)
    matrix[r, r + half], matrix[r + half, r] = angles[:half].sin(), -angles[half:].sin()
    return matrix


def without_the_offset(offset: int, m: int, c: float) -> Tensor:
    return four_blocks(c ** (-torch.arange(0, m, 2, dtype=torch.float64) / m))


MISCONCEPTIONS = (
    Misconception(
        name="backwards",
        answer=backwards,
        believed="A shift forwards turns to the left.",
        says="Your matrix leads from row t to row t − offset: it is the inverse of the one asked "
        "for, and equally its transpose.",
        hints=(
            "Multiply yours with the row of position 5. Which row comes out?",
            "The row holds (sin, cos), and not (cos, sin). Which way does that pair turn?",
            "Exactly one of the two sines carries a minus. Look at the derivative of the cosine.",
        ),
    ),
    Misconception(
        name="interleaved",
        answer=interleaved,
        believed="Sine and cosine of a plane stand side by side.",
        says="Your matrix fits rows in which each sine has its cosine beside it. Here all sines "
        "come first. With one plane the two layouts are the same.",
        hints=(
            "In which places of a row of width 6 do sine and cosine of plane 0 stand?",
            "They are m/2 places apart.",
            "Where are the entries that couple places r and r + m/2?",
        ),
    ),
    Misconception(
        name="one-speed",
        answer=one_speed,
        believed="All planes turn by the offset.",
        says="All your planes turn by the same angle, as if every frequency were 1.",
        hints=(
            "Print your angles for m = 6.",
            "Plane r has its own frequency. Which?",
            "The base c has to come in.",
        ),
    ),
    Misconception(
        name="half-exponent",
        answer=half_exponent,
        believed="The frequency of plane r is c to the power −r/m.",
        says="Your planes slow down too little: your last frequency for m = 10 is c to the power "
        "−0.4, and it should be c to the power −0.8.",
        hints=(
            "For m = 4 and c = 100 the second frequency should be 1/10. What is yours?",
            "The exponent is −2r/m.",
            "There are m/2 planes, and the exponents run from 0 nearly to −1.",
        ),
    ),
    Misconception(
        name="fixed-base",
        answer=fixed_base,
        believed="The base is always 10 000.",
        says="Your matrix is right for the base 10 000 and the same for every other.",
        hints=(
            "Which of your arguments do you not use?",
            "Try c = 100.",
            "10 000 stands where c should.",
        ),
        kind="form",
    ),
    Misconception(
        name="no-minus",
        answer=no_minus,
        believed="Both addition theorems have a plus.",
        says="Your matrix changes lengths: its columns are not perpendicular. A rotation changes "
        "none, so one of your two blocks of sines has the wrong sign.",
        variants=(two_minuses,),
        hints=(
            "What is cos(a + b)?",
            "cos(a + b) = cos a cos b − sin a sin b.",
            "Exactly one of the two blocks of sines has a minus.",
        ),
    ),
    Misconception(
        name="sine-on-the-diagonal",
        answer=sine_on_the_diagonal,
        believed="Sines lead to sines.",
        says="For the offset 0 your matrix would not be the identity: sine and cosine have changed "
        "places.",
        hints=(
            "What should the matrix be for the offset 0?",
            "sin(a + b) = sin a cos b + cos a sin b: which factor multiplies sin a?",
            "Look at what stands on the diagonal.",
        ),
    ),
    Misconception(
        name="speeding-up",
        answer=speeding_up,
        believed="The exponent is positive.",
        says="Your planes get faster and faster: the frequencies grow with r instead of shrinking.",
        hints=(
            "Print your frequencies for m = 4 and c = 100. Which should they be?",
            "The first is 1, the second 1/10.",
            "A sign in the exponent.",
        ),
    ),
    said(
        "in-float32",
        in_float32,
        "Any float will do.",
        "Your numbers are right to the digits of float32, in which you compute. The task asks for "
        "float64.",
        "What dtype has torch.arange(0, m, 2) / m?",
        "Give torch.arange dtype=torch.float64.",
        variants=(widened_too_late,),
        kind="form",
    ),
    said(
        "planes-from-one",
        from_one,
        "The first plane is plane 1.",
        "Your first plane already turns more slowly: you count planes from 1. Plane 0 has the "
        "frequency 1.",
        "What is your matrix for m = 2 and offset 1?",
        "Let r begin with 0.",
    ),
    said(
        "slowest-is-one-over-c",
        to_the_end,
        "The last plane has the frequency 1/c.",
        "Your last plane has the frequency 1/c, as in the code of tensor2tensor. Here the exponent "
        "of plane r is −2r/m, which stays above −1.",
        "What is the exponent of the last plane for m = 4?",
        "Divide by m, not by the number of steps between planes.",
    ),
    said(
        "always-forwards",
        always_forwards,
        "An offset is a distance.",
        "Your matrix is the same for offset 3 and for -3. It should lead back from where the other "
        "one has led.",
        "What is the product of your matrices for 3 and for -3?",
        "Keep the sign of the offset.",
    ),
    said(
        "cosines-alone",
        cosines_alone,
        "Each number becomes its cosine times itself.",
        "Your matrix has a diagonal and nothing else. The sine of a sum needs the cosine as well.",
        "Write sin(a + b) out. Which two products stand there?",
        "The sines of the offset stand m/2 beside the diagonal.",
    ),
    said(
        "exponent-doubled",
        twice_the_exponent,
        "arange(0, m, 2) counts the planes.",
        "Your planes slow down twice as fast: your exponents are −4r/m. torch.arange(0, m, 2) "
        "holds 2r already.",
        "What is torch.arange(0, 6, 2)?",
        "Leave out one of the two factors 2.",
    ),
    said(
        "lower-rows-swapped",
        lower_rows_swapped,
        "cos a cos b − sin a sin b begins with the cosine.",
        "Your lower rows multiply the sine of the row by cos and its cosine by −sin. In cos(a + b) "
        "= cos a cos b − sin a sin b, the cosine of the row meets the cosine of the offset.",
        "Which number of the row (sin a, cos a) meets cos b in cos(a + b)?",
        "The lower rows are (−sin, cos).",
    ),
    said(
        "frequencies-in-pairs",
        frequencies_in_pairs,
        "Each frequency stands twice side by side.",
        "You repeat each frequency side by side, which fits rows in pairs. Here places r and "
        "r + m/2 are one plane, so these two have the same frequency.",
        "Which two places of a row of width 6 belong to plane 0?",
        "The frequencies are 0 to m/2 − 1, and then the same once more.",
    ),
    said(
        "without-the-offset",
        without_the_offset,
        "The matrix moves on by one step.",
        "Your matrix is the same for every offset. The angle of a plane is its frequency times the "
        "offset.",
        "What should the matrix be for the offset 0?",
        "Multiply the frequencies by the offset.",
    ),
)
