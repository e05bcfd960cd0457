"""GPT-2's checkpoints: weights stored (in, out); queries, keys and values in one matrix."""

from collections.abc import Collection

from plainformer.models.config import Config
from plainformer.models.mapping import Family, Source, Sources, each_layer, linear
from plainformer.models.one_stack import Decoder
from plainformer.models.settings import Settings

ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}


def config_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a GPT-2 model.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; not used here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported.

    Ref: Radford et al. 2019, section 2.3.
    """
    settings.only(
        scale_attn_weights=True,
        scale_attn_by_inverse_layer_idx=False,
        add_cross_attention=False,
        is_causal=True,
        is_encoder_decoder=False,
    )
    return Config(
        vocabulary=settings.integer("vocab_size"),
        d_model=settings.integer("n_embd", also="hidden_size"),
        n_layers=settings.integer("n_layer", also="num_hidden_layers"),
        n_heads=settings.integer("n_head", also="num_attention_heads"),
        d_ff=settings.integer("n_inner", None),
        context=settings.integer(
            "n_positions", settings.integer("n_ctx", 1024), also="max_position_embeddings"
        ),
        positions="learned",
        norm="layer",
        norm_eps=settings.number("layer_norm_epsilon", 1e-5),
        feedforward=settings.choice("activation_function", "gelu_new", ACTIVATIONS),
        bias=True,
        tied=settings.flag("tie_word_embeddings", True),
    )


def sources(config: Config) -> Sources:
    """Name the checkpoint's tensor for each parameter.

    Args:
        config: the model's configuration.
    """
    layer: Sources = {
        f"attention.{ours}.{kind}": Source(f"attn.c_attn.{kind}", kind == "weight", part, 3)
        for part, ours in enumerate(("query", "key", "value"))
        for kind in ("weight", "bias")
    }
    for ours, theirs in {
        "attention.output": "attn.c_proj",
        "feedforward.up": "mlp.c_fc",
        "feedforward.down": "mlp.c_proj",
    }.items():
        layer[f"{ours}.weight"] = Source(f"{theirs}.weight", transposed=True)
        layer[f"{ours}.bias"] = Source(f"{theirs}.bias")
    layer |= linear("attention_residual.norm", "ln_1", bias=True)
    layer |= linear("feedforward_residual.norm", "ln_2", bias=True)
    return {
        "embedding.weight": Source("wte.weight"),
        "position_embedding.weight": Source("wpe.weight"),
        **each_layer(config.n_layers, "blocks.{}.", "h.{}.", layer),
        **linear("norm", "ln_f", bias=True),
        "output.weight": Source("lm_head.weight"),
    }


FAMILY = Family(
    model=Decoder,
    config=config_from,
    sources=sources,
    prefix="transformer.",
    copies={"lm_head.weight": "wte.weight"},
    harmless=r"h\.\d+\.attn\.(bias|masked_bias)",
    settings={
        "vocabulary": "vocab_size",
        "d_model": "n_embd",
        "n_layers": "n_layer",
        "n_heads": "n_head",
        "d_ff": "n_inner",
        "context": "n_positions",
        "tied": "tie_word_embeddings",
    },
)
