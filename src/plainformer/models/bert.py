"""BERT's checkpoints: post-norm, token types, a head for masked tokens."""

from collections.abc import Collection

from plainformer.models.config import Config
from plainformer.models.mapping import Family, Source, Sources, each_layer, linear
from plainformer.models.one_stack import Encoder, MaskedLanguageModel
from plainformer.models.settings import Settings

ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "relu": "relu"}


def config_from(settings: Settings, names: Collection[str] = ()) -> Config:
    """Read the settings of a BERT model.

    Args:
        settings: the settings in ``config.json``.
        names: the names of the checkpoint's tensors; not used here.

    Raises:
        UnsupportedCheckpoint: a setting is missing, or asks for something that is not supported.

    Ref: Devlin et al. 2019, section 3.
    """
    settings.only(
        is_decoder=False,
        add_cross_attention=False,
        is_encoder_decoder=False,
        position_embedding_type="absolute",
    )
    return Config(
        vocabulary=settings.integer("vocab_size"),
        d_model=settings.integer("hidden_size"),
        n_layers=settings.integer("num_hidden_layers"),
        n_heads=settings.integer("num_attention_heads"),
        d_ff=settings.integer("intermediate_size"),
        context=settings.integer("max_position_embeddings", 512),
        positions="learned",
        norm="layer",
        norm_eps=settings.number("layer_norm_eps", 1e-12),
        placement="post",
        embedding_norm=True,
        feedforward=settings.choice("hidden_act", "gelu", ACTIVATIONS),
        bias=True,
        tied=settings.flag("tie_word_embeddings", True),
        token_types=settings.integer("type_vocab_size", 2),
    )


def encoder_sources(config: Config) -> Sources:
    """Name the checkpoint's tensor for each parameter of the encoder.

    Args:
        config: the model's configuration.
    """
    layer = {
        **linear("attention.query", "attention.self.query", bias=True),
        **linear("attention.key", "attention.self.key", bias=True),
        **linear("attention.value", "attention.self.value", bias=True),
        **linear("attention.output", "attention.output.dense", bias=True),
        **linear("attention_residual.norm", "attention.output.LayerNorm", bias=True),
        **linear("feedforward.up", "intermediate.dense", bias=True),
        **linear("feedforward.down", "output.dense", bias=True),
        **linear("feedforward_residual.norm", "output.LayerNorm", bias=True),
    }
    return {
        "embedding.weight": Source("embeddings.word_embeddings.weight"),
        "position_embedding.weight": Source("embeddings.position_embeddings.weight"),
        "type_embedding.weight": Source("embeddings.token_type_embeddings.weight"),
        **linear("embedding_norm", "embeddings.LayerNorm", bias=True),
        **each_layer(config.n_layers, "blocks.{}.", "encoder.layer.{}.", layer),
    }


def masked_sources(config: Config) -> Sources:
    """Name the checkpoint's tensor for each parameter of the encoder and its head.

    Args:
        config: the model's configuration.
    """
    return {
        **{f"encoder.{ours}": source for ours, source in encoder_sources(config).items()},
        **linear("transform", "cls.predictions.transform.dense", bias=True),
        **linear("norm", "cls.predictions.transform.LayerNorm", bias=True),
        "output.weight": Source("cls.predictions.decoder.weight"),
        "output.bias": Source(f"cls.predictions.{'' if config.tied else 'decoder.'}bias"),
    }


def family_of(names: Collection[str]) -> Family:
    """Return the layout of a BERT model with its head, or without it if the file has none.

    Args:
        names: the names of the checkpoint's tensors.
    """
    headed = any(name.startswith("cls.predictions.") for name in names)
    return Family(
        model=MaskedLanguageModel if headed else Encoder,
        config=config_from,
        sources=masked_sources if headed else encoder_sources,
        prefix="bert.",
        copies={
            "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        },
        # The head for pairs of sentences, tensors needed only by it, and the tied output's bias.
        harmless=r"embeddings\.(position_ids|token_type_ids)|(cls\.seq_relationship|pooler)\..*"
        r"|cls\.predictions\.bias",
        settings={
            "vocabulary": "vocab_size",
            "d_model": "hidden_size",
            "n_layers": "num_hidden_layers",
            "n_heads": "num_attention_heads",
            "d_ff": "intermediate_size",
            "context": "max_position_embeddings",
            "token_types": "type_vocab_size",
            "tied": "tie_word_embeddings",
        },
        spellings={r"LayerNorm\.gamma$": "LayerNorm.weight", r"LayerNorm\.beta$": "LayerNorm.bias"},
    )
