"""The seeds of hidden tests: ``seed=NUMBER`` in their cells."""

import re
from collections.abc import Callable

_HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS$.*?^### END HIDDEN TESTS$", re.MULTILINE | re.DOTALL)
SEED = re.compile(r"\bseed=(\d+)")
#: The number of random bits of a seed. One more bit is always set, so that all are equally long.
BITS = 64


def reseeded(text: str, draw: Callable[[int], int]) -> tuple[str, int]:
    """Return a text with new seeds in its hidden tests, and the number of seeds replaced.

    Args:
        text: the text of a graded notebook, or the source of one of its cells.
        draw: returns the seed that replaces the given one.
    """
    count = 0

    def other(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"seed={draw(int(found[1]))}"

    return _HIDDEN.sub(lambda tests: SEED.sub(other, tests[0]), text), count
