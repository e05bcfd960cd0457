"""Feed-forward networks, which transform each position by itself."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

Activation = Callable[[Tensor], Tensor]


def gelu_tanh(x: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    """Approximate GELU with a tanh, as GPT-2 does.

    Cost: one tanh for each number.

    Ref: Hendrycks and Gimpel 2016, section 2.
    """
    return F.gelu(x, approximate="tanh")


class FeedForward(nn.Module):
    r"""Widen, apply a nonlinearity, narrow: :math:`W_2\, \sigma(W_1 x + b_1) + b_2`.

    Args:
        d_model: model width m.
        d_ff: inner width f; four times ``d_model`` when left out.
        activation: σ, such as ``torch.relu`` or ``torch.nn.functional.gelu``.
        bias: whether both layers add a bias.

    Raises:
        ValueError: a width is below 1.

    Cost: 2·m·f multiplications for each position; the same number of parameters.

    Ref: Vaswani et al. 2017, equation 2.
    """

    def __init__(
        self,
        *,
        d_model: int,
        d_ff: int | None = None,
        activation: Activation = torch.relu,
        bias: bool = True,
    ) -> None:
        super().__init__()
        d_ff = _width(d_model, 4 * d_model if d_ff is None else d_ff)
        self.activation = activation
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch m"]) -> Float[Tensor, "*batch m"]:
        """Transform each position by itself."""
        y: Tensor = self.down(self.activation(self.up(x)))
        return y


class GatedFeedForward(nn.Module):
    r"""Multiply one widened half by the other, its gate: :math:`W_2\,(\sigma(W_g x) \odot W_1 x)`.

    With SiLU for σ this is SwiGLU, with GELU it is GeGLU.

    Args:
        d_model: model width m.
        d_ff: inner width f; 8/3 of ``d_model`` rounded up to a multiple of 8 when left out, so that
            the three matrices have as many parameters as the two of :class:`FeedForward`.
        activation: σ, such as ``torch.nn.functional.silu``.
        bias: whether the three layers add a bias.

    Raises:
        ValueError: a width is below 1.

    Cost: 3·m·f multiplications for each position; the same number of parameters.

    Ref: Shazeer 2020, equations 5 and 6.
    """

    def __init__(
        self,
        *,
        d_model: int,
        d_ff: int | None = None,
        activation: Activation = F.silu,
        bias: bool = False,
    ) -> None:
        super().__init__()
        d_ff = _width(d_model, -(-d_model // 3) * 8 if d_ff is None else d_ff)
        self.activation = activation
        self.gate = nn.Linear(d_model, d_ff, bias=bias)
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch m"]) -> Float[Tensor, "*batch m"]:
        """Transform each position by itself."""
        y: Tensor = self.down(self.activation(self.gate(x)) * self.up(x))
        return y


def _width(d_model: int, d_ff: int) -> int:
    if d_model < 1 or d_ff < 1:
        raise ValueError(f"d_model={d_model}, d_ff={d_ff}: a width is at least 1")
    return d_ff
