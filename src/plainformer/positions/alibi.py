"""ALiBi: each head's scores decrease by a fixed amount per step of distance."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Alibi(nn.Module):
    r"""Subtract from each score the distance of query and key, times the head's slope.

    .. math:: B_{hqk} = -s_h\, |q - k|

    Nothing is learned. Heads with steep slopes attend nearby, heads with flat slopes far.
    ``slopes`` (h,) is the decrease of each head's scores per step.

    Args:
        n_heads: query heads h; any number.

    Raises:
        ValueError: ``n_heads`` is below 1.

    Cost: h·q·k multiplications and the same number of floats in memory; fast back ends read the
    slopes instead.

    Ref: Press et al. 2022, section 3; the authors' code for numbers that are not a power of two.

    >>> Alibi(8).slopes.tolist()[:3]
    [0.5, 0.25, 0.125]
    """

    by_distance = True

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        if n_heads < 1:
            raise ValueError(f"n_heads={n_heads}: expected at least 1")
        # Not a buffer: module.bfloat16() would round it.
        self.slopes = torch.tensor(slopes_of(n_heads), dtype=torch.float32, device="cpu")

    def forward(
        self, q_positions: Tensor, k_positions: Tensor
    ) -> Float[Tensor, "h q k"] | Float[Tensor, "b h q k"]:
        """Return the bias for the scores of ``q_positions`` against ``k_positions``.

        Positions are (q,) and (k,), or one row for each sequence, (b, q) and (b, k).
        """
        self.slopes = self.slopes.to(q_positions.device)
        distance = (q_positions[..., :, None] - k_positions[..., None, :]).abs()
        return -self.slopes[:, None, None] * distance.unsqueeze(-3)


def slopes_of(n_heads: int) -> list[float]:
    """Return the slope of each head.

    For a power of two they are ``2^(-8/h)``, its square, its cube and so on. Otherwise the slopes
    of the power of two below, then every other slope of the one above.

    Args:
        n_heads: query heads h.

    Ref: Press et al. 2022, section 3.

    >>> slopes_of(3)
    [0.0625, 0.00390625, 0.25]
    """
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2 ** (-8 * i / below) for i in range(1, below + 1)]
    return slopes + [2 ** (-4 * i / below) for i in range(1, 2 * (n_heads - below), 2)]
