"""One layer of a model, from its configuration."""

from plainformer.blocks import Block
from plainformer.models.config import Config
from plainformer.models.parts import (
    ATTENTION,
    FEEDFORWARD,
    NORM,
    PLACEMENT,
    SCORE,
    choose,
    residual_of,
)
from plainformer.models.position_parts import LAYOUTS, POSITIONS, SCALED, TURNED
from plainformer.multihead import MultiHeadAttention
from plainformer.positions import Rotary


def check_names(config: Config) -> None:
    """Refuse names that nothing stands for, and settings that nothing would read.

    Args:
        config: the configuration.

    Raises:
        ValueError: a name is unknown (the message lists those there are), or rotary positions are
            scaled that are not there.
    """
    choose(POSITIONS, config.positions, "positions")
    choose(LAYOUTS, config.rotary_layout, "rotary_layout")
    choose(SCALED, config.rotary_scaling, "rotary_scaling")
    choose(NORM, config.norm, "norm")
    choose(PLACEMENT, config.placement, "placement")
    choose(FEEDFORWARD, config.feedforward, "feedforward")
    choose(SCORE, config.score, "score")
    choose(ATTENTION, config.attention, "attention")
    scaled = config.rotary_scaling != "none"
    if scaled and config.positions not in TURNED:
        raise ValueError(
            f"rotary_scaling={config.rotary_scaling!r} with positions={config.positions!r}: only "
            'rotary positions are scaled; expected rotary_scaling="none"'
        )
    if not scaled and (config.rotary_factor != 1 or config.rotary_options):
        raise ValueError(
            f"rotary_factor={config.rotary_factor}, rotary_options={dict(config.rotary_options)} "
            f'with rotary_scaling="none": nothing reads them; expected one of {sorted(SCALED)}'
        )


def attention_of(config: Config, rotary: Rotary | None) -> MultiHeadAttention:
    """Make the attention of one layer.

    Args:
        config: the configuration.
        rotary: turns queries and keys; None for other positions and for cross-attention.

    Raises:
        ValueError: the score or the back end is unknown, or the sizes do not fit.
    """
    return MultiHeadAttention(
        d_model=config.d_model,
        n_heads=config.n_heads,
        n_kv_heads=config.n_kv_heads,
        head_width=config.head_width,
        bias=_or(config.qkv_bias, config.bias),
        output_bias=_or(config.output_bias, config.bias),
        score=choose(SCORE, config.score, "score"),
        rotary=rotary,
        backend=choose(ATTENTION, config.attention, "attention"),
    )


def block_of(
    config: Config, rotary: Rotary | None, *, cross: bool = False, alpha: float = 1.0
) -> Block:
    """Make one layer.

    Args:
        config: the configuration.
        rotary: turns queries and keys, shared by all layers.
        cross: whether the layer also attends to a memory.
        alpha: how much the residual counts, where the placement asks.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.
    """
    return Block(
        attention=attention_of(config, rotary),
        feedforward=choose(FEEDFORWARD, config.feedforward, "feedforward")(
            d_model=config.d_model,
            d_ff=config.d_ff,
            bias=_or(config.feedforward_bias, config.bias),
        ),
        residual=residual_of(config, alpha=alpha),
        cross_attention=attention_of(config, None) if cross else None,
    )


def _or(value: bool | None, default: bool) -> bool:
    return default if value is None else value
