"""What the sum and the norm of a block each buy: leave out one of them at a time."""

import math
from typing import Any

from experiments.record import Experiment
from plainformer.lab.facts import Facts, training

LAST = 20  # steps that the loss at the end is the mean of
OVERFLOWED = 10.0  # nats that are written where the loss is no number any more


def measure(
    *, seed: int, steps: int, place: str, rate: float, gain: float, layers: int = 12
) -> dict[str, Any]:
    model = Facts(place, layers, seed, gain=gain)
    losses = [loss.item() for loss in training(model, rate=rate, steps=steps)]
    end = sum(losses[-LAST:]) / LAST
    return {"loss": min(end, OVERFLOWED) if math.isfinite(end) else OVERFLOWED}


def _named(place: str, rate: float, gain: float) -> tuple[str, dict[str, Any]]:
    return f"{place} {rate:g} x{gain:g}", {"place": place, "rate": rate, "gain": gain}


EXPERIMENT = Experiment(
    file=__file__,
    question="Does a block of 12 layers need its sum and its norm? Against it: without one of "
    "them a lower rate, or smaller weights at the start, do as well.",
    measure=measure,
    variants=dict(
        _named(place, rate, gain)
        for place in ("pre", "no sum", "no norm")
        for rate, gain in ((0.0005, 1.0), (0.002, 1.0), (0.01, 1.0), (0.002, 0.5), (0.002, 2.0))
    ),
    steps=300,
)

if __name__ == "__main__":
    EXPERIMENT.main()
