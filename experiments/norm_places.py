"""Where the norm stands, how fast the training goes, and whether the rate rises slowly."""

from typing import Any

from experiments.record import Experiment
from plainformer.lab.facts import Facts, branches, first_over_last, training

EVERY = 20  # steps that one number of a curve stands for
LOOKS = (0, 10, 30)  # steps at which the sublayers are measured


def measure(
    *, seed: int, steps: int, place: str, rate: float, warmup: int = 0, layers: int = 12
) -> dict[str, Any]:
    model = Facts(place, layers, seed)
    losses, ratios, looked = [], [], []
    for step, loss in enumerate(training(model, rate=rate, warmup=warmup, steps=steps)):
        losses.append(loss.item())
        ratios.append(first_over_last(model))
        if step in LOOKS:
            looked.append(branches(model))
    wrote, passed = zip(*looked, strict=True)
    return {
        "loss": [sum(part) / len(part) for part in _parts(losses)],
        "ratio": [sorted(part)[len(part) // 2] for part in _parts(ratios)],
        "wrote": wrote,
        "passed": passed,
    }


def _parts(values: list[float]) -> list[list[float]]:
    return [values[i : i + EVERY] for i in range(0, len(values), EVERY)]


def _named(place: str, rate: float, warmup: int = 0) -> tuple[str, dict[str, Any]]:
    name = f"{place} {rate:g}" + (" warm-up" if warmup else "")
    return name, {"place": place, "rate": rate, "warmup": warmup}


EXPERIMENT = Experiment(
    file=__file__,
    question="Do 12 layers learn 32 facts at a given rate, by where the norm stands? Against it: "
    "a rate that rises slowly, or a lower one, does as much for post-norm as another place.",
    measure=measure,
    variants=dict(
        [_named("post", rate, warmup) for rate in (0.002, 0.005, 0.01) for warmup in (0, 40)]
        + [_named(p, rate) for p in ("deep", "pre", "sandwich") for rate in (0.005, 0.01)]
    ),
    steps=400,
)

if __name__ == "__main__":
    EXPERIMENT.main()
