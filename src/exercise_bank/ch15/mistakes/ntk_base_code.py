"""Wrong answers to 15.ntk_base, as students write them."""

from collections.abc import Callable

import torch
from torch import Tensor

Two = tuple[float, Tensor]


def grown(base: float, width: int, growth: float) -> Two:
    """Return a base that is larger by this factor, and the divisor of each plane's frequency."""
    return base * growth, growth ** (2 * torch.arange(width // 2).double() / width)


def quotient_turned(
    base: float,
    width: int,
    factor: float,
    plane: int | None = None,
    of: Callable[..., Two] | None = None,
) -> Two:
    """Return the new frequencies over the old ones for the divisors of another answer."""
    found, divisors = (of or always_the_slowest)(base, width, factor, plane)
    return found, 1 / divisors


def factor_times_base(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    return grown(base, width, factor)


def always_the_slowest(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    return grown(base, width, factor ** (width / (width - 2)))


def exponent_inverted(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor ** (2 * plane / width))


def counted_from_one(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor ** (width / (2 * plane + 2)))


def chosen_from_one(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane - 1
    return grown(base, width, factor ** (width / (2 * max(plane, 0.5))))


def slowest_is_half_the_width(
    base: float, width: int, factor: float, plane: int | None = None
) -> Two:
    plane = width // 2 if plane is None else plane
    return grown(base, width, factor ** (width / (2 * plane)))


def without_the_two(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor ** (width / plane))


def planes_for_width(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor ** (width / (4 * plane)))


def components_for_planes(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width - 1 if plane is None else plane
    return grown(base, width, factor ** (width / plane))


def base_smaller(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor ** (-width / (2 * plane)))


def base_raised_too(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, (base * factor) ** (width / (2 * plane)) / base)


def one_more_only(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, factor * width / (2 * plane))


def growth_alone(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    growth = factor ** (width / (2 * plane))
    return growth, grown(base, width, growth)[1]


def zero_for_none(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    return grown(base, width, factor ** (width / (2 * (plane or 1))))


def _right(base: float, width: int, factor: float, plane: int | None) -> tuple[float, int]:
    plane = width // 2 - 1 if plane is None else plane
    return base * factor ** (width / (2 * plane)), plane


def all_alike(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, torch.full((width // 2,), float(factor))


def in_a_line(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, 1 + (factor - 1) * torch.arange(width // 2) / last


def in_a_line_to_the_last(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, torch.linspace(1, factor, width // 2)


def all_but_the_first(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, divisors = all_alike(base, width, factor, plane)
    divisors[0] = 1
    return found, divisors


def quotients_turned(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** (-torch.arange(width // 2) / last)


def frequencies(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, found ** (-torch.arange(0, width, 2).double() / width)


def by_the_last_plane(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, factor ** (torch.arange(width // 2) / (width // 2 - 1))


def by_the_width(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, factor ** (torch.arange(0, width, 2) / width)


def stops_at_the_factor(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** (torch.arange(width // 2) / last).clamp(max=1)


def for_each_component(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, (factor ** (torch.arange(width // 2) / last)).repeat_interleave(2)


def one_off_planes(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** ((torch.arange(width // 2) + 1) / (last + 1))


def planes_from_one(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** ((torch.arange(width // 2) + 1) / last)


def one_number(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, torch.tensor(float(factor))


def base_only(base: float, width: int, factor: float, plane: int | None = None) -> float:
    return _right(base, width, factor, plane)[0]


def interpolation_throughout(
    base: float, width: int, factor: float, plane: int | None = None
) -> Two:
    return base * factor, torch.full((width // 2,), float(factor))


def one_plane_only(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    divisors = torch.ones(width // 2)
    divisors[last] = factor
    return found, divisors


def step_at_the_plane(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, torch.where(torch.arange(width // 2) < last, 1.0, factor)


def fast_left_alone(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    planes = torch.arange(width // 2)
    return found, torch.where(planes < last, 1.0, factor ** (planes / last))


def squares(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** (2 * torch.arange(width // 2) / last)


def roots(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, factor ** (0.5 * torch.arange(width // 2) / last)


def bases_divided(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, _ = _right(base, width, factor, plane)
    return found, torch.full((width // 2,), found / base)


def from_the_slowest(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    found, last = _right(base, width, factor, plane)
    return found, (factor ** (torch.arange(width // 2) / last)).flip(0)


def root_not_taken(base: float, width: int, factor: float, plane: int | None = None) -> Two:
    plane = width // 2 - 1 if plane is None else plane
    return grown(base, width, base ** (2 * plane / width - 1) * factor)


def base_in_float32(
    base: float,
    width: int,
    factor: float,
    plane: int | None = None,
    *,
    over: bool = True,
    found: float | None = None,
) -> Two:
    """Convert both bases to float32, and divide their powers or the frequencies."""
    found = _right(base, width, factor, plane)[0] if found is None else found
    exponents = 2 * torch.arange(width // 2) / width
    new, old = torch.tensor([found, base], dtype=torch.float32)
    return found, new**exponents / old**exponents if over else old**-exponents / new**-exponents


def new_base_in_float32(
    base: float,
    width: int,
    factor: float,
    plane: int | None = None,
    *,
    divisors: bool = False,
    over: bool = True,
) -> Two:
    """Compute the new base in float32 and, if asked, the divisors from it."""
    _, last = _right(base, width, factor, plane)
    found = (torch.tensor(base) * torch.tensor(factor) ** (width / (2 * last))).item()
    if divisors:
        return found, base_in_float32(base, width, factor, plane, over=over, found=found)[1]
    return found, factor ** (torch.arange(width // 2, dtype=torch.float64) / last)
