"""A learned score for each distance, far ones sharing a bucket."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class RelativeBias(nn.Module):
    """Add to each score a learned number that depends on the distance and the head.

    Near distances have a bucket each; farther ones share buckets that grow with the logarithm,
    and all from ``max_distance`` on share the last.

    Args:
        n_heads: query heads h.
        buckets: how many numbers each head learns.
        max_distance: from here on all distances are alike.
        bidirectional: whether keys after the query have half of the buckets (an encoder), or are
            all alike to their own position (a decoder, which does not see them).

    Raises:
        ValueError: a size is below 1, there are too few buckets, or ``max_distance`` lies within
            those of one distance each.

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
        """Return what is added to the scores of ``q_positions`` against ``k_positions``.

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
    """Say which bucket a distance falls into.

    Args:
        ahead: how far the key stands ahead of the query; negative = before it.
        buckets: how many there are.
        max_distance: from here on all distances share the last bucket.
        bidirectional: whether keys ahead have the second half of the buckets.

    Cost: one logarithm for each pair, in float32 as the published models took it: on the edge of
    two buckets the rounding decides.

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
