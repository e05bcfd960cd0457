"""A rule converted to a mask, and a bias that is a function of positions to a tensor."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.mask_rules import Rule


def written_out(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: int,
    k: int,
    device: torch.device,
) -> tuple[Tensor | None, Tensor | None]:
    """Convert a rule to a mask, and a function of positions to a bias.

    Args:
        mask: a mask, or a rule.
        bias: a bias, or a function of positions.
        q: number of queries, the last of the positions.
        k: number of keys.
        device: device of both tensors.
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
    """Compute a mask and a bias for keys at arbitrary positions.

    Args:
        mask: a rule, or a mask of all positions.
        bias: a function of positions, or a bias of all positions.
        q: (q,) positions of the queries.
        k: (k,) positions of the keys; negative for an empty slot, which is hidden.

    Returns:
        The mask, (b, 1, q, k) or a shape that broadcasts to it; the bias.
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


def one_row(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: int,
    k: int,
    *,
    before: int = 0,
    after: int,
    device: torch.device,
) -> tuple[Tensor, Tensor | None]:
    """Compute a sequence's mask and bias within a longer row of keys, with the others hidden.

    Args:
        mask: the sequence's mask, or a rule.
        bias: its bias, or a function of positions.
        q: number of its queries.
        k: number of its keys.
        before: keys of the row before them.
        after: keys of the row after them.
        device: device of both tensors.

    Returns:
        The mask (b, h or 1, q, before + k + after), and the bias, zeros elsewhere.
    """
    mask, bias = written_out(mask, bias, q, k, device)
    if mask is None:
        mask = torch.ones(q, k, dtype=torch.bool, device=device)
    wide = [
        None if x is None else x[(None,) * (4 - x.ndim)].expand(-1, -1, q, k) for x in (mask, bias)
    ]
    seen, added = (None if x is None else F.pad(x, (before, after)) for x in wide)
    assert seen is not None
    return seen, added


def joined(
    rows: Sequence[tuple[Tensor, Tensor | None]], *, dim: int
) -> tuple[Tensor, Tensor | None]:
    """Join the masks and biases of several sequences from :func:`one_row`.

    Args:
        rows: a mask and a bias for each; all have a bias, or none.
        dim: 0 if each sequence is a row of the batch, 2 if all are segments of one row.
    """
    biases = [added for _, added in rows if added is not None]
    masks = torch.cat([seen for seen, _ in rows], dim=dim)
    return masks, torch.cat(biases, dim=dim) if biases else None


def _columns(whole: Tensor, k: Tensor) -> Tensor:
    """Pick the columns of some positions; a single column for all stays one."""
    return whole if whole.shape[-1] == 1 else whole[..., k.clamp_min(0)]
