"""Checkpoints of Llama and related models: rotary positions in halves, grouped heads, a gate."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from plainformer.models.checkpoints import UnsupportedCheckpoint
from plainformer.models.config import Config
from plainformer.models.mapping import Family, Source, Sources, each_layer, linear
from plainformer.models.one_stack import Decoder
from plainformer.models.settings import Settings

ACTIVATIONS = {"silu": "swiglu", "gelu": "geglu", "gelu_pytorch_tanh": "geglu_tanh"}
SCALINGS = {
    "default": "none",
    "linear": "linear",
    "dynamic": "dynamic",
    "yarn": "yarn",
    "llama3": "llama3",
}
# The options of each scaling besides factor and context.
OPTIONS = {
    "yarn": "beta_fast beta_slow attention_factor mscale mscale_all_dim truncate".split(),
    "llama3": "low_freq_factor high_freq_factor".split(),
}


def config_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a Llama model.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; not used here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported.

    Ref: Touvron et al. 2023, section 2.2.
    """
    settings.only(rope_interleaved=False)
    attention_bias = settings.flag("attention_bias", False)
    return _config(
        settings,
        n_kv_heads=settings.integer("num_key_value_heads", None),
        qkv_bias=attention_bias,
        output_bias=attention_bias,
        feedforward_bias=settings.flag("mlp_bias", False),
        **rotary_from(settings, context=2048),
    )


def mistral_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a Mistral model: Llama with a window.

    A missing window means 4096, and null means no window, as in the transformers library.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; not used here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported.

    Ref: Jiang et al. 2023 (Mistral 7B), section 2.
    """
    settings.only(attention_bias=False, mlp_bias=False)
    return _config(
        settings,
        n_kv_heads=settings.nullable("num_key_value_heads", 8),
        window=settings.nullable("sliding_window", 4096),
        **rotary_from(settings, context=131_072),
    )


def qwen2_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a Qwen2 model: Llama whose queries, keys and values have biases.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; not used here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported,
            such as a window in some of the layers.

    Ref: Yang et al. 2024 (Qwen2), section 2.2.
    """
    settings.only(use_mrope=False, attention_bias=False, mlp_bias=False)
    return _config(
        settings,
        n_kv_heads=settings.nullable("num_key_value_heads", 32),
        qkv_bias=True,
        window=_window(settings),
        **rotary_from(settings, context=32_768),
    )


def _config(settings: Settings, **fields: Any) -> Config:
    """Read the settings that all of these models share."""
    settings.only(is_causal=True, is_encoder_decoder=False)
    return Config(
        vocabulary=settings.integer("vocab_size"),
        d_model=settings.integer("hidden_size"),
        n_layers=settings.integer("num_hidden_layers"),
        n_heads=settings.integer("num_attention_heads"),
        head_width=settings.integer("head_dim", None),
        d_ff=settings.integer("intermediate_size"),
        norm="rms",
        norm_eps=settings.number("rms_norm_eps", 1e-6),
        feedforward=settings.choice("hidden_act", "silu", ACTIVATIONS),
        tied=settings.flag("tie_word_embeddings", False),
        **fields,
    )


def _window(settings: Settings) -> int | None:
    """Return the window that all layers of a Qwen2 model share, or None if none has one."""
    given = settings.nullable("sliding_window", 4096)
    window = given if settings.flag("use_sliding_window", False) else None
    n_layers, full = (
        settings.integer("num_hidden_layers"),
        settings.integer("max_window_layers", 28),
    )
    kinds = settings.raw("layer_types")
    if kinds is None:  # the first layers have no window
        slides = [window is not None and layer >= full for layer in range(n_layers)]
    elif not isinstance(kinds, list) or set(kinds) - {FULL, SLIDING} or len(kinds) != n_layers:
        raise UnsupportedCheckpoint(
            f"{settings.where}: layer_types={kinds!r:.80}: expected {FULL!r} or {SLIDING!r} for "
            f"each of {n_layers} layers"
        )
    else:
        slides = [kind == SLIDING for kind in kinds]
    if any(slides) and (window is None or not all(slides)):
        raise UnsupportedCheckpoint(
            f"{settings.where}: a window of {window} in {sum(slides)} of {n_layers} layers "
            "(use_sliding_window, max_window_layers, layer_types) is not supported; expected it "
            "in all or in none"
        )
    return window if any(slides) else None


FULL, SLIDING = "full_attention", "sliding_attention"
ORIGINAL = "original_max_position_embeddings"


