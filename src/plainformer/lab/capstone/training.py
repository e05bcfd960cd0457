"""The plain recipe: what a capstone may start from."""

import copy
import time
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.lab.capstone.entry import configuration
from plainformer.models import Decoder
from plainformer.models.initial import by_sublayers, initialise
from plainformer.training.optimiser import AdamW, Schedule, adamw, clip

# A tenth is kept in reserve; the measuring itself takes as long as eight steps.
SLACK = 1 / 0.9
LOST = 8


def train(
    model: Mapping[str, Any],
    text: Tensor,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    rate: float = 5e-3,
    batch: int = 32,
    decay: float = 0.1,
    spread: float = 0.1,
    seed: int = 0,
) -> dict[str, Tensor]:
    """Train a decoder, and return its weights by name.

    With ``seconds``, the first few steps are timed by the processor's clock, which other programs
    do not move, and as many are done as fit. With ``steps``, the same comes out each time.

    Args:
        model: fields of its configuration, without vocabulary and context.
        text: (b, n + 1) documents, of which the last n words are predicted.
        seconds: of the processor; one of the two is given.
        steps: how many.
        rate: highest learning rate, after a tenth of the steps.
        batch: documents in a step.
        decay: weight decay.
        spread: standard deviation of the first weights.
        seed: of the weights and of the order.

    Raises:
        ValueError: neither or both of ``seconds`` and ``steps`` are given.
    """
    if (seconds is None) == (steps is None):
        raise ValueError(f"seconds={seconds}, steps={steps}: expected one of the two")
    torch.manual_seed(seed)
    decoder = Decoder(configuration(model))
    initialise(decoder, by_sublayers(2 * decoder.config.n_layers), spread=spread)
    if steps is None:
        assert seconds is not None
        steps = _fitting(decoder, text, batch, seconds)
    optimiser = adamw(decoder, rate=rate, decay=decay)
    schedule = Schedule(peak=rate, warmup=steps // 10, steps=steps)
    order = torch.Generator().manual_seed(seed)
    decoder.train()
    for step in range(steps):
        rows = text[torch.randint(len(text), (batch,), generator=order)]
        for group in optimiser.param_groups:
            group["lr"] = schedule(step)
        _advance(decoder, optimiser, rows)
    return {name: w.detach().clone() for name, w in decoder.state_dict().items()}


def _advance(decoder: Decoder, optimiser: AdamW, rows: Tensor) -> None:
    loss = F.cross_entropy(decoder(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
    loss.backward()  # type: ignore[no-untyped-call]
    clip(decoder.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad()


def seconds_for(model: Mapping[str, Any], text: Tensor, *, steps: int, batch: int = 32) -> float:
    """Return how many seconds of this processor :func:`train` needs for so many steps.

    A budget told in steps of one model lasts as long on a slow processor as on a fast one.

    Args:
        model: fields of its configuration, without vocabulary and context.
        text: (b, n + 1) documents.
        steps: of the training.
        batch: documents in a step.

    Cost: six steps.
    """
    decoder = Decoder(configuration(model))
    return (steps * SLACK + LOST) * _step(decoder, text[:batch])


def _fitting(decoder: Decoder, text: Tensor, batch: int, seconds: float) -> int:
    """Return how many steps fit, of which the weights see none here."""
    took = _step(decoder, text[:batch])
    return max(10, int((seconds - LOST * took) / (SLACK * took)))


def _step(decoder: Decoder, rows: Tensor) -> float:
    """Return the processor seconds of a step, which a copy of the model takes."""
    other = copy.deepcopy(decoder)
    optimiser = adamw(other, rate=1e-3)
    for _ in range(2):  # the first pass makes what later ones find
        began = time.process_time()
        for _ in range(3):
            _advance(other, optimiser, rows)
        took = (time.process_time() - began) / 3
    return took
