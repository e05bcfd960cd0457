"""T5's checkpoints, version 1.0 and 1.1: unscaled scores, relative positions."""

from collections.abc import Collection

from plainformer.models.config import Config
from plainformer.models.encoder_decoder import EncoderDecoder
from plainformer.models.mapping import Family, Source, Sources, each_layer, linear
from plainformer.models.settings import Settings

FEEDFORWARDS = {
    "relu": "relu",
    "gelu": "gelu",
    "gated-gelu": "geglu_tanh",  # the reference library also reads it as the tanh form
    "gated-silu": "swiglu",
}
# Settings of a file that repeat the activation, and whether it is gated.
REPEATED = {
    "relu": ("relu", False),
    "gelu": ("gelu", False),
    "geglu_tanh": ("gelu_new", True),
    "swiglu": ("silu", True),
}
HEAD = "lm_head.weight"
SCALES = "scale_decoder_outputs"


def config_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a T5 model.

    The first version shares the output's weights with the embeddings and scales the input of the
    output layer; version 1.1 does neither. Relative positions have no limit, but the configuration
    requires a context: it is ``n_positions``, which can be changed in
    :func:`plainformer.models.pretrained.load`.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; they decide whether the output has its own.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported.

    Ref: Raffel et al. 2020, section 2.1; Shazeer 2020 (gated feed-forwards).
    """
    feedforward = settings.choice("feed_forward_proj", "relu", FEEDFORWARDS)
    activation, gated = REPEATED[feedforward]
    settings.only(
        is_encoder_decoder=True,
        is_decoder=False,
        is_causal=True,
        dense_act_fn=activation,
        is_gated_act=gated,
    )
    d_model = settings.integer("d_model", also="hidden_size")
    n_layers = settings.integer("num_layers", also="num_hidden_layers")
    tied = settings.flag("tie_word_embeddings", True)
    if SCALES in settings.values:  # newer files have this setting, and mark every model as tied
        scaled, tied = settings.flag(SCALES, False), HEAD not in names
    else:
        scaled = tied
    return Config(
        vocabulary=settings.integer("vocab_size"),
        d_model=d_model,
        n_layers=settings.integer("num_decoder_layers", n_layers),
        n_encoder_layers=n_layers,
        n_heads=settings.integer("num_heads", also="num_attention_heads"),
        head_width=settings.integer("d_kv", also="head_dim"),
        d_ff=settings.integer("d_ff"),
        context=settings.integer("n_positions", 512),
        positions="relative",
        relative_buckets=settings.integer("relative_attention_num_buckets", 32),
        relative_reach=settings.integer("relative_attention_max_distance", 128),
        norm="rms",
        norm_eps=settings.number("layer_norm_epsilon", 1e-6),
        feedforward=feedforward,
        score="dot",
        tied=tied,
        output_scale=d_model**-0.5 if scaled else 1.0,
    )


def sources(config: Config) -> Sources:
    """Name the checkpoint's tensor for each parameter.

    Args:
        config: the model's configuration.
    """
    n_encoder_layers = config.n_encoder_layers or config.n_layers
    stacks = {"encoder": n_encoder_layers, "decoder": config.n_layers}
    table: Sources = {"encoder.embedding.weight": Source("shared.weight")}
    for stack, n_layers in stacks.items():
        crosses = stack == "decoder"
        layer = _attention("attention", "layer.0", "SelfAttention")
        if crosses:
            layer |= _attention("cross", "layer.1", "EncDecAttention")
        layer |= _feedforward(f"layer.{1 + crosses}", gated=config.feedforward in GATED)
        table |= each_layer(n_layers, stack + ".blocks.{}.", stack + ".block.{}.", layer)
        table[f"{stack}.position_bias.weight"] = Source(
            f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        )
        table[f"{stack}.norm.weight"] = Source(f"{stack}.final_layer_norm.weight")
    return table | {"decoder.output.weight": Source(HEAD)}


GATED = {"geglu_tanh", "swiglu"}


def _attention(ours: str, theirs: str, kind: str) -> Sources:
    module = "cross_attention" if ours == "cross" else ours
    table = linear(f"{ours}_residual.norm", f"{theirs}.layer_norm", bias=False)
    for name in ("query", "key", "value", "output"):
        table |= linear(f"{module}.{name}", f"{theirs}.{kind}.{name[0]}", bias=False)
    return table


def _feedforward(theirs: str, *, gated: bool) -> Sources:
    layers = {"gate": "wi_0", "up": "wi_1"} if gated else {"up": "wi"}
    table = linear("feedforward_residual.norm", f"{theirs}.layer_norm", bias=False)
    for ours, name in {**layers, "down": "wo"}.items():
        table |= linear(f"feedforward.{ours}", f"{theirs}.DenseReluDense.{name}", bias=False)
    return table


FAMILY = Family(
    model=EncoderDecoder,
    config=config_from,
    sources=sources,
    copies={
        HEAD: "shared.weight",
        "encoder.embed_tokens.weight": "shared.weight",
        "decoder.embed_tokens.weight": "shared.weight",
    },
    settings={
        "vocabulary": "vocab_size",
        "d_model": "d_model",
        "n_layers": "num_decoder_layers",
        "n_encoder_layers": "num_layers",
        "n_heads": "num_heads",
        "head_width": "d_kv",
        "d_ff": "d_ff",
        "relative_buckets": "relative_attention_num_buckets",
        "tied": "tie_word_embeddings",
    },
    harmless=r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
)
