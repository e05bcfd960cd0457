"""Build the parts of a model from the names in its configuration.

Names are read only in this module. :func:`block_of` builds one layer; the other functions build the
parts outside the layers.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import torch
from torch import nn
from torch.nn import functional as F

from plainformer import flash
from plainformer.attention import Attend, attend_heads
from plainformer.blocks import Block, MakeNorm, PostNorm, PreNorm, SandwichNorm
from plainformer.feedforward import Activation, FeedForward, GatedFeedForward, gelu_tanh
from plainformer.models.config import Config
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.positions import (
    Alibi,
    DynamicNTK,
    Interpolation,
    Learned,
    Llama3,
    NTKAware,
    RelativeBias,
    Rotary,
    Sinusoidal,
    YaRN,
)
from plainformer.positions.rotary import Layout
from plainformer.positions.rotary_scaling import Scaling
from plainformer.scores import Score, dot, scaled_dot
from plainformer.sdpa import sdpa
from plainformer.unknown_fields import check_known

Part = TypeVar("Part")

ATTENTION: Mapping[str, Attend] = {"plain": attend_heads, "sdpa": sdpa, "flash": flash.attend}
SCORE: Mapping[str, Score] = {"dot": dot, "scaled_dot": scaled_dot}
ACTIVATION: Mapping[str, Activation] = {
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu_tanh": gelu_tanh,
    "swiglu": F.silu,
    "geglu": F.gelu,
    "geglu_tanh": gelu_tanh,
}
GATED = {"swiglu", "geglu", "geglu_tanh"}
FEEDFORWARD: Mapping[str, Callable[..., nn.Module]] = {
    name: partial(GatedFeedForward if name in GATED else FeedForward, activation=activation)
    for name, activation in ACTIVATION.items()
}
NORM: Mapping[str, Callable[[Config], MakeNorm]] = {
    "layer": lambda c: partial(LayerNorm, eps=c.norm_eps, bias=c.bias),
    "rms": lambda c: partial(RMSNorm, eps=c.norm_eps),
}
# Called with the weight of the residual, which only one of them uses.
PLACEMENT: Mapping[str, Callable[[float], Callable[..., nn.Module]]] = {
    "pre": lambda alpha: PreNorm,
    "post": lambda alpha: PostNorm,
    "sandwich": lambda alpha: SandwichNorm,
    "deep": lambda alpha: partial(PostNorm, alpha=alpha),
}
NORMALISED_BY_ITSELF = {"post", "deep"}  # each sublayer ends in a norm, so no other follows
EMBEDDED: Mapping[str, Callable[[Config], nn.Module]] = {
    "learned": lambda c: Learned(c.context, c.d_model),
    "sinusoidal": lambda c: Sinusoidal(c.d_model),
}
LAYOUTS: Mapping[str, Layout] = {"halves": "halves", "pairs": "pairs"}
TURNED: Mapping[str, Callable[[Config], Rotary]] = {
    "rotary": lambda c: Rotary(
        c.width_of_heads,
        base=c.rotary_base,
        layout=choose(LAYOUTS, c.rotary_layout, "rotary_layout"),
        scaling=scaling_of(c),
    ),
}
SCALED: Mapping[str, Callable[..., Scaling] | None] = {
    "none": None,
    "linear": Interpolation,
    "ntk": NTKAware,
    "dynamic": DynamicNTK,
    "yarn": YaRN,
    "llama3": Llama3,
}
# The second argument is True if queries attend only to earlier positions.
SCORED: Mapping[str, Callable[[Config, bool], nn.Module]] = {
    "alibi": lambda c, causal: Alibi(c.n_heads),
    "relative": lambda c, causal: RelativeBias(
        c.n_heads,
        buckets=c.relative_buckets,
        max_distance=c.relative_reach,
        bidirectional=not causal,
    ),
}
# Settings that only one kind of positions reads. The base is not one of them: a configuration
# keeps it with other positions, so that `replace(config, positions=…)` compares them.
READ_WITH = {
    "rotary": ("rotary_layout", "rotary_scaling"),
    "relative": ("relative_buckets", "relative_reach"),
}
POSITIONS = dict.fromkeys(["none", *EMBEDDED, *TURNED, *SCORED])


def choose(table: Mapping[str, Part], name: str, what: str) -> Part:
    """Look up a name of the configuration.

    Args:
        table: the objects by name.
        name: the name to look up.
        what: the field of :class:`Config`, for the message.

    Raises:
        ValueError: the name is unknown; the message lists the known ones.
    """
    if name not in table:
        raise ValueError(f"{what}={name!r}: expected one of {sorted(table)}")
    return table[name]


def norm_of(config: Config) -> MakeNorm:
    """Return the function that makes a norm of a given width.

    Args:
        config: the configuration.

    Raises:
        ValueError: the norm is unknown.
    """
    return choose(NORM, config.norm, "norm")(config)


def final_norm_of(config: Config) -> nn.Module:
    """Make the norm after the last layer, or the identity if each layer ends in a norm.

    Args:
        config: the configuration.
    """
    if config.placement in NORMALISED_BY_ITSELF:
        return nn.Identity()
    return norm_of(config)(config.d_model)


def residual_of(config: Config, *, alpha: float = 1.0) -> Callable[[], nn.Module]:
    """Return the function that makes the residual wrapper of one sublayer.

    Args:
        config: the configuration.
        alpha: weight of the residual, for placements that use one.

    Raises:
        ValueError: the placement is unknown.
    """
    placement = choose(PLACEMENT, config.placement, "placement")(alpha)
    return partial(placement, norm_of(config), config.d_model, dropout=config.dropout)


def scaling_of(config: Config) -> Scaling | None:
    """Make the scaling of rotary positions for longer contexts, or None.

    Args:
        config: the configuration.

    Raises:
        ValueError: the scaling or one of its options is unknown.
    """
    make = choose(SCALED, config.rotary_scaling, "rotary_scaling")
    if make is None:
        return None
    known = set(inspect.signature(make).parameters)
    given = {"context": config.rotary_context or config.context, **config.rotary_options}
    if wrong := sorted(set(config.rotary_options) - known):
        raise ValueError(
            f"rotary_options={wrong}: {config.rotary_scaling!r} knows {sorted(known - {'factor'})}"
        )
    wanted = {name: value for name, value in given.items() if name in known}
    return make(factor=config.rotary_factor, **wanted)


def rotary_of(config: Config) -> Rotary | None:
    """Make the module that rotates queries and keys, or None for other positions.

    Args:
        config: the configuration.
    """
    make = TURNED.get(config.positions)
    return None if make is None else make(config)


def embedded_of(config: Config) -> nn.Module | None:
    """Make the positions that are added to the embeddings, or None for other positions.

    Args:
        config: the configuration.
    """
    make = EMBEDDED.get(config.positions)
    return None if make is None else make(config)


def scored_of(config: Config, *, causal: bool = True) -> nn.Module | None:
    """Make the positions that are added to the scores, or None for other positions.

    Args:
        config: the configuration.
        causal: whether queries attend only to earlier positions.
    """
    make = SCORED.get(config.positions)
    return None if make is None else make(config, causal)


def check_names(config: Config) -> None:
    """Refuse unknown names, and settings that no part would read.

    Args:
        config: the configuration.

    Raises:
        ValueError: a name is unknown (the message lists the known ones), a setting belongs to
            another kind of positions, or a subclass has a field that no part reads.
    """
    check_known(config, Config, "a model")
    choose(POSITIONS, config.positions, "positions")
    choose(LAYOUTS, config.rotary_layout, "rotary_layout")
    choose(SCALED, config.rotary_scaling, "rotary_scaling")
    choose(NORM, config.norm, "norm")
    choose(PLACEMENT, config.placement, "placement")
    choose(FEEDFORWARD, config.feedforward, "feedforward")
    choose(SCORE, config.score, "score")
    choose(ATTENTION, config.attention, "attention")
    for kind, names in READ_WITH.items():
        given = {n: getattr(config, n) for n in names if getattr(config, n) != getattr(Config, n)}
        if given and config.positions != kind:
            raise ValueError(
                f"{given} with positions={config.positions!r}: only {kind} positions read that; "
                f"leave it out, or use positions={kind!r}"
            )
    if config.rotary_scaling == "none" and (config.rotary_factor != 1 or config.rotary_options):
        raise ValueError(
            f"rotary_factor={config.rotary_factor}, rotary_options={dict(config.rotary_options)} "
            f'with rotary_scaling="none": nothing reads them; expected one of {sorted(SCALED)}'
        )


def attention_of(config: Config, rotary: Rotary | None) -> MultiHeadAttention:
    """Make the attention of one layer.

    Args:
        config: the configuration.
        rotary: rotates queries and keys; None for other positions and for cross-attention.

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
        rotary: rotates queries and keys; shared by all layers.
        cross: whether the layer also attends to a memory.
        alpha: weight of the residual, for placements that use one.

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
