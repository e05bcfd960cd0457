"""Wrong answers to 15.yarn_ramp that have the shares right, as students write them."""

import math

import torch
from torch import Tensor

from exercise_bank.ch15.mistakes.yarn_ramp_code import line, rest

Three = tuple[Tensor, Tensor, float]


def wavelengths_blended(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    blended = 2 * math.pi / ((1 - share) * wavelengths + share * factor * wavelengths)
    return share, blended, multiplier


def wavelengths_returned(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    return share, (1 - share) * wavelengths + share * factor * wavelengths, multiplier


def weights_swapped(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    f = 2 * math.pi / wavelengths
    return share, share * f + (1 - share) * f / factor, multiplier


def multiplied_by_factor(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    f = 2 * math.pi / wavelengths
    return share, (1 - share) * f + share * f * factor, multiplier


def without_two_pi(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    _, blended, multiplier = rest(share, wavelengths, factor)
    return share, blended / (2 * math.pi), multiplier


def only_the_slowed_part(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    return share, share * 2 * math.pi / wavelengths / factor, multiplier


def interpolated_everywhere(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    return share, 2 * math.pi / wavelengths / factor + 0 * share, multiplier


def geometric(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    return share, 2 * math.pi / wavelengths / factor**share, multiplier


def all_or_nothing(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    f = 2 * math.pi / wavelengths
    return share, torch.where(share > 0, f / factor, f), multiplier


def divisors(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    _, blended, multiplier = rest(share, wavelengths, factor)
    return share, blended * wavelengths / (2 * math.pi), multiplier


def taken_as_frequencies(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    multiplier = rest(share, wavelengths, factor)[2]
    return share, (1 - share) * wavelengths + share * wavelengths / factor, multiplier


def once_only(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, 0.1 * math.log(factor) + 1


def doubled(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, 2 * (0.1 * math.log(factor) + 1)


def part_doubled(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, 0.2 * math.log(factor) + 1


def base_ten(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log10(factor) + 1) ** 2


def base_two(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log2(factor) + 1) ** 2


def without_a_log(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * factor + 1) ** 2


def temperature(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, 1 / (0.1 * math.log(factor) + 1) ** 2


def root(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log(factor) + 1) ** 0.5


def fourth_power(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log(factor) + 1) ** 4


def log_of_length(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log(trained * factor) + 1) ** 2


def without_the_one(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log(factor)) ** 2


def squared_log(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, 0.1 * math.log(factor) ** 2 + 1


def squared_small_part(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (0.1 * math.log(factor)) ** 2 + 1


def in_place(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    wavelengths /= 1 + share * (1 / factor - 1)
    return share, 2 * math.pi / wavelengths, (0.1 * math.log(factor) + 1) ** 2


def share_turned_blend_right(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    return (1 - share, *rest(share, wavelengths, factor)[1:])


def stretched_and_once(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(factor * trained / wavelengths, beta_fast, beta_slow)
    return (*rest(share, wavelengths, factor)[:2], 0.1 * math.log(factor) + 1)


def share_turned_and_once(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = 1 - line(trained / wavelengths, beta_fast, beta_slow)
    return (*rest(share, wavelengths, factor)[:2], 0.1 * math.log(factor) + 1)


def wavelengths_and_once(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = 2 * math.pi / ((1 - share) * wavelengths + share * factor * wavelengths)
    return share, blended, 0.1 * math.log(factor) + 1


def turned_and_once_blend_right(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    return 1 - share, rest(share, wavelengths, factor)[1], 0.1 * math.log(factor) + 1


def wavelengths_shortened(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = 2 * math.pi / ((1 - share) * wavelengths + share * wavelengths / factor)
    return share, blended, rest(share, wavelengths, factor)[2]
