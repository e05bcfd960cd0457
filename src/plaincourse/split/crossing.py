"""What the two sides agree on beside plain data."""

from typing import Any

from torch import Tensor

from plaincourse.split.faults import WireError

#: How deep a value may be nested.
DEEPEST = 40
#: Types that cross by their name.
TYPES = {
    each.__name__: each
    for each in (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, object)
}


class Crossing:
    """What one side does with values that are more than data. By default it refuses them."""

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
