"""From the names of a configuration to the objects they stand for.

Names are read only here and, for positions, in :mod:`plainformer.models.position_parts`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import torch
from torch import nn
from torch.nn import functional as F

from plainformer import flash
from plainformer.attention import Attend, attend_heads
from plainformer.feedforward import Activation, FeedForward, GatedFeedForward, gelu_tanh
from plainformer.models.config import Config
from plainformer.models.initial import Depth, by_sublayers, deep_norm
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.residual import MakeNorm, PostNorm, PreNorm, SandwichNorm, deepnorm
from plainformer.scores import Score, dot, scaled_dot
from plainformer.sdpa import sdpa

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
# From the weight of the residual, which only one of them uses.
PLACEMENT: Mapping[str, Callable[[float], Callable[..., nn.Module]]] = {
    "pre": lambda alpha: PreNorm,
    "post": lambda alpha: PostNorm,
    "sandwich": lambda alpha: SandwichNorm,
    "deep": lambda alpha: partial(PostNorm, alpha=alpha),
}
DEEP = {"deep"}  # the depth sets the weight of the residual
NORMALISED_BY_ITSELF = {"post", "deep"}  # their last sublayer ends in a norm; no other follows


def choose(table: Mapping[str, Part], name: str, what: str) -> Part:
    """Look up a name of the configuration.

    Args:
        table: what there is.
        name: what was asked for.
        what: the field of :class:`Config`, for the message.

    Raises:
        ValueError: there is no such name; the message lists those there are.
    """
    if name not in table:
        raise ValueError(f"{what}={name!r}: expected one of {sorted(table)}")
    return table[name]


def norm_of(config: Config) -> MakeNorm:
    """Make what makes a norm of a width.

    Args:
        config: the configuration.

    Raises:
        ValueError: the norm is unknown.
    """
    return choose(NORM, config.norm, "norm")(config)


def final_norm_of(config: Config) -> nn.Module:
    """Make the norm after the last layer, or nothing where each layer ends in a norm.

    Args:
        config: the configuration.
    """
    if config.placement in NORMALISED_BY_ITSELF:
        return nn.Identity()
    return norm_of(config)(config.d_model)


def residual_of(config: Config, *, alpha: float = 1.0) -> Callable[[], nn.Module]:
    """Make what makes the wrapper of one sublayer.

    Args:
        config: the configuration.
        alpha: how much the residual counts, where the placement asks.

    Raises:
        ValueError: the placement is unknown.
    """
    placement = choose(PLACEMENT, config.placement, "placement")(alpha)
    return partial(placement, norm_of(config), config.d_model, dropout=config.dropout)


def depth_of(config: Config, *, role: str, encoder: int, decoder: int, sublayers: int) -> Depth:
    """Say what its depth asks of a stack.

    Args:
        config: the configuration.
        role: "encoder" or "decoder".
        encoder: layers of the encoder, 0 where there is none.
        decoder: layers of the decoder, 0 where there is none.
        sublayers: how many sublayers add to the stack's residual stream.
    """
    if config.placement in DEEP:
        return deep_norm(*deepnorm(encoder_layers=encoder, decoder_layers=decoder)[role])
    return by_sublayers(sublayers)
