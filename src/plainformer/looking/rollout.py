"""Follow attention through the layers."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def rollout(
    weights: Sequence[Float[Tensor, "b h q q"]], *, residual: float = 0.5
) -> Float[Tensor, "b q q"]:
    r"""Say how much of each input position reaches each output position, as attention tells it.

    .. math:: R = \prod_{l=N}^{1} \bigl((1 - r)\, \bar A_l + r\, I\bigr)

    The heads are averaged, and the residual connection counts as looking at oneself. This is a
    bookkeeping of weights: it knows nothing of values, norms and feed-forwards.

    Args:
        weights: the attention weights of each layer, first layer first.
        residual: share r of a position that comes by the residual connection, 0 to 1.

    Returns:
        Row i says what output i is made of; rows of queries that look somewhere sum to 1.

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
