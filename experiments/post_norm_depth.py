"""Is it depth, the rate or too short a warm-up that keeps a post-norm stack from learning?"""

from typing import Any

from experiments.recipe_parts import measure
from experiments.record import Experiment

GRID: dict[str, dict[str, Any]] = {
    f"post-norm, {layers} layers, {rate}, warm-up {warmup}": {
        "placement": "post", "n_layers": layers, "rate": rate, "warmup": warmup, "every": 80,
    }
    for layers in (2, 6)
    for rate, warmup in ((0.01, 30), (0.01, 150), (0.001, 30))
}  # fmt: skip

EXPERIMENT = Experiment(
    file=__file__,
    question="At which depth, rate and warm-up does a post-norm stack stay at the frequencies of "
    "the words; or does it leave them everywhere if it is trained for longer?",
    measure=measure,
    variants={
        **GRID,
        "pre-norm, 6 layers, 0.01, warm-up 30": {"placement": "pre", "n_layers": 6, "every": 80},
    },
    steps=400,
)

if __name__ == "__main__":
    EXPERIMENT.main()
