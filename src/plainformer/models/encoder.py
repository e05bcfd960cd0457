"""The encoder: every position sees the whole sequence."""

from jaxtyping import Float, Int
from torch import Tensor

from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.initial import initialise
from plainformer.models.parts import depth_of
from plainformer.models.stack import Stack


class Encoder(Stack):
    """Turn each token into a vector that knows its neighbours on both sides.

    Args:
        config: what the model is made of.
        feeds: whether a decoder looks at what it makes.

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
        tokens: Int[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        types: Int[Tensor, "b q"] | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Return the last layer's normalised output at each position.

        Args:
            tokens: token numbers.
            mask: who may look at whom; everybody, within the configuration's window, when left
                out. Padding is hidden by ``Rule(causal=False, lengths=…)``, or ``starts=…`` where
                it stands on the left.
            positions: (q,) or (b, q), where the tokens stand; 0, 1, … when left out. Sequences
                padded on the left count from their first real token.
            types: the kind of each token; 0 when left out.

        Raises:
            ValueError: a token or a type is unknown, or the sequence is longer than the context.
        """
        return self.hidden(tokens, mask=mask, positions=positions, types=types)
