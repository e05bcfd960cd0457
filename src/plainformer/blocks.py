"""One layer of a transformer: its sublayers, and the placement of the norms around them.

:class:`PreNorm`, :class:`PostNorm` and :class:`SandwichNorm` wrap the call of one sublayer:
``residual(x, sublayer)``, where ``sublayer`` is a function from (b, q, m) to (b, q, m).
:class:`Block` wraps self-attention, optional attention to a memory, and a feed-forward.
"""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule

Sublayer = Callable[[Tensor], Tensor]
# From a model width to a norm: plainformer.norms.RMSNorm, or functools.partial(LayerNorm, eps=…).
MakeNorm = Callable[[int], nn.Module]


class PreNorm(nn.Module):
    r"""Normalise the input of the sublayer: :math:`x + f(\operatorname{norm}(x))`.

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
        """Add the output of ``sublayer``, applied to the norm of ``x``, to ``x``."""
        y: Tensor = x + self.dropout(sublayer(self.norm(x)))
        return y


class PostNorm(nn.Module):
    r"""Normalise the sum: :math:`\operatorname{norm}(\alpha x + f(x))`.

    With :math:`\alpha = 1` this is the original transformer's norm. DeepNorm uses a larger
    :math:`\alpha`, which :func:`deepnorm` computes from the depth.

    Args:
        norm: makes a norm of a width.
        width: model width m.
        dropout: share of the sublayer's output that is dropped while training.
        alpha: weight α of the residual.

    Cost: one norm and one addition.

    Ref: Vaswani et al. 2017, section 3.1; Wang et al. 2022 (DeepNet), section 4.1.
    """

    def __init__(
        self, norm: MakeNorm, width: int, *, dropout: float = 0.0, alpha: float = 1.0
    ) -> None:
        super().__init__()
        self.norm = norm(width)
        self.dropout = nn.Dropout(dropout)
        self.alpha = alpha

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Return the norm of ``alpha`` times ``x`` plus the output of ``sublayer``."""
        y: Tensor = self.norm(self.alpha * x + self.dropout(sublayer(x)))
        return y


class SandwichNorm(nn.Module):
    r"""Normalise the input and the output of the sublayer: :math:`x + n_2(f(n_1(x)))`.

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
        """Add the normalised output of ``sublayer``, applied to the norm of ``x``, to ``x``."""
        y: Tensor = x + self.dropout(self.after(sublayer(self.norm(x))))
        return y


def deepnorm(*, encoder_layers: int, decoder_layers: int) -> dict[str, tuple[float, float]]:
    """Return DeepNorm's α (residual) and β (initial weights) for encoder and decoder.

    Args:
        encoder_layers: layers N of the encoder, 0 for a decoder alone.
        decoder_layers: layers M of the decoder, 0 for an encoder alone.

    Returns:
        ``{"encoder": (alpha, beta), "decoder": (alpha, beta)}``, without a stack of 0 layers.

    Raises:
        ValueError: both numbers of layers are 0, or one is negative.

    Ref: Wang et al. 2022 (DeepNet), figure 2 and section 4.3.

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


class Block(nn.Module):
    """Attend to the sequence, then to the memory if given, then transform each position by itself.

    The parts are arguments, so that this class serves as every layer of the course: in an encoder
    or a decoder, with pre-norm or post-norm, with or without a gate.

    Args:
        attention: self-attention, called as
            :meth:`plainformer.multihead.MultiHeadAttention.forward` is.
        feedforward: from (b, q, m) to (b, q, m).
        residual: makes the wrapper of one sublayer, such as
            ``lambda: PreNorm(RMSNorm, d_model)``.
        cross_attention: attention to the memory, in the decoder of an encoder–decoder.

    Cost: that of its parts.

    Ref: Vaswani et al. 2017, figure 1.
    """

    def __init__(
        self,
        *,
        attention: nn.Module,
        feedforward: nn.Module,
        residual: Callable[[], nn.Module],
        cross_attention: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_residual = residual()
        self.cross_attention = cross_attention
        self.cross_residual = None if cross_attention is None else residual()
        self.feedforward = feedforward
        self.feedforward_residual = residual()

    def forward(
        self,
        x: Float[Tensor, "b q m"],
        memory: Float[Tensor, "b k n"] | None = None,
        mask: Tensor | Rule | None = None,
        *,
        memory_mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        bias: Tensor | Bias | None = None,
        cache: LayerCache | None = None,
        memory_cache: LayerCache | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Pass the residual stream through the layer.

        Args:
            x: the residual stream.
            memory: the encoder's output; required with cross-attention.
            mask: which positions of ``x`` a query may attend to.
            memory_mask: which positions of the memory a query may attend to.
            positions: (q,) or (b, q), the positions of ``x``.
            bias: added to the scores of self-attention.
            cache: keys and values of earlier positions.
            memory_cache: keys and values of the memory.

        Raises:
            ValueError: a memory is given without cross-attention, or is missing with it.
        """
        if (memory is None) != (self.cross_attention is None):
            has, given = self.cross_attention is not None, memory is not None
            raise ValueError(
                f"cross-attention: {has}, memory given: {given}; expected both or none"
            )

        def attend(y: Tensor) -> Tensor:
            out: Tensor = self.attention(y, None, mask, positions=positions, bias=bias, cache=cache)
            return out

        def look(y: Tensor) -> Tensor:
            assert self.cross_attention is not None
            out: Tensor = self.cross_attention(y, memory, memory_mask, cache=memory_cache)
            return out

        x = self.attention_residual(x, attend)
        if self.cross_residual is not None:
            x = self.cross_residual(x, look)
        x = self.feedforward_residual(x, self.feedforward)
        return x
