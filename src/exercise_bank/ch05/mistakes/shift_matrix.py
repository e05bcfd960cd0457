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
        believed="A positive offset turns each plane to the left.",
        says="Your matrix leads from row t to row t − offset. It is the inverse of the right one, "
        "which is also its transpose.",
        hints=(
            "Multiply your matrix by the row of position 5. The row of which position do you get?",
            "The row contains (sin, cos), not (cos, sin). In which direction does that pair turn?",
            "Exactly one of the two sines carries a minus. Look at the derivative of the cosine.",
        ),
    ),
    Misconception(
        name="interleaved",
        answer=interleaved,
        believed="The sine and cosine of a plane are neighbours.",
        says="Your matrix fits rows in which each sine is next to its cosine. Here all sines come "
        "first. (With one plane, the two layouts are the same.)",
        hints=(
            "In a row of width 6, at which places are the sine and cosine of plane 0?",
            "They are m/2 places apart.",
            "Where are the entries that couple places r and r + m/2?",
        ),
    ),
    Misconception(
        name="one-speed",
        answer=one_speed,
        believed="All planes turn by the offset.",
        says="All your planes turn by the same angle, as if every frequency were 1. Each plane has "
        "its own frequency.",
        hints=(
            "Print your angles for m = 6.",
            "What is the frequency of plane r?",
            "The frequencies depend on the base c.",
        ),
    ),
    Misconception(
        name="half-exponent",
        answer=half_exponent,
        believed="The frequency of plane r is c to the power −r/m.",
        says="Your frequencies fall too slowly from plane to plane. For m = 10 your last one is c "
        "to the power −0.4, but it should be c to the power −0.8.",
        hints=(
            "For m = 4 and c = 100 the second frequency should be 1/10. What is yours?",
            "The exponent is −2r/m.",
            "There are m/2 planes, and the exponents run from 0 almost to −1.",
        ),
    ),
    Misconception(
        name="fixed-base",
        answer=fixed_base,
        believed="The base is always 10 000.",
        says="Your matrix is right for the base 10 000, but it does not change for any other base.",
        hints=(
            "Which of your arguments do you not use?",
            "Try c = 100.",
            "Replace 10 000 by c.",
        ),
        kind="form",
    ),
    Misconception(
        name="no-minus",
        answer=no_minus,
        believed="Both addition theorems have a plus.",
        says="Your matrix changes the lengths of vectors, because its columns are not "
        "perpendicular. A rotation keeps lengths, so one of your two blocks of sines has the wrong "
        "sign.",
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
        believed="The new sine is the old one times the sine of the offset.",
        says="For the offset 0 your matrix would not be the identity, because you have exchanged "
        "sine and cosine.",
        hints=(
            "What should the matrix be for the offset 0?",
            "In sin(a + b) = sin a cos b + cos a sin b, which factor multiplies sin a?",
            "Check the entries on the diagonal.",
        ),
    ),
    Misconception(
        name="speeding-up",
        answer=speeding_up,
        believed="The exponent is positive.",
        says="Your planes turn faster and faster, because your frequencies grow with r. They "
        "should shrink.",
        hints=(
            "Print your frequencies for m = 4 and c = 100. What should they be?",
            "The first should be 1, the second 1/10.",
            "Change the sign of the exponent.",
        ),
    ),
    said(
        "in-float32",
        in_float32,
        "Any float will do.",
        "Your numbers have only the digits of float32: you compute in it, or return it. The task "
        "asks for float64.",
        "What is the dtype of torch.arange(0, m, 2) / m?",
        "Pass dtype=torch.float64 to torch.arange.",
        variants=(widened_too_late,),
        kind="form",
    ),
    said(
        "planes-from-one",
        from_one,
        "The first plane is plane 1.",
        "Your first plane turns too slowly, because you count planes from 1. They count from 0, "
        "and plane 0 has the frequency 1.",
        "What is your matrix for m = 2 and offset 1?",
        "Let r start at 0.",
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
        "Your matrix is the same for the offsets 3 and -3. The matrix for -3 should undo the one "
        "for 3.",
        "What is the product of your matrices for 3 and for -3?",
        "Keep the sign of the offset.",
    ),
    said(
        "cosines-alone",
        cosines_alone,
        "Each entry of the row is multiplied by a cosine.",
        "Your matrix is diagonal. But the sine of a sum depends on the old cosine as well, so "
        "there must be entries off the diagonal.",
        "Write out sin(a + b). Which two products does it contain?",
        "The sines of the offset are m/2 columns away from the diagonal.",
    ),
    said(
        "exponent-doubled",
        twice_the_exponent,
        "arange(0, m, 2) counts the planes.",
        "Your exponents are −4r/m, twice the right ones. A range in steps of 2 already "
        "contains 2r.",
        "What is torch.arange(0, 6, 2)?",
        "Leave out one of the two factors 2.",
    ),
    said(
        "lower-rows-swapped",
        lower_rows_swapped,
        "In cos a cos b − sin a sin b, the cosine comes first.",
        "Your lower rows multiply the sine of the row by cos and its cosine by −sin. In cos(a + b) "
        "= cos a cos b − sin a sin b, the cosine of the row is multiplied by the cosine of the "
        "offset.",
        "Which entry of the row (sin a, cos a) is multiplied by cos b in cos(a + b)?",
        "The lower rows are (−sin, cos).",
    ),
    said(
        "frequencies-in-pairs",
        frequencies_in_pairs,
        "Each frequency is repeated side by side.",
        "You repeat each frequency side by side, which fits rows in pairs. Here places r and r + "
        "m/2 form a plane, so these two must have the same frequency.",
        "Which two places of a row of width 6 belong to plane 0?",
        "List the frequencies of planes 0 to m/2 − 1, and then the same list once more.",
    ),
    said(
        "without-the-offset",
        without_the_offset,
        "The matrix leads from each row to the next.",
        "Your matrix is the same for every offset. The angle of a plane should be its frequency "
        "times the offset.",
        "What should the matrix be for the offset 0?",
        "Multiply the frequencies by the offset.",
    ),
)
