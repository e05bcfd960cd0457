"""Follow attention through the layers."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def rollout(
    weights: Sequence[Float[Tensor, "b h q q"]], *, residual: float = 0.5
) -> Float[Tensor, "b q q"]:
    r"""Return how much of each input position reaches each output position through attention.

    .. math:: R = \prod_{l=N}^{1} \bigl((1 - r)\, \bar A_l + r\, I\bigr)

    The heads are averaged, and the residual connection counts as attention of a position to itself.
    This combines the weights only: values, norms and feed-forwards are not used.

    Args:
        weights: the attention weights of each layer, first layer first.
        residual: weight r of the residual connection, 0 to 1.

    Returns:
        Row i is the composition of output i; rows sum to 1, except for fully masked queries.

    Raises:
        ValueError: there is no layer, or ``residual`` is outside 0 to 1.

    Cost: one q·q by q·q product for each layer.

    Ref: Abnar and Zuidema 2020, section 3.
    """
    if not weights or not 0 <= residual <= 1:
        raise ValueError(
            f"{len(weights)} layers, residual={residual}: expected at least one layer, and a share "
            "from 0 to 1"
        )
    reached: Tensor | None = None
    for layer in weights:
        mean = layer.mean(dim=-3)
        same = torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device)
        step = (1 - residual) * mean + residual * same
        reached = step if reached is None else step @ reached
    assert reached is not None
    return reached
