"""More wrong answers to 15.yarn_ramp: most have the shares right, and some the rest."""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.ch15.mistakes.yarn_blend_code import Three
from exercise_bank.ch15.mistakes.yarn_ramp_code import line, rest


def made(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    *,
    frequencies: Callable[[Tensor, Tensor, float], Tensor] | None = None,
    multiplier: Callable[[float], float] | None = None,
) -> Three:
    """Compute frequencies from old ones, shares and the factor; change the multiplier."""
    share = line(trained / wavelengths, beta_fast, beta_slow)
    _, blended, squared = rest(share, wavelengths, factor)
    old = 2 * math.pi / wavelengths
    return (
        share,
        frequencies(old, share, factor) if frequencies else blended,
        multiplier(factor) if multiplier else squared,
    )


def written_over(f: Tensor, share: Tensor, s: float) -> Tensor:
    f = (1 - share) * f
    return f + share * f / s


def slowed_part_written_over(f: Tensor, share: Tensor, s: float) -> Tensor:
    f = share * f / s
    return f + (1 - share) * f


def slowed_first(f: Tensor, share: Tensor, s: float) -> Tensor:
    f = f / s
    return (1 - share) * f + share * f / s


def ramp_only(f: Tensor, share: Tensor, s: float) -> Tensor:
    return torch.where(share < 1, (1 - share) * f + share * f / s, f)


def times(f: Tensor, share: Tensor, s: float, power: int) -> Tensor:
    return ((1 - share) * f + share * f / s) * (0.1 * math.log(s) + 1) ** power


def slowed_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / (factor * wavelengths), beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def multiplier_of_each(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    blended = rest(share, wavelengths, factor)[1]
    return share, blended, (1 + share * 0.1 * math.log(factor)) ** 2


def evenly(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, beta_fast, beta_slow)
    between = (share > 0) & (share < 1)
    steps = torch.linspace(0, 1, int(between.sum()) + 2, dtype=share.dtype)
    return rest(share.masked_scatter(between, steps[1:-1]), wavelengths, factor)


def half_up(f: Tensor, share: Tensor, s: float) -> Tensor:
    return torch.where(share >= 0.5, f / s, f)


def full_only(f: Tensor, share: Tensor, s: float) -> Tensor:
    return torch.where(share == 1, f / s, f)


def one_divisor(f: Tensor, share: Tensor, s: float) -> Tensor:
    return f / (1 + share * s)


def one_divisor_above_1(f: Tensor, share: Tensor, s: float) -> Tensor:
    return f / (share * s).clamp(min=1)


def log_of_1_more(s: float) -> float:
    return (0.1 * math.log(s + 1)) ** 2


def log_of_1_more_and_1(s: float) -> float:
    return (0.1 * math.log(s + 1) + 1) ** 2


def of_frequencies(make: Callable[[Tensor, Tensor, float], Tensor]) -> partial[Three]:
    return partial(made, frequencies=make)


slow_only = of_frequencies(full_only)
from_a_half = of_frequencies(half_up)
one_quotient = of_frequencies(one_divisor)
one_quotient_above_1 = of_frequencies(one_divisor_above_1)
log_of_one_more = partial(made, multiplier=log_of_1_more)
log_of_one_more_and_1 = partial(made, multiplier=log_of_1_more_and_1)
