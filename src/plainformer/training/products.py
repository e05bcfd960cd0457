"""Linear layers with oneDNN's matrix product if that is faster: float32 on a CPU.

PyTorch multiplies float32 matrices with MKL, but also contains oneDNN's kernel. On processors for
which MKL is not optimised, oneDNN's is a tenth faster with the layouts of a layer's output and of
its input's gradient. The weight's gradient still uses MKL.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


def linear(
    x: Float[Tensor, "*batch n"],
    weight: Float[Tensor, "f n"],
    bias: Float[Tensor, " f"] | None = None,
) -> Float[Tensor, "*batch f"]:
    r"""Compute :math:`x W^\top + b` as :func:`torch.nn.functional.linear` does.

    Args:
        x: the input.
        weight: the matrix W.
        bias: the vector b.

    Cost: n·f multiplications for each vector; one pass of oneDNN if :func:`fits` holds.
    """
    if not fits(x, weight):
        return F.linear(x, weight, bias)
    out: Tensor = _Product.apply(x, weight)  # type: ignore[no-untyped-call]
    return out if bias is None else out + bias


def fits(x: Tensor, weight: Tensor) -> bool:
    """Return whether oneDNN computes a product here.

    Args:
        x: the input.
        weight: the layer's weight.
    """
    return (
        x.device.type == weight.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and x.numel() > 0
        and here()
    )


@functools.cache
def here() -> bool:
    """Return whether this PyTorch has oneDNN's product."""
    found = hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return torch.backends.mkldnn.is_available() and found  # type: ignore[no-untyped-call]


@contextmanager
def used_in(model: nn.Module) -> Iterator[None]:
    """Let a model's linear layers use :func:`linear` while the block runs.

    Weights and names do not change, and afterwards the layers are restored, also after an error. A
    layer whose ``forward`` the user has replaced keeps it.

    Args:
        model: the model.
    """
    layers = [
        module
        for module in model.modules()
        if type(module) is nn.Linear and "forward" not in vars(module)
    ]
    try:
        for layer in layers:
            layer.forward = functools.partial(_forward, layer)  # type: ignore[method-assign]
        yield
    finally:
        for layer in layers:
            vars(layer).pop("forward", None)


def _forward(layer: nn.Linear, x: Tensor) -> Tensor:
    return linear(x, layer.weight, layer.bias)


class _Product(torch.autograd.Function):
    """One product in the forward pass, two in the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _multiply(x, weight)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (gradient,) = gradients
        x, weight = ctx.saved_tensors
        to_x = _multiply(gradient, weight.t()) if ctx.needs_input_grad[0] else None
        if not ctx.needs_input_grad[1]:
            return to_x, None
        return to_x, gradient.flatten(0, -2).t() @ x.flatten(0, -2)


def _multiply(x: Tensor, weight: Tensor) -> Tensor:
    flat = x.reshape(-1, x.shape[-1])
    product: Tensor = torch.ops.mkldnn._linear_pointwise(flat, weight, None, "none", [], "")
    return product.view(*x.shape[:-1], weight.shape[0])
