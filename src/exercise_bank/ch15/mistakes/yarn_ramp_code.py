"""Wrong answers to 15.yarn_ramp, as students write them."""

import math

import torch
from torch import Tensor

Three = tuple[Tensor, Tensor, float]


def line(x: Tensor, fast: float, slow: float) -> Tensor:
    """Return 0 at one number and 1 at the other, and a straight line between them."""
    return ((fast - x) / (fast - slow)).clamp(0, 1)


def rest(share: Tensor, w: Tensor, factor: float) -> Three:
    """Return a share with its blend, and the right multiplier."""
    f = 2 * math.pi / w
    return share, (1 - share) * f + share * f / factor, (0.1 * math.log(factor) + 1) ** 2


def share_turned(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = 1 - line(trained / wavelengths, beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def wavelengths_compared(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(wavelengths, beta_slow, beta_fast)
    return rest(share, wavelengths, factor)


def turns_inverted(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(wavelengths / trained, beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def over_wavelength(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(wavelengths, trained / beta_fast, trained / beta_slow)
    return rest(share, wavelengths, factor)


def over_logs(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(torch.log(trained / wavelengths), math.log(beta_fast), math.log(beta_slow))
    return rest(share, wavelengths, factor)


def stretched_length(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(factor * trained / wavelengths, beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def angles_for_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(2 * math.pi * trained / wavelengths, beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def taken_for_frequencies(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained * wavelengths / (2 * math.pi), beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def one_position_less(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line((trained - 1) / wavelengths, beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def whole_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line((trained / wavelengths).floor(), beta_fast, beta_slow)
    return rest(share, wavelengths, factor)


def from_zero_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = ((beta_fast - trained / wavelengths) / beta_fast).clamp(0, 1)
    return rest(share, wavelengths, factor)


def divided_by_fast(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (
        ((beta_fast - trained / wavelengths) / beta_fast)
        .clamp(0, 1)
        .where(trained / wavelengths > beta_slow, 1.0)
    )
    return rest(share, wavelengths, factor)


def unclamped(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (beta_fast - trained / wavelengths) / (beta_fast - beta_slow)
    return rest(share, wavelengths, factor)


def clamped_below(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = ((beta_fast - trained / wavelengths) / (beta_fast - beta_slow)).clamp(min=0)
    return rest(share, wavelengths, factor)


def clamped_above(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = ((beta_fast - trained / wavelengths) / (beta_fast - beta_slow)).clamp(max=1)
    return rest(share, wavelengths, factor)


def a_step(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (trained / wavelengths < beta_fast).double()
    return rest(share, wavelengths, factor)


def a_step_below(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (trained / wavelengths <= beta_slow).double()
    return rest(share, wavelengths, factor)


def halfway_step(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (trained / wavelengths < (beta_fast + beta_slow) / 2).double()
    return rest(share, wavelengths, factor)


def smoothed(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = (lambda x: x * x * (3 - 2 * x))(line(trained / wavelengths, beta_fast, beta_slow))
    return rest(share, wavelengths, factor)


def betas_ignored(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = line(trained / wavelengths, 32.0, 1.0)
    return rest(share, wavelengths, factor)


def one_beta_ignored(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    numbers: str = "beta_fast, , beta_fast, 1",
) -> Three:
    """Return (a - turns) / (c - d), or 1 - (turns - b) / (c - d), with some numbers fixed."""
    named = {"beta_fast": beta_fast, "beta_slow": beta_slow, "32": 32.0, "1": 1.0}
    a, b, c, d = (named.get(each.strip(), 0.0) for each in numbers.split(","))
    turns = trained / wavelengths
    share = (a - turns) / (c - d) if a else 1 - (turns - b) / (c - d)
    return rest(share.clamp(0, 1), wavelengths, factor)


def by_index(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> Three:
    share = torch.arange(len(wavelengths)) / max(len(wavelengths) - 1, 1) + 0 * wavelengths
    return rest(share, wavelengths, factor)
