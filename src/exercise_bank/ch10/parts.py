"""Laws about one number of an answer, so that each mistake costs only its own points."""

import math
from collections.abc import Callable
from typing import Any

from plaincourse.exercise import Inputs, Law

Right = Callable[[Inputs], tuple[float, ...]]


def number(right: Right, place: int, name: str, *, times: bool = True) -> Law:
    """Make a law about one of the numbers that an answer returns.

    Args:
        right: returns all the right numbers.
        place: index of the number in the answer.
        name: its name, as in "your number of bytes is 96".
        times: whether to report the factor by which it is too large; misleading for a difference.
    """

    def law(inputs: Inputs, answer: Any) -> str | None:
        expected = right(inputs)
        if not isinstance(answer, (tuple, list)) or len(answer) != len(expected):
            return f"return a tuple of {len(expected)} numbers"
        got, wanted = float(answer[place]), float(expected[place])
        if math.isclose(got, wanted, rel_tol=1e-6):
            return None
        factor = got / wanted if wanted and math.isfinite(wanted) else math.inf
        off = f", so yours is {factor:.4g} times the right one" if 0 < factor < 1e6 else ""
        return f"your {name} is {_digits(got)}; expected {_digits(wanted)}{off if times else ''}"

    return law


def ratio(top: Callable[[Inputs, Any], float], bottom: Callable[[Inputs, Any], float],
          place: int, name: str, said: str, near: float = 1e-6) -> Law:  # fmt: skip
    """Make a law about a quotient of two numbers, one of which may be wrong.

    Args:
        top: the dividend, from the inputs and the answer itself.
        bottom: the divisor, likewise.
        place: index of the quotient in the answer.
        name: its name.
        said: the quotient in words, as in "your FLOPs over your bytes".
        near: relative tolerance.
    """

    def law(inputs: Inputs, answer: Any) -> str | None:
        if not isinstance(answer, (tuple, list)) or len(answer) <= place:
            return f"return a tuple of at least {place + 1} numbers"
        above, below = float(top(inputs, answer)), float(bottom(inputs, answer))
        if not (0 < above < math.inf and 0 < below < math.inf):
            return f"{said} would be {_digits(above)} over {_digits(below)}"
        if math.isclose(float(answer[place]), above / below, rel_tol=near):
            return None
        got = _digits(float(answer[place]))
        return f"your {name} is {got}; {said} is {_digits(above / below)}"

    return law


def _digits(x: float) -> str:
    """Format a whole number in full, another with six digits."""
    return f"{int(x):,}" if math.isfinite(x) and x == int(x) and abs(x) < 1e15 else f"{x:.6g}"
