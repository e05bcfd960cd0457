"""What does each part of a training recipe save: warm-up, cosine, clipping, decay apart?"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from experiments.record import Experiment
from plainformer.lab.grammar import Grammar
from plainformer.models import Config, Decoder
from plainformer.training.optimiser import Schedule, adamw

PAIRS = {
    "Noun": "fox owl hen king",
    "Nouns": "foxes owls hens kings",
    "Sees": "sees hears fears loves",
    "See": "see hear fear love",
    "Sleeps": "sleeps sings waits runs",
    "Sleep": "sleep sing wait run",
}
TALK = Grammar(
    {
        "S": [(1, "One Does ."), (1, "Many Do .")],
        "One": [(3, "the Noun"), (1, "the Noun that Sees Whom")],
        "Many": [(3, "the Nouns"), (1, "the Nouns that See Whom")],
        "Whom": [(1, "One"), (1, "Many")],
        "Does": [(1, "Sees Whom"), (1, "Sleeps")],
        "Do": [(1, "See Whom"), (1, "Sleep")],
        **{
            name: list(zip((4, 3, 2, 1), words.split(), strict=True))
            for name, words in PAIRS.items()
        },
    }
)
MODEL: Mapping[str, Any] = {
    "vocabulary": 27, "d_model": 32, "n_layers": 2, "n_heads": 2, "d_ff": 64, "context": 32,
    "norm": "layer", "feedforward": "relu",
}  # fmt: skip


@cache
def windows(n: int, seed: int) -> Tensor:
    """Cut rows of 33 words out of a text; each begins with a full stop."""
    text = TALK.sample(12 * n + 1000, seed=seed)
    stops = np.flatnonzero(text[:-33] == TALK.encode(".")[0])
    first = np.random.default_rng(seed).choice(stops, n)
    return torch.from_numpy(text[first[:, None] + np.arange(33)])


@cache
def floor() -> float:
    """The price of the held-out words to who knows the grammar."""
    return float(np.mean([TALK.floor(row[1:]) for row in windows(200, 2)]))


def price(model: Decoder, rows: Tensor) -> Tensor:
    """Return the mean price of the words of ``rows`` after the first."""
    return F.cross_entropy(model(rows[:, :-1]).mT, rows[:, 1:])


def measure(
    *,
    seed: int,
    steps: int,
    rate: float = 0.01,
    warmup: int = 30,
    final: float = 0.1,
    clip: float = 1.0,
    decay: float = 0.1,
    coupled: bool = False,
    every: int = 100,
    **changes: Any,
) -> dict[str, Any]:
    """Train once; return nats above the floor, along the training and at its end.

    ``coupled`` adds the decay to the gradient, as Adam with L2 does, of the same matrices.
    """
    torch.manual_seed(seed)
    model = Decoder(Config(**{**MODEL, **changes}))
    schedule = Schedule(peak=rate, warmup=min(warmup, steps), steps=steps, final=final)
    optimiser = adamw(model, rate=rate, decay=0.0 if coupled else decay)
    decays = optimiser.param_groups[0]["params"]
    draw, learnt, held = torch.Generator().manual_seed(seed), windows(6000, 1), windows(200, 2)
    curve, clipped = [], 0
    for step in range(steps):
        loss = price(model, learnt[torch.randint(len(learnt), (16,), generator=draw)])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clipped += bool(torch.nn.utils.clip_grad_norm_(model.parameters(), clip) > clip)
        for parameter in decays if coupled else []:
            parameter.grad.add_(parameter.detach(), alpha=decay)
        for group in optimiser.param_groups:
            group["lr"] = schedule(step)
        optimiser.step()
        if (step + 1) % every == 0 or step + 1 == steps:
            with torch.no_grad():
                curve.append(price(model, held).item() - floor())
    return {"end": curve[-1], "curve": curve, "clipped": clipped}


PARTS: dict[str, dict[str, Any]] = {
    "whole recipe, 0.02": {"rate": 0.02},
    "no clipping, 0.02": {"rate": 0.02, "clip": math.inf},
    "no cosine, 0.02": {"rate": 0.02, "final": 1.0},
    "no warm-up, 0.02": {"rate": 0.02, "warmup": 0},
    "whole recipe, 0.01": {},
    "no warm-up, 0.01": {"warmup": 0},
}
DECAYS: dict[str, dict[str, Any]] = {  # at a rate of 0.01; the whole recipe has decoupled 0.1
    "no decay": {"decay": 0.0},
    "decoupled 1": {"decay": 1.0},
    "decoupled 10": {"decay": 10.0},
    "coupled 0.001": {"decay": 0.001, "coupled": True},
    "coupled 0.01": {"decay": 0.01, "coupled": True},
    "coupled 0.1": {"decay": 0.1, "coupled": True},
}

EXPERIMENT = Experiment(
    file=__file__,
    question="How far above the floor does a training end without warm-up, cosine or clipping, and "
    "with decay of several strengths, coupled or not; or does no part matter at these rates?",
    measure=measure,
    variants={**PARTS, **DECAYS},
    steps=400,
)

if __name__ == "__main__":
    EXPERIMENT.main()