def rotary_from(settings: Settings, *, context: int) -> dict[str, Any]:
    """Read the settings of positions, in the newer or the older form.

    Newer files have ``rope_parameters``; older ones ``rope_theta`` and ``rope_scaling``, whose kind
    is its ``rope_type`` or, in still older files, its ``type``. If two places contradict each
    other, the transformers library silently uses one; here they are refused.

    Args:
        settings: the settings in ``config.json``.
        context: context of training, if the file does not contain it.

    Returns:
        Fields of :class:`~plainformer.models.config.Config`.

    Raises:
        UnsupportedCheckpoint: the scaling is unknown, lacks a number, or is given twice.
    """
    settings.only(partial_rotary_factor=1.0)
    trained = settings.integer("max_position_embeddings", context)
    rope = _rope(settings)
    rope.only(partial_rotary_factor=1.0)
    outside = settings.number("rope_theta", None)
    base = _one_of(settings, "rope_theta", rope.number("rope_theta", None), outside)
    kind = _one_of(settings, "rope_type", rope.raw("rope_type"), rope.raw("type"))
    name = "type" if rope.raw("rope_type") is None else "rope_type"
    scaling = "none" if kind is None else rope.choice(name, "default", SCALINGS)
    fields: dict[str, Any] = {"context": trained, "positions": "rotary"}
    fields["rotary_base"] = 10_000.0 if base is None else base
    outside = settings.integer(ORIGINAL, None)
    if scaling == "none":
        return fields
    factor = rope.number("factor")
    given = {name: rope.raw(name) for name in OPTIONS.get(scaling, [])}
    options = {
        name: rope.flag(name, True) if isinstance(value, bool) else rope.number(name)
        for name, value in given.items()
        if value is not None
    }
    original = _one_of(settings, ORIGINAL, rope.integer(ORIGINAL, None), outside) or trained
    if scaling == "dynamic":  # it starts from max_position_embeddings, whatever else is given
        original = trained
    return fields | {
        "context": _stretched(scaling, trained, original, factor),
        "rotary_scaling": scaling,
        "rotary_factor": factor,
        "rotary_context": original,
        "rotary_options": options,
    }


def _stretched(scaling: str, trained: int, original: int, factor: float) -> int:
    """Return the context that a scaling supports.

    ``max_position_embeddings`` is the original context in some files and the extended one in
    others. The scaling extends the original by ``factor``. In Llama 3.1's files the factor differs
    from the growth of the context, and the context in the file is used.
    """
    reached = int(factor * original)
    if scaling == "llama3" and trained > original:
        return trained
    return max(trained, reached)


def _rope(settings: Settings) -> Settings:
    """Return the settings of the scaling from either place; if both are given, they must agree."""
    new, old = settings.inner("rope_parameters"), settings.inner("rope_scaling")
    if not (new.values and old.values):
        return new if new.values else old
    theta = settings.raw("rope_theta") or 10_000.0
    one, other = (
        {
            "rope_type": values.get("type", "default"),
            "rope_theta": theta,
            **{name: value for name, value in values.items() if name != "type"},
        }
        for values in (new.values, old.values)
    )
    if one != other:
        raise UnsupportedCheckpoint(
            f"{settings.where}: rope_parameters={dict(new.values)} and "
            f"rope_scaling={dict(old.values)} differ. The transformers library takes rope_scaling "
            "and forgets the other, its rope_theta too: keep one of them, whole"
        )
    old.all()
    return new


def _one_of(settings: Settings, name: str, one: Any, other: Any) -> Any:
    """Return whichever of two values is given; if both are, they must be equal."""
    if one is not None and other is not None and one != other:
        raise UnsupportedCheckpoint(
            f"{settings.where}: {name} is given twice, as {one!r} and as {other!r}: keep one"
        )
    return other if one is None else one


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
    settings={
        "vocabulary": "vocab_size",
        "d_model": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "n_kv_heads": "num_key_value_heads",
        "head_width": "head_dim",
        "d_ff": "intermediate_size",
        "qkv_bias": "attention_bias",
        "output_bias": "attention_bias",
        "feedforward_bias": "mlp_bias",
        "tied": "tie_word_embeddings",
    },
)
# Fields that cannot be set for related models, and so are not given as advice.
FIXED = {"qkv_bias", "output_bias", "feedforward_bias"}
KIN = replace(FAMILY, settings={f: n for f, n in FAMILY.settings.items() if f not in FIXED})
MISTRAL = replace(KIN, config=mistral_from)
QWEN2 = replace(KIN, config=qwen2_from)
