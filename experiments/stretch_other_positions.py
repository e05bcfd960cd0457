"""Storytellers with ALiBi, sines or a learned table: trained on 64 words, read at up to 512."""

from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from experiments.record import Experiment
from experiments.stretch_the_storyteller import LENGTHS, TRAINED, losses, needles
from plainformer.lab.storyteller import Recipe, train
from plainformer.models import Config, Decoder


@dataclass(frozen=True, kw_only=True)
class OtherPositions(Recipe):
    """The storyteller's recipe with other positions: nothing else differs."""

    positions: str

    def config(self) -> Config:
        """Return what the model is made of."""
        return replace(super().config(), positions=self.positions)


def stretched(model: Decoder, length: int) -> Decoder:
    """Return a copy of ``model`` that reads ``length`` words.

    ALiBi and sines go on as they are. A learned table has no row beyond its last: it is stretched.
    """
    copy = Decoder(replace(model.config, context=length))
    weights = dict(model.state_dict())
    if model.config.positions == "learned":
        name = "position_embedding.weight"
        weights[name] = stretched_table(weights[name], length)
    copy.load_state_dict(weights)
    return copy.eval()


def stretched_table(rows: Tensor, length: int) -> Tensor:
    """Return ``length`` rows from the first of ``rows`` to the last, blended between neighbours."""
    return F.interpolate(rows.mT[None], size=length, mode="linear", align_corners=True)[0].mT


def measure(*, seed: int, steps: int, positions: str) -> dict[str, Any]:
    """Train a storyteller; return its losses and needles by length."""
    model, _ = train(OtherPositions(steps=steps, seed=seed, looks=(), positions=positions))
    found: dict[str, Any] = {}
    for length in LENGTHS:
        longer = stretched(model, length)
        found[f"needles at {length}"], _ = needles(longer, length)
        if length in (TRAINED, LENGTHS[-1]):
            found[f"copied at {length}"], found[f"other at {length}"] = losses(longer, length)
    return found


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Trained on 64 words, which of ALiBi, sines and a learned table lets a storyteller find "
        "what stands in 512? Against it: beyond 64 all three are as lost as rotary positions to "
        "which nothing is done."
    ),
    measure=measure,
    variants={
        "ALiBi": {"positions": "alibi"},
        "sinusoidal": {"positions": "sinusoidal"},
        "learned": {"positions": "learned"},
    },
    steps=1_800,
    seeds=(1, 4, 5, 6, 7),  # those with which the storyteller itself has learned to copy by then
)

if __name__ == "__main__":
    EXPERIMENT.main()
