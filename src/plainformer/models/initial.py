"""The weights that a model begins with, and what its depth asks of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn

from plainformer.blocks import deepnorm
from plainformer.models.config import Config

DEEP = {"deep"}  # placements of norms: the depth sets the weight of the residual
# The last projection of each sublayer: what it writes is added to the residual stream.
WRITES = ("attention.output.weight", "feedforward.down.weight")
# All weights between a sublayer's input and its output, but for those that only choose where to
# look.
PASSES = (*WRITES, "attention.value.weight", "feedforward.up.weight", "feedforward.gate.weight")


@dataclass(frozen=True)
class Depth:
    """Say what a stack's depth asks of it.

    Args:
        gains: by how much some weights begin smaller, by the ends of their names.
        alpha: how much the residual counts, where the placement asks.
    """

    gains: Mapping[str, float]
    alpha: float = 1.0


def by_sublayers(sublayers: int) -> Depth:
    """Shrink what is added to the residual stream, so that the stream's variance stays.

    Args:
        sublayers: how many sublayers add to it.

    Ref: Radford et al. 2019 (GPT-2), section 2.3.
    """
    return Depth(dict.fromkeys(WRITES, 1 / math.sqrt(sublayers)))


def deep_norm(alpha: float, beta: float) -> Depth:
    """Weigh the residual by α and shrink what passes through a sublayer by β.

    Args:
        alpha: α of :func:`plainformer.blocks.deepnorm`.
        beta: its β.

    Ref: Wang et al. 2022 (DeepNet), figure 2.
    """
    return Depth(dict.fromkeys(PASSES, beta), alpha)


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


@torch.no_grad()
def initialise(model: nn.Module, depth: Depth | None = None, *, spread: float = 0.02) -> None:
    """Draw all weights anew from a normal distribution; biases begin at 0, norms at 1.

    Args:
        model: the model, or one stack of it.
        depth: which weights begin smaller; none when left out.
        spread: standard deviation of the other weights.

    Ref: Radford et al. 2018 (GPT), section 4.1.
    """
    gains = {} if depth is None else depth.gains
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            gain = [g for end, g in gains.items() if f"{name}.weight".endswith(end)]
            nn.init.normal_(module.weight, std=spread * (gain[0] if gain else 1.0))
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
