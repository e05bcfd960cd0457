"""How values cross in each of the four directions: arguments and results, out and in."""

import math
from typing import Any

from torch import Tensor

from plaincourse.checking.remote import Thing
from plaincourse.judge.crossing import Crossing
from plaincourse.judge.gradients import bridged
from plaincourse.judge.things import thing


class _Of(Crossing):
    """What crosses between peers.

    Args:
        peer: this side.
        plain: whether an object is only described, and not named so that it can be asked more.
        until: when what came must have been rebuilt, on the clock of ``time.monotonic``.
    """

    def __init__(self, peer: Any, *, plain: bool = False, until: float = math.inf) -> None:
        self.peer, self.plain, self.until = peer, plain, until
        self.tensors: list[Tensor] = []
        self.things: list[Thing] = []

    def refer(self, value: Any) -> list[Any]:
        named: list[Any] = self.peer.named(value, plain=self.plain)
        return named

    def resolve(self, tree: list[Any]) -> Any:
        if not self.plain or tree[0] != "@obj" or len(tree) != 3:
            return self.peer.meant(tree)
        self.things.append(thing(tree[2]))
        return self.things[-1]


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

    def __init__(
        self,
        peer: Any,
        inputs: list[Tensor],
        *,
        plain: bool = False,
        until: float = math.inf,
    ) -> None:
        super().__init__(peer, plain=plain, until=until)
        self.tensors = inputs

    def flag(self, tensor: Tensor) -> int:
        """Keep the graph of a tensor that requires a gradient."""
        return int(self.peer.keep(tensor, self.tensors)) if tensor.requires_grad else 0


class Result(Computed):
    """A result that came in: tied to the arguments that went out."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Tie a tensor to what it was computed from."""
        return bridged(self.peer, flag, tensor, self.tensors) if flag else tensor
