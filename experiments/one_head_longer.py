"""Whether one head learns to read five facts when it is trained eight times as long."""

from typing import Any

from experiments.heads_needed import measure as measure_once
from experiments.record import Experiment


def measure(*, seed: int, steps: int, h: int) -> dict[str, Any]:
    """Train once; return the share of sentences with all five facts right."""
    return {"right": measure_once(seed=seed, steps=steps, task="five facts", h=h)["right"]}


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Does one head of width 32 read five facts with one query after 8000 steps? Against it: "
        "it only learns more slowly than four heads, and needs more steps."
    ),
    measure=measure,
    variants={"five facts, h = 1": {"h": 1}},
    steps=8000,
)

if __name__ == "__main__":
    EXPERIMENT.main()
