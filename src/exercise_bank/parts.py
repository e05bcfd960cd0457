"""Laws about parts of an answer, so that each mistake costs only its own points."""

from collections.abc import Callable, Sequence
from typing import Any

from plaincourse.checking.compare import Types
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Inputs, Law
from plaincourse.exercise.precision import USUAL

Right = Callable[[Inputs], tuple[Any, ...]]


def parts(right: Right, names: Sequence[str], *only: int, dtype: Types = "kind") -> Law:
    """Make a law about some of the outputs, which shows the first wrong one and names all.

    Args:
        right: returns all the right outputs.
        names: names of the outputs, as in "your log-sum-exp at [0] is 2".
        only: indices of the outputs that the law covers; all if left out.
        dtype: the comparison of their dtypes.
    """

    def law(inputs: Inputs, answer: Any) -> str | None:
        expected = right(inputs)
        if not isinstance(answer, (tuple, list)) or len(answer) != len(expected):
            return f"return a tuple of {len(expected)}: {', '.join(names)}"
        found = {
            names[i]: said
            for i in only or range(len(expected))
            if (said := difference(expected[i], answer[i], USUAL, dtype=dtype))
        }
        if not found:
            return None
        first, *others = found
        said = found[first].replace("your output", f"your {first}", 1)
        said = said.replace("your function returns", f"your {first} is", 1)
        return f"{said}. Also wrong: {' and '.join(others)}" if others else said

    return law
