"""Models of one stack: an encoder, a masked language model (an encoder with a head), a decoder."""

from collections.abc import Sequence

from jaxtyping import Float, Integer
from torch import Tensor, nn

from plainformer.cache.base import LayerCache
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.initial import depth_of, initialise
from plainformer.models.layers import ACTIVATION, choose, norm_of
from plainformer.models.lengths import taken_back
from plainformer.models.mixed import one_dtype
from plainformer.models.stack import Stack


class Encoder(Stack):
    """Turn each token into a vector that depends on its context on both sides.

    Args:
        config: configuration of the model.
        feeds: whether a decoder attends to its output.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: for each position about one multiplication for each parameter of the blocks, and
    attention's 2·k·m in each layer.

    Ref: Vaswani et al. 2017, section 3.1; Devlin et al. 2019 (BERT), section 3.
    """

    def __init__(self, config: Config, *, feeds: bool = False) -> None:
        n_layers = config.n_encoder_layers or config.n_layers
        depth = depth_of(
            config,
            role="encoder",
            encoder=n_layers,
            decoder=config.n_layers if feeds else 0,
            sublayers=2 * n_layers,
        )
        super().__init__(config, n_layers=n_layers, causal=False, alpha=depth.alpha)
        initialise(self, depth)

    def forward(
        self,
        tokens: Integer[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        types: Integer[Tensor, "b q"] | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Return the last layer's normalised output at each position.

        Args:
            tokens: token numbers.
            mask: which positions a query may attend to; all, within the configuration's window,
                when left out. Padding is hidden by ``Rule(causal=False, lengths=…)``, or
                ``starts=…`` if it is on the left.
            positions: (q,) or (b, q), positions of the tokens; 0, 1, … when left out. Sequences
                padded on the left count from their first real token if the mask is a
                ``Rule(starts=…)``; with a mask that is a tensor, give the positions, too.
            types: the type of each token; 0 when left out.

        Raises:
            ValueError: a token or a type is unknown, or the sequence is longer than the context.
        """
        return self.hidden(tokens, mask=mask, positions=positions, types=types)


class MaskedLanguageModel(nn.Module):
    """Predict the token at each position from the context on both sides.

    The head is one more layer, a norm, and an output with a bias of its own.

    Args:
        config: configuration of the model.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: that of the encoder, and m² + m·v multiplications for each position.

    Ref: Devlin et al. 2019 (BERT), section 3.1, task 1.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.transform = nn.Linear(config.d_model, config.d_model)
        self.activation = choose(ACTIVATION, config.feedforward, "feedforward")
        self.norm = norm_of(config)(config.d_model)
        self.output = nn.Linear(config.d_model, config.vocabulary)
        for layer in (self.transform, self.output):
            initialise(layer)
        if config.tied:
            self.output.weight = self.encoder.embedding.weight

    def forward(
        self,
        tokens: Integer[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        types: Integer[Tensor, "b q"] | None = None,
    ) -> Float[Tensor, "b q v"]:
        """Return the logits of the token at each position.

        Args:
            tokens: token numbers, some of them the mask token's.
            mask: which positions a query may attend to; all when left out (see :class:`Encoder`).
            positions: (q,) or (b, q), positions of the tokens.
            types: the type of each token; 0 when left out.

        Raises:
            ValueError: a token or a type is unknown, or the sequence is longer than the context.
        """
        x = self.encoder(tokens, mask=mask, positions=positions, types=types)
        x = self.norm(self.activation(self.transform(x)))
        scale = self.config.output_scale
        logits: Tensor = self.output(x if scale == 1 else x * scale)
        return logits


class Decoder(Stack):
    """Predict, at each position, the token that follows.

    Args:
        config: configuration of the model.
        cross: whether its layers also attend to a memory, as in an encoder–decoder.

    Raises:
        ValueError: a name in the configuration is unknown, the sizes do not fit, or
            ``n_encoder_layers`` is given without ``cross``.

    Cost: for each position about one multiplication for each parameter of the blocks and the
    output, and attention's 2·k·m in each layer.

    Ref: Radford et al. 2019 (GPT-2), section 2.3; Touvron et al. 2023 (Llama), section 2.2.
    """

    def __init__(self, config: Config, *, cross: bool = False) -> None:
        if config.n_encoder_layers is not None and not cross:
            raise ValueError(
                f"n_encoder_layers={config.n_encoder_layers}: a Decoder alone has no encoder; "
                "leave it out, or use an EncoderDecoder"
            )
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
        tokens: Integer[Tensor, "b q"],
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
            tokens: token numbers; with caches, those after the earlier ones.
            mask: hides positions in addition to later ones, such as padding: a tensor, True where a
                query may attend to a key, broadcasting to (b, h, q, k), or a rule; see ``visible``.
            causal: False lets positions attend to later ones if the mask allows it, as for a
                prefix.
            positions: (q,) or (b, q), positions of the tokens; by default they follow the caches.
                Sequences padded on the left count from their first real token if the mask is a
                ``Rule(starts=…)``; with a mask that is a tensor, give the positions, too.
            caches: one for each layer; the tokens' keys and values are appended.
            memory: the encoder's output, if the layers attend to a memory.
            memory_mask: which positions of the memory a query may attend to.
            memory_caches: one for each layer, for the memory's keys and values.
            trusted: whether the tokens are known to be in the vocabulary.

        Raises:
            ValueError: a token is outside the vocabulary, the mask is invalid, the sequence is
                longer than the context, or the number of caches is not the number of layers.
        """
        with taken_back(caches, memory_caches):
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
            hidden: the output of ``hidden``, or some of its positions.
        """
        scale = self.config.output_scale
        with one_dtype(self):
            logits: Tensor = self.output(hidden if scale == 1 else hidden * scale)
        return logits
