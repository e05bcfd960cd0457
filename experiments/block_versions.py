"""Versions of a block: without residual or norm, post-norm, pre-norm, and Llama's."""

import math
from typing import Any

import torch

from experiments.record import Experiment
from plainformer.lab.facts import ANSWER, QUESTIONS, Facts, training

EVERY = 20  # steps averaged into one number of a curve
OVERFLOWED = 10.0  # nats recorded from the step at which the loss is no longer finite
RATES = (0.0005, 0.002, 0.005, 0.01)
HIGH = RATES[2:]  # at the two lower rates every version with a residual learns


def measure(
    *, seed: int, steps: int, place: str, rate: float, warmup: int = 0, layers: int = 12
) -> dict[str, Any]:
    model = Facts(place, layers, seed)
    losses: list[float] = []
    for loss in training(model, rate=rate, warmup=warmup, steps=steps):
        if not math.isfinite(loss.item()):
            losses += [OVERFLOWED] * (steps - len(losses))
            break
        losses.append(min(loss.item(), OVERFLOWED))
    with torch.no_grad():
        known = (model(QUESTIONS).argmax(dim=-1) == ANSWER).sum().item()
    parts = [losses[i : i + EVERY] for i in range(0, steps, EVERY)]
    return {"known": known, "loss": [sum(part) / len(part) for part in parts]}


def _variants() -> dict[str, dict[str, Any]]:
    variants: dict[str, dict[str, Any]] = {
        f"{place} {rate:g}": {"place": place, "rate": rate}
        for place in ("bare", "no sum", "no norm", "post", "pre", "llama")
        for rate in RATES
    }
    for place in ("post", "no norm"):
        for rate in HIGH:
            settings = {"place": place, "rate": rate, "warmup": 160}
            variants[f"{place} {rate:g} warm-up 160"] = settings
    return variants


EXPERIMENT = Experiment(
    file=__file__,
    question="At which learning rates do 12 layers learn 32 facts, by the form of the block? "
    "Against it: a lower rate or a longer warm-up does as well as another form.",
    measure=measure,
    variants=_variants(),
    steps=400,
)

if __name__ == "__main__":
    EXPERIMENT.main()
