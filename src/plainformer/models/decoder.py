"""The decoder: a language model that predicts the next token."""

from collections.abc import Sequence

from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.initial import initialise
from plainformer.models.parts import depth_of
from plainformer.models.stack import Stack


class Decoder(Stack):
    """Predict, at each position, the token that follows.

    Args:
        config: what the model is made of.
        cross: whether its layers also attend to a memory, as in an encoder–decoder.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: for each position about one multiplication for each parameter of the blocks and the
    output, and attention's 2·k·m in each layer.

    Ref: Radford et al. 2019 (GPT-2), section 2.3; Touvron et al. 2023 (Llama), section 2.2.
    """

    def __init__(self, config: Config, *, cross: bool = False) -> None:
        depth = depth_of(
            config,
            role="decoder",
            encoder=(config.n_encoder_layers or config.n_layers) if cross else 0,
            decoder=config.n_layers,
            sublayers=(3 if cross else 2) * config.n_layers,
        )
        super().__init__(config, n_layers=config.n_layers, cross=cross, alpha=depth.alpha)
        self.output = nn.Linear(config.d_model, config.vocabulary, bias=False)
        if config.tied:
            self.output.weight = self.embedding.weight
        initialise(self, depth)

    def forward(
        self,
        tokens: Int[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        causal: bool | None = None,
        positions: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
        memory: Float[Tensor, "b k m"] | None = None,
        memory_mask: Tensor | Rule | None = None,
        memory_caches: Sequence[LayerCache] | None = None,
        trusted: bool = False,
    ) -> Float[Tensor, "b q v"]:
        """Return the logits of the token after each position.

        Args:
            tokens: token numbers; after earlier ones where there are caches.
            mask: what is hidden besides what is later, such as padding: a tensor, True = may
                look, broadcasting to (b, h, q, k), or a rule; see ``visible``.
            causal: False lets positions look ahead where the mask allows it, as a prefix does.
            positions: (q,) or (b, q), where the tokens stand; what follows the caches when left
                out. Sequences padded on the left count from their first real token.
            caches: one for each layer; the tokens' keys and values are appended.
            memory: what the encoder made, where the layers attend to a memory.
            memory_mask: who may look at what in the memory.
            memory_caches: one for each layer, for the memory's keys and values.
            trusted: whether the tokens are known to be in the vocabulary.

        Raises:
            ValueError: a token is outside the vocabulary, the mask is unfit, the sequence is
                longer than the context, or there is not one cache for each layer.
        """
        x = self.hidden(
            tokens,
            mask=mask,
            causal=causal,
            positions=positions,
            caches=caches,
            memory=memory,
            memory_mask=memory_mask,
            memory_caches=memory_caches,
            trusted=trusted,
        )
        return self.logits(x)

    def logits(self, hidden: Float[Tensor, "b q m"]) -> Float[Tensor, "b q v"]:
        """Return the logits of normalised vectors, such as the last of each sequence.

        Args:
            hidden: what ``hidden`` returned, or some of its positions.
        """
        scale = self.config.output_scale
        logits: Tensor = self.output(hidden if scale == 1 else hidden * scale)
        return logits
