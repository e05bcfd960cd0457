"""Learned positions: one vector for each position up to the end of the context."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.positions.rotary import check_positions


class Learned(nn.Module):
    """Look up one learned vector for each position.

    Args:
        context: number of positions.
        width: model width m.

    Raises:
        ValueError: a size is below 1.

    Cost: context · m parameters; one row read for each position.

    Ref: Gehring et al. 2017, section 3.1; Devlin et al. 2019, figure 2.
    """

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        if context < 1 or width < 1:
            raise ValueError(f"context={context}, width={width}: both must be at least 1")
        self.weight = nn.Parameter(torch.empty(context, width))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, positions: Tensor) -> Float[Tensor, "*shape m"]:
        """Return the vectors of ``positions``, (q,) or (b, q).

        Raises:
            ValueError: a position is outside the context, or the shape is wrong.
        """
        check_positions(positions, whole=True)
        context = self.weight.shape[0]
        if positions.numel():
            low, high = torch.stack(positions.aminmax()).tolist()  # one wait for the device
            if low < 0 or high >= context:
                raise ValueError(
                    f"positions {low}..{high} do not fit a context of {context}: learned "
                    "positions are 0 to the context's end; shorten the input"
                )
        return self.weight[positions]
