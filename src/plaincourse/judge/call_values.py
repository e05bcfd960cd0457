"""What crosses in a call: arguments and results, out and in.

Data is copied. What a call wrote into its arguments is written into the originals; a gradient
crosses back to where a result was computed; an object is named, or described where only data is
wanted.
"""

import math
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking.readable import Unread, is_key, unreadable
from plaincourse.checking.remote import LONGEST, Thing, inert, said_of
from plaincourse.judge.faults import WireError
from plaincourse.judge.wire import Crossing, encode


class _BetweenPeers(Crossing):
    """What crosses between peers.

    Args:
        peer: this side.
        plain: whether an object is only described, and not named so that it can be asked more.
        until: when what came must have been rebuilt, on the clock of ``time.monotonic``.
    """

    def __init__(self, peer: Any, *, plain: bool = False, until: float = math.inf) -> None:
        self.peer, self.plain, self.until = peer, plain, until
        self.tensors: list[Tensor] = []
        self.things: list[Thing | Unread] = []

    def refer(self, value: Any) -> list[Any]:
        named: list[Any] = self.peer.named(value, plain=self.plain)
        return named

    def resolve(self, tree: list[Any]) -> Any:
        if not self.plain or tree[0] != "@obj" or len(tree) != 3:
            return self.peer.meant(tree)
        self.things.append(thing(tree[2]))
        return self.things[-1]


class Sent(_BetweenPeers):
    """Arguments that go out: those that require a gradient are noted."""

    def flag(self, tensor: Tensor) -> int:
        """Note a tensor that requires a gradient."""
        if tensor.requires_grad:
            self.tensors.append(tensor)
        return int(tensor.requires_grad)


class Got(_BetweenPeers):
    """Arguments that came in: leaves, to collect gradients in."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Make a leaf of a tensor that required a gradient where it came from."""
        if flag:
            self.tensors.append(tensor.requires_grad_())
        return tensor


class Frozen:
    """A result as it was when its call ended, whatever is written into it afterwards.

    Args:
        tree: what crosses of it.
    """

    __slots__ = ("tree",)

    def __init__(self, tree: Any) -> None:
        self.tree = tree


class Computed(_BetweenPeers):
    """A result that goes out: how it was computed is kept.

    Attributes:
        buffers: those of the message, of what was frozen so far.
    """

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
        self.buffers: list[memoryview] = []

    def frozen(self, value: Any) -> Frozen:
        """Return what crosses of a value as it is now.

        Raises:
            WireError: it cannot cross.
        """
        before = len(self.buffers)
        try:
            tree, _ = encode(value, self, self.buffers)
            self.buffers[before:] = [memoryview(bytes(each)) for each in self.buffers[before:]]
        except BaseException:
            del self.buffers[before:]
            raise
        return Frozen(tree)

    def refer(self, value: Any) -> Any:
        """Return what stands for an object, or what crosses of a frozen value."""
        return value.tree if type(value) is Frozen else super().refer(value)

    def flag(self, tensor: Tensor) -> int:
        """Keep the graph of a tensor that requires a gradient."""
        return int(self.peer.keep(tensor, self.tensors)) if tensor.requires_grad else 0


class Result(Computed):
    """A result that came in: tied to the arguments that went out."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Tie a tensor to what it was computed from."""
        return bridged(self.peer, flag, tensor, self.tensors) if flag else tensor


def described(value: Any) -> dict[str, Any]:
    """Return what an object says of itself, asked once, where it lives."""
    text = said_of(value)
    name = getattr(value, "__name__", None) if callable(value) else None
    return {
        "type": type(value).__name__,
        "call": callable(value),
        "name": str(name)[:100] if isinstance(name, str) else "",
        "text": text,
        "unread": unreadable(value),
    }


