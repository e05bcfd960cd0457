"""How the exercises of chapter 16 go wrong."""

from collections.abc import Callable
from functools import partial
from typing import Any

from exercise_bank.skills import saying
from plaincourse.exercise import Misconception


def saying_slips(slipped: Callable[..., Any]) -> Callable[..., Misconception]:
    """Make a ``said`` whose wrong answers are functions or the names of one or several slips.

    Args:
        slipped: right except for its ``slips``, a tuple of names.
    """

    def answer(slips: str | tuple[str, ...] | Callable[..., Any]) -> Any:
        if callable(slips):
            return slips
        return partial(slipped, slips=(slips,) if isinstance(slips, str) else slips)

    return saying(answer)
