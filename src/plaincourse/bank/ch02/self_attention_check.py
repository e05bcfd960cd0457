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
    module = answers.whole(answer, d_model, d, e)
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"SelfAttention(d_model={d_model}, d={d}, e={e}) is a {type(module).__name__}, not an "
            "nn.Module: write class SelfAttention(nn.Module) and call super().__init__() first"
        )
    paths = answers.place(module, dict(zip(NAMES, matrices, strict=True)))
    if inputs["read"] == "parameters":
        return torch.tensor(answers.owned(module, paths))
    output = module(inputs["x"])
    if inputs["read"] == "output":
        return output.detach() if isinstance(output, Tensor) else output
    return _gradients(module, output, paths)


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
