"""Sparse attention: an indexer scores the keys cheaply, and each query attends to the best only.

Attention to n keys costs n products of a query and a key. Here a cheaper score first ranks the
keys, or blocks of neighbouring keys, and only a fixed number of them is attended to.
"""

import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from plainformer.mask_checks import check
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score, scaled_dot
from plainformer.sdpa import check_inputs
from plainformer.softmax import softmax
from plainformer.whole_numbers import Whole, whole


def index_scores(
    query: Float[Tensor, "b j q i"], key: Float[Tensor, "b k i"], weight: Float[Tensor, "b q j"]
) -> Float[Tensor, "b 1 q k"]:
    r"""Score each key for each query with j narrow heads that share one key.

    .. math:: I_{qk} = \sum_j w_{qj} \max(0,\, \mathbf q_{qj} \cdot \mathbf k_k)

    Args:
        query: queries of the indexer's heads, of a small width i.
        key: the key of each position, shared by these heads.
        weight: weight of each head for each query.

    Returns:
        One score for each query and key, for all heads of the attention together.

    Cost: j·q·k·i multiplications.

    Ref: DeepSeek-AI 2025 (DeepSeek-V3.2), equation 1.
    """
    matched = (query @ key[:, None].transpose(-2, -1)).relu()
    return torch.einsum("bqj,bjqk->bqk", weight, matched)[:, None]


def index_loss(
    scores: Float[Tensor, "b 1 q k"], weights: Float[Tensor, "b h q k"], chosen: Bool[Tensor, "..."]
) -> Float[Tensor, ""]:
    r"""Return how far an indexer is from the attention that it approximates.

    .. math:: L = \operatorname{KL}\bigl(p \,\|\, \operatorname{softmax}(I)\bigr)

    where p is the sum of the heads' weights, divided by its total. The weights are constants: no
    gradient flows through them. A selection has no gradient either, so the indexer learns from this
    loss alone.

    Args:
        scores: scores I of the indexer.
        weights: attention weights of the heads.
        chosen: the keys to compare, True for each; broadcasts to the scores. While attention is
            dense, these are all keys that the mask allows, and later the selected ones.

    Returns:
        The mean divergence of a query in nats; a query without keys counts as 0.

    Raises:
        ValueError: ``chosen`` is invalid (see :func:`plainformer.masks.check`).

    Cost: a few operations for each weight.

    Ref: DeepSeek-AI 2025 (DeepSeek-V3.2), equations 3 and 4.
    """
    check(chosen, scores)
    target = weights.detach().sum(dim=1, keepdim=True).masked_fill(~chosen, 0)
    target = target / target.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(target.dtype).tiny)
    logs = scores.masked_fill(~chosen, -torch.inf).log_softmax(dim=-1).masked_fill(~chosen, 0)
    each = F.kl_div(logs, target, reduction="none").sum(dim=-1)
    return each.mean()


def select(
    scores: Float[Tensor, "b s q n"],
    count: Whole,
    mask: Tensor | Rule | None = None,
    *,
    block: Whole = 1,
    keys: Whole | None = None,
) -> Bool[Tensor, "b s q k"]:
    """Choose for each query the blocks of keys with the highest scores.

    Args:
        scores: a score for each block; s is 1 if all heads share a selection, or the number g of
            key/value heads.
        count: blocks that are chosen for each query, fewer if the mask allows fewer.
        mask: True where a query may attend to a key, broadcasting to (b, s, q, k); or a rule. A
            block in which all keys are masked is not chosen.
        block: neighbouring keys in a block; the last block may be shorter.
        keys: the number k of keys; n · ``block`` when left out.

    Returns:
        True = chosen and allowed. Among equal scores the earlier block comes first.

    Raises:
        ValueError: the mask is invalid, a score is not finite, ``count`` or ``block`` is below 1,
            or n blocks do not hold the keys.

    Cost: a sort of n scores for each query.

    Ref: Yuan et al. 2025 (NSA), equation 11; DeepSeek-AI 2025 (DeepSeek-V3.2), equation 2.

    >>> select(torch.tensor([[[[2.0, 5.0, 3.0]]]]), 2).tolist()
    [[[[False, True, True]]]]
    """
    k = scores.shape[-1] * whole(block, "block", least=1) if keys is None else whole(keys, "keys")
    index, seen = _chosen(scores, count, mask, block, k)
    found = torch.zeros(*scores.shape[:3], k + 1, dtype=torch.bool, device=scores.device)
    return found.scatter(-1, index.masked_fill(~seen, k), seen)[..., :k]


