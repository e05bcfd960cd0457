"""A masked language model: an encoder that guesses hidden tokens."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.encoder import Encoder
from plainformer.models.initial import initialise
from plainformer.models.parts import ACTIVATION, choose, norm_of


class MaskedLanguageModel(nn.Module):
    """Say of each position which token belongs there, seeing both sides.

    The head is one more layer, a norm, and an output with a bias of its own.

    Args:
        config: what the model is made of.

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
        tokens: Int[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        positions: Tensor | None = None,
        types: Int[Tensor, "b q"] | None = None,
    ) -> Float[Tensor, "b q v"]:
        """Return the logits of the token at each position.

        Args:
            tokens: token numbers, some of them the mask's.
            mask: who may look at whom; everybody when left out (see :class:`Encoder`).
            positions: (q,) or (b, q), where the tokens stand.
            types: the kind of each token; 0 when left out.

        Raises:
            ValueError: a token or a type is unknown, or the sequence is longer than the context.
        """
        x = self.encoder(tokens, mask=mask, positions=positions, types=types)
        logits: Tensor = self.output(self.norm(self.activation(self.transform(x))))
        return logits
