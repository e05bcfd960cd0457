"""The shapes of public models, as data, with the numbers of parameters of their checkpoints.

The sizes are those of each checkpoint's ``config.json``; ``published`` is the number of weights in
its file. A test checks that the formulas give exactly these numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from plainformer.costs.decoder import Latent, feedforward_width
from plainformer.costs.decoder import parameters as count_parameters
from plainformer.costs.roofline import Machine
from plainformer.models.config import Config


@dataclass(frozen=True, kw_only=True)
class Experts:
    """The mixture of experts that replaces the feed-forward, except in the first layers.

    Args:
        dense_layers: first layers that keep a plain feed-forward.
        width: width of one expert.
        routed: experts to choose from.
        chosen: how many of them process a token.
        shared: experts that process every token.
        balanced: whether the router has a bias for each expert.

    Ref: DeepSeek-AI 2024 (DeepSeek-V2), section 2.2; DeepSeek-AI 2024 (DeepSeek-V3), equation 16.
    """

    dense_layers: int
    width: int
    routed: int
    chosen: int
    shared: int
    balanced: bool = False

    def read(self, tokens: int) -> float:
        """Return how many routed experts a layer reads on average, if tokens choose at random.

        Args:
            tokens: tokens of the batch, each of which chooses independently.
        """
        return self.routed * (1 - (1 - self.chosen / self.routed) ** tokens)

    def critical_tokens(self, machine: Machine, *, itemsize: float = 2) -> float:
        """Return the number of tokens from which the products of routed experts are compute-bound.

        Args:
            machine: the machine, whose ridge they must reach.
            itemsize: bytes of a weight.
        """
        return machine.ridge * itemsize / 2 * self.routed / self.chosen

    def parameters(self, config: Config, experts: int) -> int:
        """Return the parameters of all feed-forwards, with a number of routed ``experts`` in each.

        Args:
            config: the model's configuration.
            experts: all of them, or those that process a token.
        """
        m = config.d_model
        router = self.routed * (m + int(self.balanced))
        sparse = 3 * m * self.width * (experts + self.shared) + router
        dense = 3 * m * feedforward_width(config)
        return self.dense_layers * dense + (config.n_layers - self.dense_layers) * sparse


@dataclass(frozen=True, kw_only=True)
class PublicModel:
    """A public model.

    Args:
        name: its name.
        config: its sizes.
        published: parameters in its checkpoint.
        source: source of the sizes: a file, a paper.
        latent: the widths of its attention, if it is latent.
        experts: its mixture of experts, if it has one.
    """

    name: str
    config: Config
    published: int
    source: str
    latent: Latent | None = None
    experts: Experts | None = None

    @property
    def parameters(self) -> int:
        """The number of its parameters by formula."""
        return self._parameters(self.experts.routed if self.experts else 0)

    @property
    def active(self) -> int:
        """The number of its parameters used in computing one token."""
        return self._parameters(self.experts.chosen if self.experts else 0)

    def _parameters(self, experts: int) -> int:
        counted = count_parameters(self.config, latent=self.latent)
        if self.experts is None:
            return counted.total
        rest = counted.total - counted.feedforward
        return rest + self.experts.parameters(self.config, experts)


def _llama(**sizes: int | bool | None) -> Config:
    """Return the sizes of a Llama or a related model: RMSNorm, rotary, SwiGLU, an untied head."""
    return Config.from_dict({"tied": False, **sizes})


MODELS = (
    PublicModel(
        name="GPT-2",
        config=Config(
            vocabulary=50_257, d_model=768, n_layers=12, n_heads=12, d_ff=3072, context=1024,
            positions="learned", norm="layer", feedforward="gelu_tanh", bias=True, tied=True,
        ),
        published=124_439_808,
        source="openai-community/gpt2, config.json; Radford et al. 2019, table 2",
    ),
    PublicModel(
        name="Llama 2 7B",
        config=_llama(
            vocabulary=32_000, d_model=4096, n_layers=32, n_heads=32, d_ff=11_008, context=4096,
        ),
        published=6_738_415_616,
        source="meta-llama/Llama-2-7b-hf, config.json; Touvron et al. 2023b, table 1",
    ),
    PublicModel(
        name="Llama 3 8B",
        config=_llama(
            vocabulary=128_256, d_model=4096, n_layers=32, n_heads=32, n_kv_heads=8, d_ff=14_336,
            context=8192,
        ),
        published=8_030_261_248,
        source="meta-llama/Meta-Llama-3-8B, config.json; Grattafiori et al. 2024, table 3",
    ),
    PublicModel(
        name="Llama 3 70B",
        config=_llama(
            vocabulary=128_256, d_model=8192, n_layers=80, n_heads=64, n_kv_heads=8, d_ff=28_672,
            context=8192,
        ),
        published=70_553_706_496,
        source="meta-llama/Meta-Llama-3-70B, config.json; Grattafiori et al. 2024, table 3",
    ),
    PublicModel(
        name="Mistral 7B",
        config=_llama(
            vocabulary=32_000, d_model=4096, n_layers=32, n_heads=32, n_kv_heads=8, d_ff=14_336,
            context=32_768, window=4096,
        ),
        published=7_241_732_096,
        source="mistralai/Mistral-7B-v0.1, config.json; Jiang et al. 2023, table 1",
    ),
    PublicModel(
        name="Qwen2 7B",
        config=_llama(
            vocabulary=152_064, d_model=3584, n_layers=28, n_heads=28, n_kv_heads=4, d_ff=18_944,
            context=131_072, qkv_bias=True,
        ),
        published=7_615_616_512,
        source="Qwen/Qwen2-7B, config.json; Yang et al. 2024, table 1",
    ),
    PublicModel(
        name="DeepSeek-V2",
        config=_llama(
            vocabulary=102_400, d_model=5120, n_layers=60, n_heads=128, head_width=192, d_ff=12_288,
            context=163_840,
        ),
        latent=Latent(
            latent_width=512, rotary_width=64, head_width=128, value_width=128,
            query_latent_width=1536,
        ),
        experts=Experts(dense_layers=1, width=1536, routed=160, chosen=6, shared=2),
        published=235_741_434_880,
        source="deepseek-ai/DeepSeek-V2, config.json; DeepSeek-AI 2024 (V2), section 3.1.2",
    ),
    PublicModel(
        name="DeepSeek-V3",
        config=_llama(
            vocabulary=129_280, d_model=7168, n_layers=61, n_heads=128, head_width=192, d_ff=18_432,
            context=163_840,
        ),
        latent=Latent(
            latent_width=512, rotary_width=64, head_width=128, value_width=128,
            query_latent_width=1536,
        ),
        experts=Experts(
            dense_layers=3, width=2048, routed=256, chosen=8, shared=1, balanced=True,
        ),
        published=671_026_419_200,  # the main model, without the module for the token after next
        source="deepseek-ai/DeepSeek-V3, config.json; DeepSeek-AI 2024 (V3), section 4.2",
    ),
)  # fmt: skip
PUBLIC: Mapping[str, PublicModel] = {model.name: model for model in MODELS}
