"""How far do three versions of a training loop come in 300 steps, and at which learning rates?"""

from typing import Any

import torch
from torch import nn

from experiments.recipe_parts import MODEL, floor, price, windows
from experiments.record import Experiment
from plainformer.models import Config, Decoder
from plainformer.training.optimiser import Schedule, adamw

GRADIENT, ADAMW, RECIPE = "gradient descent", "AdamW", "whole recipe"


def measure(*, seed: int, steps: int, version: str, rate: float) -> dict[str, Any]:
    """Train once; return nats above the floor, every 50 steps and at the end.

    The versions are gradient descent and AdamW at a constant rate, without decay and clipping, and
    the recipe: AdamW with warm-up, cosine, clipping and decay.
    """
    torch.manual_seed(seed)
    model = Decoder(Config(**MODEL))
    whole = version == RECIPE
    optimiser: torch.optim.Optimizer = (
        torch.optim.SGD(model.parameters(), lr=rate)
        if version == GRADIENT
        else adamw(model, rate=rate, decay=0.1 if whole else 0.0)
    )
    schedule = Schedule(peak=rate, warmup=min(30, steps), steps=steps)
    draw, learnt, held = torch.Generator().manual_seed(seed), windows(6000, 1), windows(200, 2)
    curve = []
    for step in range(steps):
        loss = price(model, learnt[torch.randint(len(learnt), (16,), generator=draw)])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if whole:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for group in optimiser.param_groups:
                group["lr"] = schedule(step)
        optimiser.step()
        if (step + 1) % 50 == 0 or step + 1 == steps:
            with torch.no_grad():
                curve.append(price(model, held).item() - floor())
    return {"end": curve[-1], "curve": curve}


RATES = {
    GRADIENT: (0.03, 0.1, 0.3, 0.5),
    ADAMW: (0.001, 0.003, 0.01, 0.03),
    RECIPE: (0.001, 0.003, 0.01, 0.03),
}

EXPERIMENT = Experiment(
    file=__file__,
    question="How far above the floor are gradient descent, AdamW and the whole recipe after 300 "
    "steps, each at four rates; or does the best rate of gradient descent do as well as AdamW's?",
    measure=measure,
    variants={
        f"{version}, {rate}": {"version": version, "rate": rate}
        for version, rates in RATES.items()
        for rate in rates
    },
    steps=300,
)

if __name__ == "__main__":
    EXPERIMENT.main()
