"""How values cross in each of the four directions: arguments and results, out and in."""

from typing import Any

from torch import Tensor

from plaincourse.split.crossing import Crossing
from plaincourse.split.gradients import bridged


class _Of(Crossing):
    def __init__(self, peer: Any) -> None:
        self.peer = peer
        self.tensors: list[Tensor] = []

    def refer(self, value: Any) -> list[Any]:
        named: list[Any] = self.peer.named(value)
        return named

    def resolve(self, tree: list[Any]) -> Any:
        return self.peer.meant(tree)


class Sent(_Of):
    """Arguments that go out: those that require a gradient are noted."""

    def flag(self, tensor: Tensor) -> int:
        """Note a tensor that requires a gradient."""
        if tensor.requires_grad:
            self.tensors.append(tensor)
        return int(tensor.requires_grad)


class Got(_Of):
    """Arguments that came in: leaves, to collect gradients in."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Make a leaf of a tensor that required a gradient where it came from."""
        if flag:
            self.tensors.append(tensor.requires_grad_())
        return tensor


class Computed(_Of):
    """A result that goes out: how it was computed is kept."""

    def __init__(self, peer: Any, inputs: list[Tensor]) -> None:
        super().__init__(peer)
        self.tensors = inputs

    def flag(self, tensor: Tensor) -> int:
        """Keep the graph of a tensor that requires a gradient."""
        return int(self.peer.keep(tensor, self.tensors)) if tensor.requires_grad else 0


class Result(Computed):
    """A result that came in: tied to the arguments that went out."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Tie a tensor to what it was computed from."""
        return bridged(self.peer, flag, tensor, self.tensors) if flag else tensor
