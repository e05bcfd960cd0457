"""Sinusoidal positions: a vector of sines and cosines for each position."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.positions.rotary import angles_of, frequencies_of


class Sinusoidal(nn.Module):
    r"""Return a vector of sines and cosines for each position, with decreasing frequencies.

    .. math:: p_{t,2i} = \sin(t\, c^{-2i/m}), \quad p_{t,2i+1} = \cos(t\, c^{-2i/m})

    Nothing is learned, and there is no last position. If the width is odd, the last sine has no
    cosine.

    Args:
        width: model width m.
        base: c; the larger, the slower the last components change.

    Raises:
        ValueError: the width is below 1, or the base not above 1.

    Cost: one sine or cosine for each component; no parameters.

    Ref: Vaswani et al. 2017, section 3.5.

    >>> Sinusoidal(4)(torch.tensor([0, 1])).round(decimals=2).tolist()[0]
    [0.0, 1.0, 0.0, 1.0]
    """

    like: Tensor

    def __init__(self, width: int, base: float | int = 10_000.0) -> None:
        super().__init__()
        if width < 1:
            raise ValueError(f"width={width}: a width is at least 1")
        self.width = width
        # Not a buffer: module.bfloat16() would round it.
        self.frequencies = frequencies_of(width, base)
        # Empty: it follows the module's dtype and device, which the vectors then get.
        self.register_buffer("like", torch.empty(0), persistent=False)

    def forward(self, positions: Tensor) -> Float[Tensor, "*shape m"]:
        """Return the vectors of ``positions``, (q,) or (b, q), in the dtype of the module.

        Raises:
            ValueError: the positions have another shape.
        """
        angles = angles_of(positions, self.frequencies)
        both = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return both[..., : self.width].to(self.like)
