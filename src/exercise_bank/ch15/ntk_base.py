"""Exercise 15.ntk_base: a base that slows one plane by a factor and keeps the first one."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from exercise_bank.ch15.mistakes.ntk_base import MISCONCEPTIONS
from exercise_bank.ch15.mistakes.ntk_base_large import LARGE
from exercise_bank.draws import some
from exercise_bank.parts import parts
from exercise_bank.skills import rung, through
from plaincourse.checking.compare import as_tensor, is_array
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs
from plaincourse.exercise.precision import SUMMED


def drawn(base: float, width: int, factor: float, plane: int | None = None) -> Inputs:
    return {"base": base, "width": width, "factor": factor, "plane": plane}


def chosen(g: Generator) -> list[Inputs]:
    """Draw planes next to neither the slowest nor half or twice their own number."""
    plane = some(g, 3, 6)
    return [
        drawn(100.0, 12, 3.0, 3),
        drawn(1000.0, 16, 3.0, 4),
        drawn(10_000.0, 20, 2.5, plane),
        drawn(10_000.0, 2 * some(g, 11, 17), 1.0 * some(g, 2, 6), plane + 1),
    ]


def each_base(g: Generator) -> list[Inputs]:
    return [
        drawn(100.0, 4, 3.0),
        drawn(1000.0, 6, 5.0),
        drawn(10_000.0, 2 * some(g, 4, 20), 1.0 * some(g, 2, 6)),
        drawn(500_000.0, 128, 16.0),
        drawn(100.0, 8, 2.0, 1),
        drawn(1000.0, 12, 3.0, 4),
        *other_factors(g),
    ]


def each_plane(g: Generator) -> list[Inputs]:
    return [
        drawn(100.0, 4, 3.0),
        drawn(1000.0 * some(g, 5, 40), 2 * some(g, 4, 8), 4.0),
        drawn(100.0, 8, 2.0, 1),
        drawn(1000.0 * some(g, 5, 40), 2 * some(g, 7, 9), 1.0 * some(g, 2, 6), some(g, 2, 5)),
    ]


def beyond_float32(g: Generator) -> list[Inputs]:
    """Draw a base that is too large for float32, although all divisors fit into it."""
    return [drawn(500_000.0, 128, some(g, 33, 36) / 10, 1)]


def other_factors(g: Generator) -> list[Inputs]:
    return [
        drawn(10_000.0, 2 * some(g, 3, 6), 1.5),
        drawn(100.0, 10, 12.0, 4),
        drawn(2000.0, 8, 1.0, some(g, 1, 2)),
        drawn(50.0, 8, 0.5, 2),
    ]


def ntk_base(
    base: float, width: int, factor: float, plane: int | None = None
) -> tuple[float, Float[Tensor, " planes"]]:
    """Return the new base, and by what it divides the frequency of each plane."""
    planes = width // 2
    plane = planes - 1 if plane is None else plane
    found = base * factor ** (width / (2 * plane))
    return found, factor ** (torch.arange(planes, dtype=torch.float64) / plane)


def from_frequencies(
    base: float, width: int, factor: float, plane: int | None = None
) -> tuple[float, Tensor]:
    if plane is None:
        plane = width // 2 - 1
    wanted = base ** (-2 * plane / width) / factor
    found = wanted ** (-width / (2 * plane))
    exponents = torch.arange(0, width, 2) / width
    before, after = base ** (-exponents.double()), found ** (-exponents.double())
    return found, before / after


def in_logs(
    base: float, width: int, factor: float, plane: int | None = None
) -> tuple[float, Tensor]:
    plane = width // 2 - 1 if plane is None else plane
    step = math.log(factor) / plane
    divisors = [math.exp(step * i) for i in range(width // 2)]
    return math.exp(math.log(base) + step * width / 2), torch.tensor(divisors)


def halving(
    base: float, width: int, factor: float, plane: int | None = None
) -> tuple[float, Tensor]:
    if plane is None:
        plane = (width - 2) // 2
    low, high = 1e-50, 1e50
    for _ in range(200):
        middle = (low * high) ** 0.5
        slower = middle ** (2 * plane / width)
        low, high = (middle, high) if slower < factor else (low, middle)
    return base * low, low ** (2 * torch.arange(width // 2).double() / width)


def right(inputs: Inputs) -> tuple[Any, ...]:
    return ntk_base(**inputs)


NAMES = ("new base", "divisors")
BASE, DIVISORS = parts(right, NAMES, 0), parts(right, NAMES, 1)


def _differs(expected: Tensor, got: Any) -> str | None:
    return difference(expected, got, SUMMED, dtype="kind")


def of_the_own_base(inputs: Inputs, answer: Any) -> str | None:
    """Accept the divisors that follow from the answer's own base, if that differs from the old one.

    So a mistake in the derivation costs only the base, and not its consequences as well.
    """
    said = DIVISORS(inputs, answer)
    growth = _own_growth(inputs, answer) if said else None
    if growth is None:
        return said
    width = inputs["width"]
    follow = growth ** (2 * torch.arange(width // 2, dtype=torch.float64) / width)
    if not _differs(follow, answer[1]):
        return None
    return _no_powers(answer[1]) or said


def _own_growth(inputs: Inputs, answer: Any) -> float | None:
    """Return the factor between an answer's base and the old one; None if not a number, or 1."""
    own = answer[0] if isinstance(answer, (tuple, list)) and len(answer) == 2 else None
    own = own.item() if isinstance(own, Tensor) and own.numel() == 1 else own
    if not isinstance(own, (int, float)) or isinstance(own, bool) or not 0 < own < math.inf:
        return None
    growth: float = own / inputs["base"]
    return growth if abs(growth - 1) > 0.01 else None


