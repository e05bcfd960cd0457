"""Is it depth, the rate or too short a warm-up that keeps a post-norm stack from learning?"""

from typing import Any

from experiments.recipe_parts import measure
from experiments.record import Experiment

GRID: dict[str, dict[str, Any]] = {
    f"post-norm, {layers} layers, {rate}, warm-up {warmup}": {
        "placement": "post", "n_layers": layers, "rate": rate, "warmup": warmup, "every": 40,
    }
    for layers in (2, 6)
    for rate in (0.01, 0.001)
    for warmup in (30, 150)
}  # fmt: skip

EXPERIMENT = Experiment(
    file=__file__,
    question="At which depth, rate and warm-up does a post-norm stack stay at the frequencies of "
    "the words; or does it leave them everywhere if it is trained for longer?",
    measure=measure,
    variants={
        **GRID,
        "pre-norm, 6 layers, 0.01, warm-up 30": {"placement": "pre", "n_layers": 6, "every": 40},
    },
    steps=600,
)

if __name__ == "__main__":
    EXPERIMENT.main()
