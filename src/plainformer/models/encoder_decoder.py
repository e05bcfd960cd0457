"""The encoder–decoder: it reads one sequence and generates another."""

from collections.abc import Sequence

from jaxtyping import Float, Integer
from torch import Tensor, nn

from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.one_stack import Decoder, Encoder


class EncoderDecoder(nn.Module):
    """Read a source once, then predict each token of a target, attending to the source.

    Encoder and decoder share the embeddings of tokens.

    Args:
        config: configuration of the model.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: the encoder's once for each source; the decoder's for each target position, plus its
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
            source: token numbers of the source.
            target: token numbers of the target so far.
            source_mask: which positions of the source can be attended to:
                ``Rule(causal=False, lengths=…)`` or ``Rule(causal=False, starts=…)`` if it is
                padded; all when left out.
            mask: hides positions of the target in addition to later ones, such as its padding.

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
            mask: which positions can be attended to; all when left out.
            positions: (k,) or (b, k), positions of the tokens.

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
            target: token numbers; with caches, those after the earlier ones.
            memory: the output of :meth:`encode`.
            memory_mask: which positions of the memory can be attended to: the source's rule, of
                which only the padding is used here, or a mask that broadcasts to (b, h, q, k).
            mask: hides positions of the target in addition to later ones, such as its padding.
            positions: (q,) or (b, q), positions of the tokens.
            caches: one for each layer, for the target's keys and values.
            memory_caches: one for each layer, for the memory's; computed in the first call.
            trusted: whether the tokens are known to be in the vocabulary.

        Raises:
            ValueError: a token is unknown, the target is longer than the context, or the number of
                caches is not the number of layers.
        """
        if isinstance(memory_mask, Rule):  # different positions: only padding applies
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
