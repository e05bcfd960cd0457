"""A learned bias for each distance, with buckets for long ones."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class RelativeBias(nn.Module):
    """Add to each score a learned number that depends on the distance and the head.

    Each short distance has its own bucket; longer ones share buckets that grow logarithmically, and
    all from ``max_distance`` on share the last.

    Args:
        n_heads: query heads h.
        buckets: number of learned numbers per head.
        max_distance: distance from which on all are treated alike.
        bidirectional: whether keys after the query have half of the buckets (an encoder), or share
            the bucket of the query's own position (a decoder, which masks them).

    Raises:
        ValueError: a size is below 1, there are too few buckets, or ``max_distance`` is within the
            distances that have their own bucket.

    Cost: buckets · h parameters; h·q·k numbers of memory for each call.

    Ref: Raffel et al. 2020 (T5), section 2.1.
    """

    by_distance = True

    def __init__(
        self,
        n_heads: int,
        *,
        buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
    ) -> None:
        super().__init__()
        sides = 2 if bidirectional else 1
        if n_heads < 1:
            raise ValueError(f"n_heads={n_heads}: expected at least 1")
        if buckets % sides or buckets < 2 * sides:
            raise ValueError(
                f"buckets={buckets}, bidirectional={bidirectional}: expected at least 2 for each "
                "side, and an even number for two sides"
            )
        if max_distance <= buckets // sides // 2:
            raise ValueError(
                f"max_distance={max_distance}: the first {buckets // sides // 2} distances have a "
                "bucket each; expected more than that"
            )
        self.max_distance, self.bidirectional = max_distance, bidirectional
        self.weight = nn.Parameter(torch.empty(buckets, n_heads))
        nn.init.normal_(self.weight, std=0.02)

    def forward(
        self, q_positions: Tensor, k_positions: Tensor
    ) -> Float[Tensor, "h q k"] | Float[Tensor, "b h q k"]:
        """Return the bias for the scores of ``q_positions`` against ``k_positions``.

        Positions are (q,) and (k,), or one row for each sequence, (b, q) and (b, k).
        """
        ahead = k_positions[..., None, :] - q_positions[..., :, None]
        bucket = bucket_of(
            ahead,
            buckets=self.weight.shape[0],
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
        return self.weight[bucket].movedim(-1, -3)


def bucket_of(
    ahead: Int[Tensor, "*shape"], *, buckets: int, max_distance: int, bidirectional: bool
) -> Int[Tensor, "*shape"]:
    """Return the bucket of a distance.

    Args:
        ahead: position of the key minus that of the query; negative for a key before it.
        buckets: number of buckets.
        max_distance: distance from which on all share the last bucket.
        bidirectional: whether keys after the query have the second half of the buckets.

    Cost: one logarithm for each pair, in float32 as for the published models: between two buckets,
    rounding decides.

    Ref: Raffel et al. 2020 (T5), section 2.1.

    >>> at = torch.tensor([0, -1, -15, -16, -40, -500])
    >>> bucket_of(at, buckets=32, max_distance=128, bidirectional=False).tolist()
    [0, 1, 15, 16, 23, 31]
    """
    if bidirectional:
        buckets //= 2
        side, distance = buckets * (ahead > 0).long(), ahead.abs()
    else:
        side, distance = torch.zeros_like(ahead), (-ahead).clamp_min(0)
    exact = buckets // 2
    ratio = distance.clamp_min(exact).float() / exact
    far = exact + (ratio.log() / math.log(max_distance / exact) * (buckets - exact)).to(ahead.dtype)
    return side + torch.where(distance < exact, distance, far.clamp_max(buckets - 1))
