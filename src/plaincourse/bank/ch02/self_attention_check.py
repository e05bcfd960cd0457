"""How a student's SelfAttention is observed: weights copied in, one thing read out."""

from typing import Any

import torch
from torch import Tensor, nn

from plaincourse.exercise import Inputs
from plaincourse.split import answers

NAMES = ("query", "key", "value")


def observe(answer: Any, inputs: Inputs) -> Tensor:
    """Build the module, copy the given weights in, and return what ``inputs["read"]`` asks for.

    ``output`` is what the module returns for ``x``; ``parameters`` are the numbers of trainable
    weights in query, key, value and elsewhere; ``gradients`` are the lengths of the gradients that
    reach query, key and value from the sum of the squared outputs. A parameter that is not one of
    the three is filled with one half, so that it shows.
    """
    matrices = [inputs[f"W_{name}"] for name in NAMES]
    (d, d_model), e = matrices[0].shape, matrices[2].shape[0]
    module = answer(d_model, d, e)
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"SelfAttention(d_model={d_model}, d={d}, e={e}) is a {type(module).__name__}, not an "
            "nn.Module: write class SelfAttention(nn.Module) and call super().__init__() first"
        )
    paths = _fill(module.eval(), matrices)
    if inputs["read"] == "parameters":
        return torch.tensor(answers.owned(module, paths))
    output = module(inputs["x"])
    if inputs["read"] == "output":
        return output.detach() if isinstance(output, Tensor) else output
    return _gradients(module, output, paths)


def _fill(module: Any, matrices: list[Tensor]) -> list[str]:
    """Copy the matrices in; return where: the paths of the weights in the module."""
    module.to(matrices[0].dtype)
    every = {name: torch.full_like(each, 0.5) for name, each in answers.parameters(module).items()}
    answers.set_parameters(module, every)
    return [_copy(module, name, matrix) for name, matrix in zip(NAMES, matrices, strict=True)]


def _copy(module: Any, name: str, matrix: Tensor) -> str:
    if not hasattr(module, name):
        raise AttributeError(
            f"self.{name} is missing: make the three projections in __init__, under the names "
            "query, key and value"
        )
    layer = getattr(module, name)
    if isinstance(layer, Tensor):
        return _copy_bare(module, name, layer, matrix)
    weight = getattr(layer, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"self.{name} is a {type(layer).__name__}; make it an nn.Linear")
    if weight.shape != matrix.shape:
        raise ValueError(_wrong_shape(f"{name}.weight", weight, matrix))
    answers.fill(layer, "weight", matrix)
    return f"{name}.weight"


def _copy_bare(module: Any, name: str, weight: Tensor, matrix: Tensor) -> str:
    """Fill a weight that is no layer; it is taken to be used as ``x @ weight``."""
    if weight.shape not in (matrix.shape, matrix.mT.shape):
        raise ValueError(_wrong_shape(name, weight, matrix))
    answers.fill(module, name, matrix.mT if weight.shape == matrix.mT.shape else matrix)
    return name


def _wrong_shape(name: str, weight: Tensor, matrix: Tensor) -> str:
    out, into = matrix.shape
    return (
        f"self.{name} has shape {tuple(weight.shape)}, expected {(out, into)}: the layer takes "
        f"vectors of width {into} (first argument of nn.Linear) to width {out} (second)"
    )


def _gradients(module: Any, output: Tensor, paths: list[str]) -> Tensor:
    zero = torch.zeros((), dtype=output.dtype)
    if not output.requires_grad:
        return zero.expand(len(paths)).clone()
    found = answers.gradients(module, (output**2).sum(), paths)
    return torch.stack([zero if grad is None else grad.norm() for grad in found])


def right_parameters(inputs: Inputs, counts: Tensor) -> str | None:
    """Say which of the three weights is not a parameter of the module, or what is too many."""
    expected = [inputs[f"W_{name}"].numel() for name in NAMES]
    for name, count, wanted in zip(NAMES, counts.tolist(), expected, strict=False):
        if count != wanted:
            return (
                f"self.{name} holds {count} trainable numbers of its own; expected {wanted}. An "
                "optimiser given model.parameters() trains nothing else"
            )
    if counts[3]:
        return f"besides the three weight matrices the module has {counts[3]} trainable numbers"
    return None


def gradients_arrive(inputs: Inputs, lengths: Tensor) -> str | None:
    """Say which of the three weights no gradient reaches."""
    missing = [name for name, length in zip(NAMES, lengths, strict=False) if not length > 0]
    if missing:
        return f"no gradient reaches the weight of {' and '.join(missing)}, so it cannot learn"
    return None
