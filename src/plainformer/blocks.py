"""One layer of a transformer: attention, perhaps attention to a memory, and a feed-forward."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule


class Block(nn.Module):
    """Attend, look at the memory where there is one, then transform each position by itself.

    The parts come from outside, so that one class is every layer of this course: an encoder's,
    a decoder's, pre-norm or post-norm, gated or not.

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
            memory: what the encoder made; needed where there is cross-attention.
            mask: who may look at whom in ``x``.
            memory_mask: who may look at what in the memory.
            positions: (q,) or (b, q), where ``x`` stands.
            bias: added to the scores of self-attention.
            cache: keys and values of earlier positions.
            memory_cache: keys and values of the memory.

        Raises:
            ValueError: a memory is given and there is no cross-attention, or the reverse.
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
