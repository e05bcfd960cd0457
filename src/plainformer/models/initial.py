"""Initial weights of a model, and how they depend on its depth."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn

from plainformer.blocks import deepnorm
from plainformer.models.config import Config

DEEP = {"deep"}  # placements of norms in which the depth determines the weight of the residual
# The last projection of each sublayer, whose output is added to the residual stream.
WRITES = ("attention.output.weight", "feedforward.down.weight")
# All weights between a sublayer's input and its output, except those that only compute attention
# weights.
PASSES = (*WRITES, "attention.value.weight", "feedforward.up.weight", "feedforward.gate.weight")


@dataclass(frozen=True)
class Depth:
    """The effects of a stack's depth on its initial weights and its residual.

    Args:
        gains: factors of some initial weights, by the ends of their names.
        alpha: weight of the residual, for placements that use one.
    """

    gains: Mapping[str, float]
    alpha: float = 1.0


def by_sublayers(sublayers: int) -> Depth:
    """Reduce weights that write to the residual stream, so that the stream keeps its variance.

    Args:
        sublayers: number of sublayers that add to the stream.

    Ref: Radford et al. 2019 (GPT-2), section 2.3.
    """
    return Depth(dict.fromkeys(WRITES, 1 / math.sqrt(sublayers)))


def deep_norm(alpha: float, beta: float) -> Depth:
    """Scale the residual by α and the weights within the sublayers by β.

    Args:
        alpha: α of :func:`plainformer.blocks.deepnorm`.
        beta: its β.

    Ref: Wang et al. 2022 (DeepNet), figure 2.
    """
    return Depth(dict.fromkeys(PASSES, beta), alpha)


def depth_of(config: Config, *, role: str, encoder: int, decoder: int, sublayers: int) -> Depth:
    """Return the effects of a stack's depth.

    Args:
        config: the configuration.
        role: "encoder" or "decoder".
        encoder: layers of the encoder, 0 if there is none.
        decoder: layers of the decoder, 0 if there is none.
        sublayers: number of sublayers that add to the stack's residual stream.
    """
    if config.placement in DEEP:
        return deep_norm(*deepnorm(encoder_layers=encoder, decoder_layers=decoder)[role])
    return by_sublayers(sublayers)


@torch.no_grad()
def initialise(model: nn.Module, depth: Depth | None = None, *, spread: float = 0.02) -> None:
    """Initialise all weights from a normal distribution, biases with 0 and norms with 1.

    Args:
        model: the model, or one stack of it.
        depth: which weights are scaled down; none when left out.
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
