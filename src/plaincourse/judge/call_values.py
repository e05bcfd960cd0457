"""Encode and decode the arguments and results of a call between processes.

Data is copied. Changes that a call makes to its arguments are repeated in the originals; a gradient
crosses back to the process that computed a result; an object is sent as a reference, or as a
description if only data is allowed.
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
    """Values that cross between peers.

    Args:
        peer: this side.
        plain: whether an object is sent as a description, without a reference for further requests.
        until: deadline for rebuilding received values, on the clock of ``time.monotonic``.
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
    """Outgoing arguments; those that require a gradient are recorded."""

    def flag(self, tensor: Tensor) -> int:
        """Record a tensor that requires a gradient."""
        if tensor.requires_grad:
            self.tensors.append(tensor)
        return int(tensor.requires_grad)


class Got(_BetweenPeers):
    """Incoming arguments, as leaves in which gradients are collected."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Make a leaf of a tensor that required a gradient on the other side."""
        if flag:
            self.tensors.append(tensor.requires_grad_())
        return tensor


class Frozen:
    """A result in its state at the end of its call, unaffected by later writes.

    Args:
        tree: its encoded form.
    """

    __slots__ = ("tree",)

    def __init__(self, tree: Any) -> None:
        self.tree = tree


class Computed(_BetweenPeers):
    """An outgoing result, whose graph is kept.

    Attributes:
        buffers: the buffers of the message for the values frozen so far.
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
        """Return the encoded form of a value in its present state.

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
        """Return the reference for an object, or the encoded form of a frozen value."""
        return value.tree if type(value) is Frozen else super().refer(value)

    def flag(self, tensor: Tensor) -> int:
        """Keep the graph of a tensor that requires a gradient."""
        return int(self.peer.keep(tensor, self.tensors)) if tensor.requires_grad else 0


class Result(Computed):
    """An incoming result, tied to the outgoing arguments."""

    def tied(self, tensor: Tensor, flag: int) -> Tensor:
        """Tie a tensor to the arguments from which it was computed."""
        return bridged(self.peer, flag, tensor, self.tensors) if flag else tensor


def described(value: Any) -> dict[str, Any]:
    """Return the description of an object, computed once, in the process where it lives."""
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
    """Return an inert object for an untrusted description.

    Raises:
        WireError: it is not a valid description.
    """
    if not isinstance(about, dict):
        raise WireError("expected what an object is")
    kind, calls = str(about.get("type", "object"))[:100], about.get("call") is True
    text = str(about.get("text") or f"<a {kind}>")[:LONGEST]
    if is_key(about.get("unread")):
        return Unread(about["unread"], text)
    return inert(kind, calls, str(about.get("name") or kind)[:100], text)


class Backward(Protocol):
    """An object that can request the backward pass of a call."""

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
        # The last of the tied tensors is the artificial one made below.
        return (None, None, None, *found, None)


def bridged(peer: Backward, graph: int, output: Tensor, inputs: list[Tensor]) -> Tensor:
    """Tie an output that came from the other side to the inputs that were sent there.

    The artificial tensor made here makes the output require a gradient even if no input does, so
    that the parameters of a module on the other side can receive theirs.
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
    """Treat objects that stay in their process as unchanged."""

    def refer(self, value: Any) -> list[Any]:
        return ["x", id(value)]


def snapshot(value: Any) -> tuple[Any, list[bytes]]:
    """Return a copy of a value's content, to detect later writes into it."""
    tree, buffers = encode(value, _Marks())
    return tree, [bytes(each) for each in buffers]


def redo(original: Any, changed: Any) -> None:
    """Write into a value in place to make it equal to another; only data is written.

    Values that cannot be changed in place, such as a NumPy array of another shape, are left
    unchanged.
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
    """Return the old value, changed in place, if that is possible; else the new one."""
    kinds = (Tensor, np.ndarray, list, dict, set, tuple)
    for kind in kinds:
        if isinstance(old, kind) and isinstance(new, kind):
            redo(old, new)
            return new if kind is tuple and old is not new and len(old) != len(new) else old
    return new
