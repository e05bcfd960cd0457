"""The encoder–decoder: one sequence is read, another one written."""

from collections.abc import Sequence

from jaxtyping import Float, Integer
from torch import Tensor, nn

from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.one_stack import Decoder, Encoder


class EncoderDecoder(nn.Module):
    """Read a source once, then predict each token of a target, looking at the source.

    Encoder and decoder share the embeddings of tokens.

    Args:
        config: what the model is made of.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: the encoder's once for each source; the decoder's for each target position, and its
    attention to the memory, 2·k·m in each layer.

    Ref: Vaswani et al. 2017, section 3.1; Raffel et al. 2020 (T5), section 2.1.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, feeds=True)
        self.decoder = Decoder(config, cross=True)
        self.decoder.embedding = self.encoder.embedding
        if config.tied:
            self.decoder.output.weight = self.encoder.embedding.weight

    def forward(
        self,
        source: Integer[Tensor, "b k"],
        target: Integer[Tensor, "b q"],
        *,
        source_mask: Tensor | Rule | None = None,
        mask: Tensor | Rule | None = None,
    ) -> Float[Tensor, "b q v"]:
        """Return the logits of the token after each position of the target.

        Args:
            source: token numbers of what is read.
            target: token numbers of what was written so far.
            source_mask: what may be looked at in the source: ``Rule(causal=False, lengths=…)``
                or ``Rule(causal=False, starts=…)`` where it is padded; all of it when left out.
            mask: what is hidden in the target besides what is later, such as its padding.

        Raises:
            ValueError: a token is unknown, or a sequence is longer than the context.
        """
        memory = self.encode(source, mask=source_mask)
        return self.decode(target, memory, memory_mask=source_mask, mask=mask)

    def encode(
        self,
        source: Integer[Tensor, "b k"],
        *,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
    ) -> Float[Tensor, "b k m"]:
        """Return the memory: a vector for each position of the source.

        Args:
            source: token numbers.
            mask: what may be looked at; everything when left out.
            positions: (k,) or (b, k), where the tokens stand.

        Raises:
            ValueError: a token is unknown, or the source is longer than the context.
        """
        memory: Tensor = self.encoder(source, mask=mask, positions=positions)
        return memory

    def decode(
        self,
        target: Integer[Tensor, "b q"],
        memory: Float[Tensor, "b k m"],
        *,
        memory_mask: Tensor | Rule | None = None,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
        memory_caches: Sequence[LayerCache] | None = None,
        trusted: bool = False,
    ) -> Float[Tensor, "b q v"]:
        """Return the logits of the token after each position of the target.

        Args:
            target: token numbers; after earlier ones where there are caches.
            memory: what :meth:`encode` returned.
            memory_mask: what may be looked at in the memory: the source's rule, of which only
                the padding counts here, or a mask that broadcasts to (b, h, q, k).
            mask: what is hidden in the target besides what is later, such as its padding.
            positions: (q,) or (b, q), where the tokens stand.
            caches: one for each layer, for the target's keys and values.
            memory_caches: one for each layer, for the memory's; computed at the first call.
            trusted: whether the tokens are known to be in the vocabulary.

        Raises:
            ValueError: a token is unknown, the target is longer than the context, or there is
                not one cache for each layer.
        """
        if isinstance(memory_mask, Rule):  # target and memory share no positions: padding counts
            memory_mask = memory_mask.padding()
        logits: Tensor = self.decoder(
            target,
            mask=mask,
            positions=positions,
            caches=caches,
            memory=memory,
            memory_mask=memory_mask,
            memory_caches=memory_caches,
            trusted=trusted,
        )
        return logits
