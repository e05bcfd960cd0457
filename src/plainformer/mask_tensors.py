"""A rule as a mask, and a bias that is a function of positions as a tensor."""

from collections.abc import Callable

import torch
from torch import Tensor

from plainformer.mask_rules import Rule


def written_out(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: int,
    k: int,
    device: torch.device,
) -> tuple[Tensor | None, Tensor | None]:
    """Turn a rule into a mask, and a function of positions into a bias.

    Args:
        mask: a mask, or a rule.
        bias: a bias, or a function of positions.
        q: number of queries, the last of the positions.
        k: number of keys.
        device: where they are made.
    """
    if isinstance(mask, Rule):
        mask = mask.dense(q, k, device=device)
    if bias is not None and not isinstance(bias, Tensor):
        keys = torch.arange(k, device=device)
        bias = bias(torch.arange(k - q, k, device=device), keys)
    return mask, bias


def at_positions(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: Tensor,
    k: Tensor,
) -> tuple[Tensor, Tensor | None]:
    """Write a mask and a bias out for keys that stand in no particular order.

    Args:
        mask: a rule, or a mask of all positions.
        bias: a function of positions, or a bias of all positions.
        q: (q,) where the queries stand.
        k: (k,) where the keys stand; negative = empty, which nobody looks at.

    Returns:
        The mask, (b, 1, q, k) or what its broadcasting leaves of that; the bias.
    """
    held = (k >= 0)[None, None, None]
    if isinstance(mask, Rule):
        mask = mask.allows(q, k)
    elif mask is not None:
        mask = _columns(mask, k) & held
    else:
        mask = held.expand(1, 1, len(q), len(k))
    if isinstance(bias, Tensor):
        return mask, _columns(bias, k)
    return mask, None if bias is None else bias(q, k.clamp_min(0))


def _columns(whole: Tensor, k: Tensor) -> Tensor:
    """Pick the columns of some positions; one column for all stays one."""
    return whole if whole.shape[-1] == 1 else whole[..., k.clamp_min(0)]
