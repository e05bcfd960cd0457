"""Llama's checkpoints: rotary positions in halves, grouped heads, a gated feed-forward."""

from collections.abc import Collection
from typing import Any

from plainformer.models.config import Config
from plainformer.models.decoder import Decoder
from plainformer.models.mapping import Family, Source, Sources, each_layer, linear
from plainformer.models.settings import Settings

ACTIVATIONS = {"silu": "swiglu", "gelu": "geglu", "gelu_pytorch_tanh": "geglu_tanh"}
SCALINGS = {
    "default": "none",
    "linear": "linear",
    "dynamic": "dynamic",
    "yarn": "yarn",
    "llama3": "llama3",
}
# What each scaling may want besides factor and context.
OPTIONS = {
    "yarn": "beta_fast beta_slow attention_factor mscale mscale_all_dim truncate".split(),
    "llama3": "low_freq_factor high_freq_factor".split(),
}


def config_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a Llama model.

    Args:
        settings: those of ``config.json``.
        names: the tensors of the checkpoint; they change nothing here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for what is not built.

    Ref: Touvron et al. 2023, section 2.2.
    """
    attention_bias = settings.flag("attention_bias", False)
    return Config(
        vocabulary=settings.integer("vocab_size"),
        d_model=settings.integer("hidden_size"),
        n_layers=settings.integer("num_hidden_layers"),
        n_heads=settings.integer("num_attention_heads"),
        n_kv_heads=settings.integer("num_key_value_heads", None),
        head_width=settings.integer("head_dim", None),
        d_ff=settings.integer("intermediate_size"),
        norm="rms",
        norm_eps=settings.number("rms_norm_eps", 1e-6),
        feedforward=settings.choice("hidden_act", "silu", ACTIVATIONS),
        qkv_bias=attention_bias,
        output_bias=attention_bias,
        feedforward_bias=settings.flag("mlp_bias", False),
        tied=settings.flag("tie_word_embeddings", False),
        **rotary_from(settings),
    )


def rotary_from(settings: Settings) -> dict[str, Any]:
    """Read what concerns positions, from either place that holds it.

    Newer files have ``rope_parameters``; older ones ``rope_theta`` beside ``rope_scaling``, whose
    kind is its ``rope_type`` or, older still, its ``type``.

    Args:
        settings: those of ``config.json``.

    Returns:
        Fields of :class:`~plainformer.models.config.Config`.

    Raises:
        UnsupportedCheckpoint: the scaling is unknown, or lacks a number.
    """
    settings.only(partial_rotary_factor=1.0)
    trained = settings.integer("max_position_embeddings", 2048)
    place = "rope_parameters" if settings.values.get("rope_parameters") else "rope_scaling"
    rope = settings.inner(place)
    rope.only(partial_rotary_factor=1.0)
    base = rope.number("rope_theta", None) or settings.number("rope_theta", 10_000.0)
    kind = "rope_type" if rope.values.get("rope_type") is not None else "type"
    scaling = rope.choice(kind, "default", SCALINGS)
    fields: dict[str, Any] = {"context": trained, "positions": "rotary", "rotary_base": base}
    if scaling == "none":
        return fields
    factor = rope.number("factor")
    given = {name: rope.values.get(name) for name in OPTIONS.get(scaling, [])}
    options = {
        name: rope.flag(name, True) if isinstance(value, bool) else rope.number(name)
        for name, value in given.items()
        if value is not None
    }
    # Dynamic scaling starts where the trained context ends; the others are told where that was.
    fields["context"] = int(trained * factor) if scaling == "dynamic" else trained
    default = trained if scaling == "dynamic" else settings.integer(ORIGINAL, trained)
    return fields | {
        "rotary_scaling": scaling,
        "rotary_factor": factor,
        "rotary_context": rope.integer(ORIGINAL, default),
        "rotary_options": options,
    }


ORIGINAL = "original_max_position_embeddings"


def sources(config: Config) -> Sources:
    """Name the checkpoint's tensor for each parameter.

    Args:
        config: the model's configuration.
    """
    qkv_bias = bool(config.qkv_bias)
    layer = {
        **linear("attention.query", "self_attn.q_proj", bias=qkv_bias),
        **linear("attention.key", "self_attn.k_proj", bias=qkv_bias),
        **linear("attention.value", "self_attn.v_proj", bias=qkv_bias),
        **linear("attention.output", "self_attn.o_proj", bias=bool(config.output_bias)),
        **linear("feedforward.gate", "mlp.gate_proj", bias=bool(config.feedforward_bias)),
        **linear("feedforward.up", "mlp.up_proj", bias=bool(config.feedforward_bias)),
        **linear("feedforward.down", "mlp.down_proj", bias=bool(config.feedforward_bias)),
        **linear("attention_residual.norm", "input_layernorm", bias=False),
        **linear("feedforward_residual.norm", "post_attention_layernorm", bias=False),
    }
    return {
        "embedding.weight": Source("embed_tokens.weight"),
        **each_layer(config.n_layers, "blocks.{}.", "layers.{}.", layer),
        "norm.weight": Source("norm.weight"),
        "output.weight": Source("lm_head.weight"),
    }


FAMILY = Family(
    model=Decoder,
    config=config_from,
    sources=sources,
    prefix="model.",
    copies={"lm_head.weight": "embed_tokens.weight"},
    harmless=r"(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq",
)
