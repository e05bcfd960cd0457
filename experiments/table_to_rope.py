"""A model with a learned table of positions is given RoPE in its place, and trained on."""

from typing import Any

from experiments.record import Experiment
from experiments.trained_length import SCHEMES, accuracy, train
from plainformer.lab.diaries import diaries
from plainformer.positions import Rotary

LENGTHS = (16, 32)


def measure(*, seed: int, steps: int, swap: bool) -> dict[str, Any]:
    """Train with a table; swap it or not; train half as long again. Return three accuracies."""
    model: Any = SCHEMES["learned"](4)
    found: dict[str, list[float]] = {}

    def note(when: str) -> None:
        found[when] = [accuracy(model, diaries, n) for n in LENGTHS]

    for _ in train(model, diaries, stops={steps}):
        note("table")
    if swap:
        model.add, model.attention.rotary = None, Rotary(8)
    note("swapped")
    for _ in train(model, diaries, stops={max(1, steps // 2)}):
        note("trained_on")
    return found


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Does a model read longer texts when its table of positions is replaced by RoPE and it is "
        "trained on? Against it: the further training alone does that."
    ),
    measure=measure,
    variants={"RoPE in its place": {"swap": True}, "table kept": {"swap": False}},
    steps=400,
)

if __name__ == "__main__":
    EXPERIMENT.main()
