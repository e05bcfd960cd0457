"""Training: objectives, data, the training loop, checkpoints."""

from plainformer.training.batches import Batches
from plainformer.training.checkpoints import CorruptCheckpoint
from plainformer.training.data import Packed, Padded, Windows
from plainformer.training.interruption import InterruptedStep
from plainformer.training.loop import Trainer
from plainformer.training.losses import NonFiniteLoss, summed_cross_entropy
from plainformer.training.objectives import MaskedTokens, NextToken
from plainformer.training.settings import Settings
from plainformer.training.spans import SpanCorruption

__all__ = [
    "Batches",
    "CorruptCheckpoint",
    "InterruptedStep",
    "MaskedTokens",
    "NextToken",
    "NonFiniteLoss",
    "Packed",
    "Padded",
    "Settings",
    "SpanCorruption",
    "Trainer",
    "Windows",
    "summed_cross_entropy",
]
