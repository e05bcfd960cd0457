"""Where the norm stands around a sublayer: before it, after it, on both sides, or deep.

Each class wraps one sublayer's call: ``residual(x, sublayer)``, where ``sublayer`` is a function
from (b, q, m) to (b, q, m).
"""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

Sublayer = Callable[[Tensor], Tensor]
# From a model width to a norm: plainformer.norms.RMSNorm, or functools.partial(LayerNorm, eps=…).
MakeNorm = Callable[[int], nn.Module]


class PreNorm(nn.Module):
    r"""Normalise what the sublayer reads: :math:`x + f(\operatorname{norm}(x))`.

    Args:
        norm: makes a norm of a width.
        width: model width m.
        dropout: share of the sublayer's output that is dropped while training.

    Cost: one norm and one addition.

    Ref: Xiong et al. 2020, figure 1 (b).
    """

    def __init__(self, norm: MakeNorm, width: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = norm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Add to ``x`` what ``sublayer`` makes of its norm."""
        y: Tensor = x + self.dropout(sublayer(self.norm(x)))
        return y


class PostNorm(nn.Module):
    r"""Normalise the sum: :math:`\operatorname{norm}(\alpha x + f(x))`.

    With :math:`\alpha = 1` this is the first transformer's. DeepNorm takes a larger
    :math:`\alpha`, which :func:`deepnorm` computes from the depth.

    Args:
        norm: makes a norm of a width.
        width: model width m.
        dropout: share of the sublayer's output that is dropped while training.
        alpha: how much the input counts.

    Cost: one norm and one addition.

    Ref: Vaswani et al. 2017, section 3.1; Wang et al. 2022 (DeepNet), equation 1.
    """

    def __init__(
        self, norm: MakeNorm, width: int, *, dropout: float = 0.0, alpha: float = 1.0
    ) -> None:
        super().__init__()
        self.norm = norm(width)
        self.dropout = nn.Dropout(dropout)
        self.alpha = alpha

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Return the norm of ``alpha`` times ``x`` plus what ``sublayer`` makes of it."""
        y: Tensor = self.norm(self.alpha * x + self.dropout(sublayer(x)))
        return y


class SandwichNorm(nn.Module):
    r"""Normalise what the sublayer reads and what it writes: :math:`x + n_2(f(n_1(x)))`.

    Args:
        norm: makes a norm of a width.
        width: model width m.
        dropout: share of the sublayer's output that is dropped while training.

    Cost: two norms and one addition.

    Ref: Ding et al. 2021 (CogView), section 2.4.
    """

    def __init__(self, norm: MakeNorm, width: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm, self.after = norm(width), norm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Add to ``x`` the norm of what ``sublayer`` makes of its norm."""
        y: Tensor = x + self.dropout(self.after(sublayer(self.norm(x))))
        return y


def deepnorm(*, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[float, float]]:
    """Return DeepNorm's α (residual) and β (initial weights) for encoder and decoder.

    Args:
        encoder_layers: layers N of the encoder, 0 where there is none.
        decoder_layers: layers M of the decoder, 0 where there is none.

    Returns:
        ``{"encoder": (alpha, beta), "decoder": (alpha, beta)}``, for those that there are.

    Raises:
        ValueError: there is no layer at all, or a negative number of them.

    Ref: Wang et al. 2022 (DeepNet), table 1 and figure 2.

    >>> alpha, beta = deepnorm(encoder_layers=0, decoder_layers=8)["decoder"]
    >>> round(alpha, 6), round(beta, 6)
    (2.0, 0.353553)
    """
    n, m = encoder_layers, decoder_layers
    if min(n, m) < 0 or n + m == 0:
        raise ValueError(f"encoder_layers={n}, decoder_layers={m}: expected at least one layer")
    if m == 0:
        return {"encoder": ((2 * n) ** 0.25, (8 * n) ** -0.25)}
    if n == 0:
        return {"decoder": ((2 * m) ** 0.25, (8 * m) ** -0.25)}
    mixed = n**4 * m
    return {
        "encoder": (0.81 * mixed ** (1 / 16), 0.87 * mixed ** (-1 / 16)),
        "decoder": ((3 * m) ** 0.25, (12 * m) ** -0.25),
    }
