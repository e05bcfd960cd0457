"""What does a small decoder lose without positions, and without the scale of its scores?"""

from experiments.recipe_parts import measure
from experiments.record import Experiment

EXPERIMENT = Experiment(
    file=__file__,
    question="How far above the floor does a training end without positions, and with one head "
    "without the scale; or do the seeds of what is whole and what is not overlap?",
    measure=measure,
    variants={
        "whole": {},
        "no positions": {"positions": "none"},
        "one head": {"n_heads": 1},
        "one head, no scale": {"n_heads": 1, "score": "dot"},
    },
    steps=400,
    seeds=range(8),
)

if __name__ == "__main__":
    EXPERIMENT.main()
