"""Whether a tax on distance can read the third place back, and how well after how long."""

from typing import Any

from experiments.record import Experiment
from experiments.trained_length import SCHEMES, accuracy, train
from plainformer.lab.diaries import three_back

LENGTHS = (8, 16, 64)
STOPS = (300, 2000, 6000)


def measure(*, seed: int, steps: int, scheme: str) -> dict[str, Any]:
    """Train on 4 to 16 words; return the accuracy at three lengths after 300 steps and more."""
    model = SCHEMES[scheme](4)
    found: dict[str, list[float]] = {f"at_{n}": [] for n in LENGTHS}
    for _ in train(model, three_back, stops={min(stop, steps) for stop in STOPS}):
        for n in LENGTHS:
            found[f"at_{n}"].append(accuracy(model, three_back, n))
    return found


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Which word stood three places before the question: do four heads of RoPE and of ALiBi "
        "learn to say it, and by when? Against it: no penalty that only grows can point."
    ),
    measure=measure,
    variants={name: {"scheme": name} for name in ("RoPE", "ALiBi")},
    steps=STOPS[-1],
)

if __name__ == "__main__":
    EXPERIMENT.main()