def thing(about: Any) -> Thing | Unread:
    """Return what stands for an object that was described. The description may be anyone's.

    Raises:
        WireError: it describes none.
    """
    if not isinstance(about, dict):
        raise WireError("expected what an object is")
    kind, calls = str(about.get("type", "object"))[:100], about.get("call") is True
    text = str(about.get("text") or f"<a {kind}>")[:LONGEST]
    if is_key(about.get("unread")):
        return Unread(about["unread"], text)
    return inert(kind, calls, str(about.get("name") or kind)[:100], text)


class Backward(Protocol):
    """Who can be asked for the backward pass of a call."""

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Return the gradients of a call's inputs, given that of its output."""


class _Bridge(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, peer: Backward, graph: int, held: list[Tensor], *tied: Tensor) -> Tensor:
        ctx.peer, ctx.graph, ctx.count = peer, graph, len(tied)
        return held[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        found = ctx.peer.backward(ctx.graph, gradients[0].contiguous())
        # The last of the tied tensors is the one made up below.
        return (None, None, None, *found, None)


def bridged(peer: Backward, graph: int, output: Tensor, inputs: list[Tensor]) -> Tensor:
    """Tie an output that came from the other side to the inputs that went there.

    The tensor made up here makes it require a gradient where no input does: a module's own
    parameters, on the other side, still can get theirs.
    """
    if not torch.is_grad_enabled() or not (output.is_floating_point() or output.is_complex()):
        return output
    alone = torch.zeros((), requires_grad=True)
    tied: Tensor = _Bridge.apply(peer, graph, [output], *inputs, alone)  # type: ignore[no-untyped-call]
    return tied


def ran_backward(output: Tensor, inputs: list[Tensor], gradient: Tensor) -> list[Tensor | None]:
    """Run the backward pass of a call that ran here; parameters collect their gradients."""
    for each in inputs:
        each.grad = None
    torch.autograd.backward([output], [gradient], retain_graph=True)
    found = [each.grad for each in inputs]
    for each in inputs:
        each.grad = None
    return found


class _Marks(Crossing):
    """Objects that stay where they are count as unchanged."""

    def refer(self, value: Any) -> list[Any]:
        return ["x", id(value)]


def snapshot(value: Any) -> tuple[Any, list[bytes]]:
    """Return what tells whether a value was written into since."""
    tree, buffers = encode(value, _Marks())
    return tree, [bytes(each) for each in buffers]


def redo(original: Any, changed: Any) -> None:
    """Write into a value in place what makes it equal to another; only data is written.

    What cannot be written in place, such as another shape of a NumPy array, is left as it is.
    """
    if isinstance(original, Tensor) and isinstance(changed, Tensor):
        new = changed.detach()
        if original.shape == new.shape and original.dtype == new.dtype:
            original.data.copy_(new)
        else:
            original.data = new
    elif isinstance(original, np.ndarray) and isinstance(changed, np.ndarray):
        if original.shape != changed.shape and original.size == changed.size:
            original.shape = changed.shape
        if original.shape == changed.shape and original.dtype == changed.dtype:
            original[...] = changed
    elif isinstance(original, list) and isinstance(changed, list):
        both = list(zip(original, changed, strict=False))
        original[:] = [_redone(old, new) for old, new in both] + changed[len(both) :]
    elif isinstance(original, dict) and isinstance(changed, dict):
        for key in [key for key in original if key not in changed]:
            del original[key]
        for key, new in changed.items():
            original[key] = _redone(original[key], new) if key in original else new
    elif isinstance(original, tuple) and isinstance(changed, tuple):
        for old, new in zip(original, changed, strict=False):
            redo(old, new)
    elif isinstance(original, set) and isinstance(changed, set):
        original.clear()
        original |= changed


def _redone(old: Any, new: Any) -> Any:
    """Return the old value, written into, where that can be; else the new one."""
    kinds = (Tensor, np.ndarray, list, dict, set, tuple)
    for kind in kinds:
        if isinstance(old, kind) and isinstance(new, kind):
            redo(old, new)
            return new if kind is tuple and old is not new and len(old) != len(new) else old
    return new
