"""A bias by distance, for tokens whose positions are given by the caller."""

import torch
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.cache.base import LayerCache
from plainformer.positions.rotary import check_positions


class Placed(nn.Module):
    """Evaluate a bias at given positions, in place of the indices of a row.

    Args:
        bias: a function of the positions of queries and keys.
        positions: (n,) or (b, n), the position of each token of the row.

    Cost: the cost of the bias, and of picking q + k numbers.
    """

    def __init__(self, bias: Bias, positions: Tensor) -> None:
        super().__init__()
        self.bias, self.positions = bias, positions

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the bias of the queries and keys at the indices ``q`` and ``k`` of the row."""
        return self.bias(self.positions[..., q], self.positions[..., k])


def placed(
    bias: Tensor | Bias | None,
    positions: Tensor | None,
    n: int,
    *,
    cache: LayerCache | None = None,
    memory: Tensor | None = None,
) -> Tensor | Bias | None:
    """Return the bias of tokens at given positions; a tensor unchanged.

    A cache counts the tokens that were appended, and a bias by distance does not change if all of a
    sequence is shifted. So with a cache positions may lag behind that count, by the same lag in
    each call; a sequence that is padded on the left begins with zeros (or ones).

    Args:
        bias: added to the scores, or a function of positions that makes it.
        positions: (n,) or (b, n), as given by the caller; None to use the indices.
        n: number of tokens.
        cache: holds the earlier tokens, before the new ones are appended.
        memory: the sequence that is attended to, if it is not the queries' own.

    Raises:
        ValueError: the positions do not match the tokens, or the cache; or there is a memory, whose
            positions are unknown; or there is a cache and the bias does not depend on distance
            alone.

    Cost: one comparison of the positions with those of the cache.
    """
    if bias is None or isinstance(bias, Tensor):
        return bias
    if positions is None:
        if cache is not None and not cache.length:
            cache.lag = None
        return bias
    check_positions(positions, n)
    if memory is not None:
        raise ValueError(
            "positions and a bias that is a function, for a memory whose positions are unknown: "
            "give the bias as a tensor (b, h, q, k), or leave the positions out"
        )
    if cache is None:
        return Placed(bias, positions)
    lag = _lag(positions, n, cache)
    if not cache.length:
        cache.lag = lag
    same = bool((lag == (0 if cache.lag is None else cache.lag)).all())
    if not same or (lag.any() and not getattr(bias, "by_distance", False)):
        raise ValueError(
            f"positions={_shown(positions)} after {cache.length} tokens in the cache: the bias "
            "would count other distances. Leave the positions out, or read the sequence without "
            "a cache"
        )
    return bias


def _lag(positions: Tensor, n: int, cache: LayerCache) -> Tensor:
    """Return the lag of the positions behind the cache's in each sequence."""
    where = getattr(cache, "where", None)
    if where is None:
        own = torch.arange(cache.length, cache.length + n, device=positions.device)
    else:
        own = where().to(positions.device)
    lag = (own - positions)[..., -1:]
    padding = (own < lag) & ((positions == 0) | (positions == 1))
    if not bool(((positions == own - lag) | padding).all()):
        raise ValueError(
            f"positions={_shown(positions)} with a cache and a bias by distance: expected "
            f"positions that count up by one. Leave them out, or read the sequence without a cache"
        )
    return lag


def _shown(positions: Tensor) -> str:
    return f"{positions.tolist()!s:.60}"