def both_parts(inputs: Inputs, answer: Any) -> str | None:
    return BASE(inputs, answer) or DIVISORS(inputs, answer)


def in_steps(inputs: Inputs, answer: Any) -> str | None:
    """Accept divisors that grow by the right factor, in either order and from any start."""
    said = of_the_own_base(inputs, answer)
    pair = isinstance(answer, (tuple, list)) and len(answer) == 2
    if said is None or not pair or not is_array(answer[1]) or as_tensor(answer[1]).ndim != 1:
        return said
    width, numbers = inputs["width"], as_tensor(answer[1]).double()
    numbers = numbers[:: 2 if len(numbers) == width else 1]
    ratios = numbers[1:] / numbers[:-1]
    growths = (ntk_base(**inputs)[0] / inputs["base"], _own_growth(inputs, answer) or 1.0)
    steps = [growth ** (sign * 2 / width) for growth in growths for sign in (1, -1)]
    right = len(numbers) == width // 2 and any(
        not _differs(torch.full_like(ratios, step), ratios) for step in steps if step != 1
    )
    return None if right else said


def one_off(inputs: Inputs, answer: Any) -> str | None:
    """Accept the base for the plane before or after the requested one."""
    planes = [inputs["plane"] + by for by in (0, -1, 1)]
    first, *beside = (BASE({**inputs, "plane": plane}, answer) for plane in planes)
    return first and None if None in beside else first


def alone(inputs: Inputs, answer: Any) -> Any:
    """Treat a base without divisors as the first of two results."""
    return answer if isinstance(answer, (tuple, list)) else (answer, None)


def _no_powers(divisors: Any) -> str | None:
    """Report divisors that do not grow by one ratio, so that no base gives them."""
    numbers = as_tensor(divisors).double() if is_array(divisors) else torch.ones(0)
    if numbers.ndim != 1 or len(numbers) < 3 or not (numbers > 0).all():
        return None
    ratios = numbers[1:] / numbers[:-1]
    if (ratios / ratios[0] - 1).abs().max() < 1e-3:
        return None
    return (
        "from plane to plane your divisors grow by the factors "
        f"{', '.join(f'{x:.3g}' for x in ratios[:3].tolist())}{', …' * (len(ratios) > 3)}; "
        "under a new base it is one factor throughout"
    )


TASK = Exercise(
    id="15.ntk_base",
    title="A base for a longer context",
    level="easy",
    minutes=8,
    concepts=("ntk-aware-scaling", "position-interpolation"),
    reference=ntk_base,
    rungs=(
        rung("the base that interpolates a plane of your choice", 1.75, chosen,
             through(alone, one_off), idea="one plane turns `factor` times slower"),
        rung("planes count from 0; if none is given, it is the slowest", 0.5, each_base,
             through(alone, BASE)),
        rung("one ratio from plane to plane, as one base gives", 1.75, each_plane, in_steps,
             idea="one base slows every plane but the first"),
        rung("every divisor, from the right base or from yours", 0.5,
             lambda g: each_plane(g) + other_factors(g), of_the_own_base),
        rung("a new base that is too large for float32, and its divisors", 0.5, beyond_float32,
             through(alone, both_parts)),
    ),
    misconceptions=(*MISCONCEPTIONS, *LARGE),
    alternatives=(
        Alternative(name="from the frequency wanted", answer=from_frequencies),
        Alternative(name="in logarithms", answer=in_logs),
        Alternative(name="by halving an interval", answer=halving),
    ),
    hints=(
        "Write the frequency of plane i under the old base and under the new one. What does the "
        "quotient of the two depend on?",
        "Old over new is (new base / base)^(2i/width). For `plane` this is to be the factor.",
        "Take the equation (new base / base)^(2 · plane / width) = factor to the power that leaves "
        "new base / base alone. Then put every other i into the left side.",
    ),
    equivalents={
        "ntk_base: line 5: dtype=torch.float64 dropped in "
        "torch.arange(planes, dtype=torch.float64)": "float32 holds the divisors to six digits",
    },
)  # fmt: skip
