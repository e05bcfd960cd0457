"""Measure the influence of input tokens: by gradients locally, and by their integral in total."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

# From embedded tokens (b, q, m) to one number for each sequence (b,).
Target = Callable[[Tensor], Tensor]


def gradient_times_input(target: Target, embedded: Float[Tensor, "b q m"]) -> Float[Tensor, "b q"]:
    """Multiply the gradient of an output by the embedding of each token.

    Args:
        target: from embedded tokens to one number for each sequence, such as a logit.
        embedded: the embedded tokens.

    Returns:
        One number for each token: how the output would change, to first order, if the embedding
        were scaled up. A positive number means that the token increases the output.

    Raises:
        ValueError: ``target`` does not return one number for each sequence.

    Cost: one forward and one backward pass.

    Ref: Shrikumar et al. 2017 (gradient times input).
    """
    return (_gradient(target, embedded) * embedded.detach()).sum(dim=-1)


def integrated_gradients(
    target: Target,
    embedded: Float[Tensor, "b q m"],
    baseline: Float[Tensor, "b q m"] | None = None,
    *,
    steps: int = 32,
) -> Float[Tensor, "b q"]:
    r"""Integrate the gradient along the path from a baseline to the embedding.

    .. math:: (x - x') \odot \int_0^1 \nabla F\bigl(x' + \alpha (x - x')\bigr)\, d\alpha

    Args:
        target: from embedded tokens to one number for each sequence.
        embedded: the embedded tokens x.
        baseline: the start of the path, x'; zeros when left out.
        steps: number of points on the path (midpoints, with equal weights).

    Returns:
        One number for each token. They sum to ``target(embedded) - target(baseline)``, up to the
        error of the sum over steps.

    Raises:
        ValueError: ``steps`` is below 1, or ``target`` does not return one number for each
            sequence.

    Cost: ``steps`` forward and backward passes.

    Ref: Sundararajan et al. 2017, equations 1 and 3.
    """
    if steps < 1:
        raise ValueError(f"steps={steps}: expected at least one point on the way")
    start = torch.zeros_like(embedded) if baseline is None else baseline
    way = (embedded - start).detach()
    total = torch.zeros_like(way)
    for step in range(steps):
        total += _gradient(target, start + way * ((step + 0.5) / steps))
    return (way * total / steps).sum(dim=-1)


def _gradient(target: Target, embedded: Tensor) -> Tensor:
    leaf = embedded.detach().requires_grad_()
    with torch.enable_grad():
        out = target(leaf)
        if out.shape != embedded.shape[:1]:
            raise ValueError(
                f"target gave shape {tuple(out.shape)}: expected one number for each sequence, "
                f"({embedded.shape[0]},)"
            )
        (gradient,) = torch.autograd.grad(out.sum(), leaf)
    return gradient
