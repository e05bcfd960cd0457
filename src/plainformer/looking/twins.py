"""Other weights, same output: why a picture of attention is not an explanation."""

import torch
from jaxtyping import Float
from torch import Tensor


def other_weights(
    weights: Float[Tensor, "k"], value: Float[Tensor, "k e"], *, towards: int
) -> Float[Tensor, "k"]:
    """Move weight to another key without changing the output.

    With more keys than value components there are directions in which the weights can move while
    their sum and the average of the values stay. This walks as far as it can, until a weight
    would become negative, along the one that raises the weight of ``towards`` most.

    Args:
        weights: one query's weights, none negative, summing to 1.
        value: the values.
        towards: the key whose weight is to grow.

    Returns:
        Weights, none negative, with the same sum and the same ``weights @ value``. They are the
        same weights where nothing can move.

    Raises:
        ValueError: there is no key ``towards``.

    Cost: one singular value decomposition of (e + 1, k).

    Ref: Jain and Wallace 2019, section 4.2 (adversarial attention); Brunner et al. 2020,
    section 3 (the null space).
    """
    k = weights.shape[0]
    if not 0 <= towards < k:
        raise ValueError(f"towards={towards}: expected a key from 0 to {k - 1}")
    held = torch.cat([value.T, value.new_ones(1, k)])  # what must not change
    _, singular, directions = torch.linalg.svd(held, full_matrices=True)
    rank = int((singular > singular[0] * 1e-10 * max(held.shape)).sum())
    free = directions[rank:]  # (k - rank, k), orthonormal
    way = free.T @ free[:, towards]  # the free direction nearest to "more weight on towards"
    falling = way < -1e-12
    if not falling.any():
        return weights.clone()
    reach = (weights[falling] / -way[falling]).min()
    moved: Tensor = (weights + reach * way).clamp_min(0)
    return moved
