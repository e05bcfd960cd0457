"""What the two sides agree on beside plain data."""

import math
import time
from typing import Any

from torch import Tensor

from plaincourse.judge.faults import WireError

#: How deep a value may be nested.
DEEPEST = 40
#: How many items of sets and keys of dictionaries one message may hold. Items with equal hashes
#: take a time that grows with the square of their number.
MOST_HASHED = 10_000
#: Types that cross by their name.
TYPES = {
    each.__name__: each
    for each in (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, object)
}


class Crossing:
    """What one side does with values that are more than data. By default it refuses them.

    Attributes:
        until: when the values must have been rebuilt, on the clock of ``time.monotonic``.
    """

    until = math.inf
    _hashed = 0

    def hash(self, count: int = 1) -> None:
        """Note items of a set, or keys of a dictionary.

        Raises:
            WireError: there are too many, or it takes too long.
        """
        self._hashed += count
        if self._hashed > MOST_HASHED:
            raise WireError(
                f"sets and dictionaries of more than {MOST_HASHED} items in all cannot cross to "
                "another process"
            )
        if time.monotonic() > self.until:
            raise WireError("what came takes too long to take in")

    def refer(self, value: Any) -> list[Any]:
        """Return a tree that stands for a value that stays here.

        Raises:
            WireError: nothing can stand for it.
        """
        raise WireError(f"a {type(value).__name__} cannot cross to another process")

    def resolve(self, tree: list[Any]) -> Any:
        """Return what a tree that :meth:`refer` made on the other side stands for.

        Raises:
            WireError: it stands for nothing.
        """
        raise WireError("a reference came where none may come")

    def flag(self, tensor: Tensor) -> int:
        """Return 0 for a tensor without gradient, 1 for a leaf, more for one that was computed."""
        return int(tensor.requires_grad)

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Give a tensor that came the gradient that its flag announces."""
        return tensor.requires_grad_() if flag else tensor
