"""Copy given weights into a module that a student wrote, wherever they keep theirs."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from plaincourse.judge.helping import helper


@helper
def place(module: nn.Module, weights: Mapping[str, Tensor], *, rest: float = 0.5) -> list[str]:
    """Copy weights into the layers of a module, in one step.

    The module is put into evaluation mode and takes the dtype of the weights. Every parameter that
    is not among them is filled with one number, so that it shows. A tensor that is no layer is
    taken to be used as ``x @ weight``: it gets the transpose, where that fits.

    Args:
        module: the student's.
        weights: by the attribute of a layer, its matrix (out, in).
        rest: what all other parameters hold.

    Returns:
        Where each weight went: ``"query.weight"``, or ``"query"`` for a bare tensor.

    Raises:
        AttributeError: there is no such attribute.
        TypeError: it is no layer.
        ValueError: it has another shape.
    """
    module.eval().to(next(iter(weights.values())).dtype)
    with torch.no_grad():
        for each in module.parameters():
            each.fill_(rest)
    return [_copy(module, name, matrix, tuple(weights)) for name, matrix in weights.items()]


def _copy(module: nn.Module, name: str, matrix: Tensor, names: tuple[str, ...]) -> str:
    if not hasattr(module, name):
        some = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
        raise AttributeError(
            f"self.{name} is missing: make the projections in __init__, under the names {some}"
        )
    layer = getattr(module, name)
    if isinstance(layer, Tensor):
        return _copy_bare(module, name, layer, matrix)
    weight = getattr(layer, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"self.{name} is a {type(layer).__name__}; make it an nn.Linear")
    if weight.shape != matrix.shape:
        raise ValueError(_wrong_shape(f"{name}.weight", weight, matrix))
    _fill(layer, "weight", matrix)
    return f"{name}.weight"


def _copy_bare(module: nn.Module, name: str, weight: Tensor, matrix: Tensor) -> str:
    if weight.shape not in (matrix.shape, matrix.mT.shape):
        raise ValueError(_wrong_shape(name, weight, matrix))
    _fill(module, name, matrix.mT if weight.shape == matrix.mT.shape else matrix)
    return name


def _fill(owner: Any, name: str, values: Tensor) -> None:
    """Let an attribute hold other values: a parameter stays the parameter it is."""
    held = getattr(owner, name)
    if isinstance(held, nn.Parameter) or not isinstance(owner, nn.Module):
        held.data = values.detach().clone()
    else:
        setattr(owner, name, values.detach().clone().requires_grad_(held.requires_grad))


def _wrong_shape(name: str, weight: Tensor, matrix: Tensor) -> str:
    out, into = matrix.shape
    return (
        f"self.{name} has shape {tuple(weight.shape)}, expected {(out, into)}: the layer takes "
        f"vectors of width {into} (first argument of nn.Linear) to width {out} (second)"
    )
