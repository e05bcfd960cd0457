"""Gradients that cross: the backward pass of a call runs where the call ran."""

from typing import Any, Protocol

import torch
from torch import Tensor


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
