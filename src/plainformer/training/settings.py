"""The settings of a training run, as data."""

import math
from dataclasses import dataclass

from plainformer.training.optimiser import Schedule


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The length and the options of a training run.

    Args:
        steps: optimiser steps.
        rate: highest learning rate.
        warmup: steps until it is reached.
        final: the last learning rate, as a fraction of the highest.
        accumulate: micro-steps whose gradients make one step.
        decay: weight decay of linear layers.
        clip: longest gradient, as a norm; infinity for no limit.
        smoothing: label smoothing of the training loss.
        precision: "float64", "float32", "bfloat16" or "float16".
        evaluate: steps between evaluations; 0 for one at the end.
        evaluation_batches: batches in an evaluation.
        checkpoint: steps between checkpoints; one more is written at the end.
        keep: number of checkpoints to keep.
        seed: seed of dropout.
        prolong: whether a run in the folder may continue with other ``steps``, ``warmup``, ``rate``
            or ``final``. From there on the rate follows the new schedule, so it may jump up.

    Raises:
        ValueError: a number is out of range.
    """

    steps: int
    rate: float = 1e-3
    warmup: int = 0
    final: float = 0.1
    accumulate: int = 1
    decay: float = 0.1
    clip: float = 1.0
    smoothing: float = 0.0
    precision: str = "float32"
    evaluate: int = 0
    evaluation_batches: int = 8
    checkpoint: int = 100
    keep: int = 2
    seed: int = 0
    prolong: bool = False

    def __post_init__(self) -> None:
        for name in ("steps", "accumulate", "checkpoint", "keep", "evaluation_batches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: expected at least 1")
        if not self.clip > 0 or not 0 <= self.decay < math.inf or min(self.evaluate, self.seed) < 0:
            raise ValueError(f"{self}: expected a clip above 0, and no negative number")
        self.schedule()

    def schedule(self) -> Schedule:
        """Return the learning rate as a function of the step."""
        return Schedule(peak=self.rate, warmup=self.warmup, steps=self.steps, final=self.final)

    def plan(self) -> dict[str, float | int | str]:
        """Return the settings that must not change when a run is continued, by name."""
        free = {"evaluate", "evaluation_batches", "checkpoint", "keep", "prolong"}
        return {name: value for name, value in vars(self).items() if name not in free}
