"""The cost of attention and of a decoder: by formula, counted during a run, and measured."""

from plainformer.costs.counter import OperationCounter
from plainformer.costs.decoder import (
    Latent,
    Parameters,
    cache_bytes_per_token,
    decode_step,
    forward_flops,
    parameters,
)
from plainformer.costs.machines import MACHINES
from plainformer.costs.operations import (
    Count,
    attention_steps,
    fused_attention,
    matmul,
    score_bytes,
    softmax,
    visible_pairs,
)
from plainformer.costs.public import MODELS, PUBLIC, Experts, PublicModel
from plainformer.costs.reached import Reached, reach, reach_decode
from plainformer.costs.roofline import Machine, best_seconds, critical_batch, measure
from plainformer.costs.tiled import chip_numbers, tiled_attention, tiled_backward, visited

__all__ = [
    "MACHINES",
    "MODELS",
    "PUBLIC",
    "Count",
    "Experts",
    "Latent",
    "Machine",
    "OperationCounter",
    "Parameters",
    "PublicModel",
    "Reached",
    "attention_steps",
    "best_seconds",
    "cache_bytes_per_token",
    "chip_numbers",
    "critical_batch",
    "decode_step",
    "forward_flops",
    "fused_attention",
    "matmul",
    "measure",
    "parameters",
    "reach",
    "reach_decode",
    "score_bytes",
    "softmax",
    "tiled_attention",
    "tiled_backward",
    "visible_pairs",
    "visited",
]