def attend_selected(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    scores: Float[Tensor, "b s q n"],
    mask: Tensor | Rule | None = None,
    *,
    count: Whole,
    block: Whole = 1,
    score: Score = scaled_dot,
) -> Float[Tensor, "b h q e"]:
    """Attend from each query to the ``count`` blocks of keys that have the highest scores.

    The result is that of :func:`~plainformer.attention.attend_heads` under the mask of
    :func:`select`, but without computing the products of the other keys. All heads that share keys
    share their selection, so the chosen keys of a query are read once for the whole group.

    Args:
        query: h heads of queries; with q < k they are the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        scores: a score for each block of keys, for each query; s is 1 or g. They decide which keys
            are read, and get no gradient (see :func:`index_loss`).
        mask: True where a query may attend to a key, broadcasting to (b, s, q, k); or a rule.
        count: blocks that each query attends to, fewer if the mask allows fewer.
        block: neighbouring keys in a block; the last block may be shorter.
        score: how a query and a key are compared.

    Returns:
        One vector of width e for each head and query; zeros for a fully masked query.

    Raises:
        ValueError: query, key and value do not match each other, or the selection is invalid (see
            :func:`select`).

    Cost: h·q·c·(d + e) multiplications and g·q·c·(d + e) numbers of memory, where c is
    ``count`` · ``block``; and the selection.

    Ref: Yuan et al. 2025 (NSA), equations 11 and 12; DeepSeek-AI 2025 (DeepSeek-V3.2), equation 2.
    """
    check_inputs(query, key, value)
    b, g, k = key.shape[:3]
    if scores.ndim != 4 or scores.shape[:3] not in [(b, s, query.shape[2]) for s in (1, g)]:
        raise ValueError(
            f"scores of shape {tuple(scores.shape)}: expected (b, s, q, n) = ({b}, 1 or {g}, "
            f"{query.shape[2]}, blocks), one selection for all heads or for each key/value head"
        )
    index, seen = (x.expand(-1, g, -1, -1) for x in _chosen(scores, count, mask, block, k))
    row = torch.arange(b, device=key.device)[:, None, None, None]
    head = torch.arange(g, device=key.device)[:, None, None]
    near, read = key[row, head, index], value[row, head, index]  # (b, g, q, c, d or e)
    # The heads of a group become the rows of one matrix, because they read the same keys.
    group = rearrange(query, "b (g r) q d -> b g q r d", g=g)
    weights = softmax(score(group, near), seen[..., None, :]).to(query.dtype)
    return rearrange(weights @ read, "b g q r e -> b (g r) q e")


def _chosen(
    scores: Tensor, count: object, mask: Tensor | Rule | None, block: object, k: int
) -> tuple[Int[Tensor, "b s q c"], Bool[Tensor, "b s q c"]]:
    """Return the chosen keys of each query, and which of them the mask allows."""
    count, block = whole(count, "count", least=1), whole(block, "block", least=1)
    b, s, q, n = scores.shape
    if n != -(-k // block):
        raise ValueError(f"scores of {n} blocks: expected {-(-k // block)}, {k} keys by {block}")
    if not scores.isfinite().all():
        raise ValueError("scores: expected finite numbers; hide keys by the mask")
    allowed = torch.ones(b, s, q, k, dtype=torch.bool, device=scores.device)
    mask, _ = written_out(mask, None, q, k, scores.device)
    if mask is not None:
        check(mask, allowed)
        allowed = allowed & mask
    allowed = F.pad(allowed, (0, n * block - k))
    possible = allowed.reshape(b, s, q, n, block).any(dim=-1)
    ranked = scores.detach().masked_fill(~possible, -torch.inf)
    best = ranked.sort(dim=-1, descending=True, stable=True).indices[..., :count]
    index = (best[..., None] * block + torch.arange(block, device=best.device)).flatten(-2)
    return index.clamp_max(max(k - 1, 0)), allowed.gather(-1, index)
