"""Observe a student's SelfAttention: copy weights in, and read one thing out."""

import secrets
from typing import Any

import torch
from torch import Tensor, nn

from plaincourse.exercise import Inputs
from plaincourse.judge import answers

NAMES = ("query", "key", "value")
#: Quantities read besides the output, as the student sees them on a failure.
COUNTS = "how many numbers query, key, value and the rest of the module can train"
LENGTHS = "how long the gradients are that reach query, key and value"
#: The step of the weights for measuring the slope, and the tolerated share of a gradient.
STEP, AMISS = 1e-3, 0.02


def observe(answer: Any, inputs: Inputs) -> Tensor:
    """Build the module, copy the given weights in, and return its output for ``x``.

    Inputs with a ``read`` ask for another quantity. ``COUNTS`` are the numbers of trainable weights
    in query, key, value and elsewhere. ``LENGTHS`` are the lengths of the gradients that reach
    query, key and value from the sum of the squared outputs; they are -1 if moved weights give
    another slope of the outputs, and -2 if a weight is not a parameter of the module. A parameter
    that is not one of the three is filled with one half, so that its effect is visible.
    """
    matrices = {name: inputs[f"W_{name}"] for name in NAMES}
    (d, d_model), e = matrices["query"].shape, len(matrices["value"])
    module = answers.whole(answer, d_model, d, e)
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"SelfAttention(d_model={d_model}, d={d}, e={e}) is a {type(module).__name__}, not an "
            "nn.Module: write class SelfAttention(nn.Module) and call super().__init__() first"
        )
    paths = answers.place(module, matrices)
    read = inputs.get("read")
    if read == COUNTS:
        return torch.tensor(answers.owned(module, paths))
    output = module(inputs["x"])
    if read is None:
        return output.detach() if isinstance(output, Tensor) else output
    return _gradients(module, output, paths, inputs["x"], matrices)


def _gradients(
    module: Any, output: Tensor, paths: list[str], x: Tensor, matrices: dict[str, Tensor]
) -> Tensor:
    zero = torch.zeros((), dtype=output.dtype)
    if not output.requires_grad:
        return zero.expand(len(paths)).clone()
    counts = answers.owned(module, paths)  # one layer at two paths counts at the first
    if not all(
        n or answers.owned(module, [path])[0] for n, path in zip(counts, paths, strict=False)
    ):
        return -2 * torch.ones(len(paths), dtype=output.dtype)
    found = answers.gradients(module, (output**2).sum(), paths)
    lengths = torch.stack([zero if grad is None else grad.norm() for grad in found])
    arrived = {
        name: _as_layers(path, grad, matrices[name])
        for name, path, grad in zip(NAMES, paths, found, strict=True)
        if grad is not None
    }
    return lengths if _is_slope(module, arrived, x, matrices) else -torch.ones_like(lengths)


def _as_layers(path: str, grad: Tensor, matrix: Tensor) -> Tensor:
    """Return a gradient in the layout of a layer's weight; a bare ``x @ weight`` has the other."""
    bare = "." not in path
    return grad.mT if bare and grad.mT.shape == matrix.shape else grad


def _is_slope(
    module: Any, grads: dict[str, Tensor], x: Tensor, matrices: dict[str, Tensor]
) -> bool:
    """Move all weights with a gradient a little, and compare the slope of the outputs."""
    g = torch.Generator().manual_seed(secrets.randbits(62))  # unpredictable by the answer
    moves: dict[str, Tensor] = {}
    slope = torch.zeros((), dtype=torch.float64)
    for name, grad in grads.items():
        shared = next((n for n in moves if torch.equal(grads[n], grad)), None)  # one layer for both
        moves[name] = moves[shared] if shared else torch.randn(grad.shape, generator=g).double()
        slope += 0 if shared else (grad.double() * moves[name]).sum()
    ends = []
    for sign in (1, -1):
        moved = {n: w + sign * STEP * moves[n] if n in moves else w for n, w in matrices.items()}
        answers.place(module, moved)
        ends.append((module(x).detach().double() ** 2).sum())
    size = torch.stack([grad.double().norm() for grad in grads.values()]).norm() if grads else 0.0
    return bool((slope - (ends[0] - ends[1]) / (2 * STEP)).abs() <= AMISS * size + 1e-6)


def right_parameters(inputs: Inputs, counts: Tensor) -> str | None:
    """Report a weight that is not a parameter of the module, or surplus parameters."""
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
    """Report a weight that training does not reach."""
    if lengths.shape != (len(NAMES),):  # so outputs of other requirements fail here
        return "query, key and value have one gradient each"
    if (lengths < -1).any():
        return (
            "a weight is a tensor and no parameter of the module, so an optimiser that is given "
            "model.parameters() never moves it"
        )
    if (lengths < 0).any():
        return (
            "the gradients that reach your weights are not the slope of your output: when the "
            "weights move a little, it changes in another way"
        )
    missing = [name for name, length in zip(NAMES, lengths, strict=False) if not length > 0]
    if missing:
        return f"no gradient reaches the weight of {' and '.join(missing)}, so it cannot learn"
    return None
