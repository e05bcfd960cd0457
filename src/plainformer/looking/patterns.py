"""Scores that distinguish kinds of heads. Weights are (b, h, q, k), those of one layer."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def entropy(weights: Float[Tensor, "b h q k"]) -> Float[Tensor, "h"]:
    """Return the entropy of each head's weights, in nats: 0 for one key, ln k for equal weights.

    Args:
        weights: attention weights; rows of zeros count as 0.

    Cost: one logarithm for each weight.

    Ref: Shannon 1948, section 6.
    """
    return -torch.xlogy(weights, weights).sum(dim=-1).mean(dim=(0, 2))


def distance(weights: Float[Tensor, "b h q k"]) -> Float[Tensor, "h"]:
    """Return the mean distance of the keys that each head attends to, in positions.

    Args:
        weights: attention weights of the last q of k positions; keys before a query have a positive
            distance, those after it a negative one.

    Cost: one multiplication for each weight.
    """
    return (weights * _gaps(weights)).sum(dim=-1).mean(dim=(0, 2))


def previous_token(weights: Float[Tensor, "b h q k"]) -> Float[Tensor, "h"]:
    """Return the mean weight of each head on the previous position.

    Args:
        weights: attention weights of the last q of k positions; a query without a previous position
            is skipped.

    Cost: one pass over the weights.

    Ref: Elhage et al. 2021, "previous token heads".
    """
    return _mean_where(weights, (_gaps(weights) == 1).expand_as(weights))


def first_token(weights: Float[Tensor, "b h q k"]) -> Float[Tensor, "h"]:
    """Return the mean weight of each head on the first position, the usual attention sink.

    Args:
        weights: attention weights of the last q of k positions; the query at the first position is
            skipped.

    Cost: one pass over the weights.

    Ref: Xiao et al. 2024, section 3.1.
    """
    gaps = _gaps(weights)
    first = torch.arange(weights.shape[-1], device=weights.device) == 0
    return _mean_where(weights, (first & (gaps > 0)).expand_as(weights))


def induction(weights: Float[Tensor, "b h q q"], tokens: Int[Tensor, "b q"]) -> Float[Tensor, "h"]:
    """Return the mean weight of each head on the token after the last occurrence of its token.

    Args:
        weights: attention weights over the tokens themselves.
        tokens: the tokens; a query whose token did not occur before is skipped.

    Returns:
        The mean weight on the token after the latest earlier occurrence; 0 if no token occurs
        twice.

    Cost: b·q² comparisons.

    Ref: Olsson et al. 2022, "induction heads".
    """
    n = tokens.shape[1]
    earlier = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril(-1)
    same = (tokens[:, :, None] == tokens[:, None, :]) & earlier
    places = torch.arange(n, device=tokens.device)
    latest = torch.where(same, places, -1).amax(dim=-1)
    target = (places == latest[..., None] + 1) & (latest[..., None] >= 0)
    return _mean_where(weights, target[:, None].expand_as(weights))


def marked(weights: Float[Tensor, "b h q k"], keys: Bool[Tensor, "b k"]) -> Float[Tensor, "h"]:
    """Return the mean weight of each head on marked keys, such as the full stops.

    Args:
        weights: attention weights of the last q of k positions.
        keys: True for marked keys; a query with no marked key at or before it is skipped.

    Cost: one pass over the weights.

    Ref: Clark et al. 2019, section 3.2 (heads that rest on separators).
    """
    seen = keys[:, None] & (_gaps(weights) >= 0)
    return _mean_where(weights, seen[:, None].expand_as(weights))


def _gaps(weights: Tensor) -> Tensor:
    q, k = weights.shape[-2:]
    places = torch.arange(k, device=weights.device)
    return places[k - q :, None] - places


def _mean_where(weights: Tensor, target: Tensor) -> Tensor:
    counted = target.any(dim=-1)
    total = (weights * target).sum(dim=(0, 2, 3))
    mean: Tensor = total / counted.sum(dim=(0, 2)).clamp_min(1)
    return mean
