"""Grow a storyteller, and look into it while it learns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.looking import induction, marked, previous_token, recorded
from plainformer.models import Config, Decoder
from plainformer.models.initial import by_sublayers, initialise
from plainformer.training.ballads import Ballads
from plainformer.training.optimiser import Schedule, adamw

BALLADS = Ballads(chance=0.6, shortest=4, longest=12)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Say how the model is made.

    Args:
        steps: optimiser steps.
        batch: documents in a step.
        context: words of a document that are predicted.
        documents: how many there are to learn from.
        rate: highest learning rate.
        spread: standard deviation of the first weights.
        seed: of weights and documents.
        looks: steps at which it is looked into; its growth is written down.
    """

    steps: int = 1_800
    batch: int = 32
    context: int = 64
    documents: int = 16_384
    rate: float = 5e-3
    spread: float = 0.1
    seed: int = 0
    looks: tuple[int, ...] = (0, 100, 200, 300, 400, 500, 600, 800, 1_000, 1_200, 1_500, 1_800)

    def config(self) -> Config:
        """Return what the model is made of."""
        return Config(
            vocabulary=len(BALLADS.words),
            d_model=64,
            n_layers=2,
            n_heads=4,
            context=self.context,
            rotary_base=100.0,
        )


def held_out(count: int = 64, *, length: int = 65, seed: int = 1_000) -> Tensor:
    """Return documents that the model has not learned from.

    Args:
        count: how many.
        length: words in each.
        seed: what they are drawn from.
    """
    return torch.from_numpy(BALLADS.sample(count, length, seed=seed))


def look(model: Decoder, documents: Tensor) -> dict[str, Any]:
    """Measure a model on documents: losses above the floor, and what its heads look at.

    Args:
        model: the model.
        documents: (b, n), word numbers.

    Returns:
        Mean losses in nats: ``loss`` of all words, ``floor`` of that, ``copied`` of words that
        follow by copying alone, ``other`` above the floor of the rest; and for each layer and head
        the scores ``previous``, ``induction`` and ``stop``.
    """
    inputs, targets = documents[:, :-1], documents[:, 1:]
    with torch.no_grad(), recorded(model) as seen:
        logits = model(inputs)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    lost = losses.reshape(targets.shape).double().numpy()
    rows = documents.numpy()
    floor = np.stack([BALLADS.surprisals(row)[1:] for row in rows])
    copied = np.stack([BALLADS.copied(row)[1:] for row in rows])
    stops = inputs == BALLADS.stop
    return {
        "loss": float(lost.mean()),
        "floor": float(floor.mean()),
        "copied": float(lost[copied].mean()),
        "other": float((lost - floor)[~copied].mean()),
        "previous": [previous_token(w).tolist() for w in seen.weights],
        "induction": [induction(w, inputs).tolist() for w in seen.weights],
        "stop": [marked(w, stops).tolist() for w in seen.weights],
    }


def train(recipe: Recipe, *, say: bool = False) -> tuple[Decoder, list[dict[str, Any]]]:
    """Make a model.

    Args:
        recipe: how.
        say: whether each look is printed.

    Returns:
        The model, and what was seen at each look.

    Cost: three passes for each step; a few minutes on one core.
    """
    text = torch.from_numpy(BALLADS.sample(recipe.documents, recipe.context + 1, seed=recipe.seed))
    torch.manual_seed(recipe.seed)
    model = Decoder(recipe.config())
    initialise(model, by_sublayers(2 * model.config.n_layers), spread=recipe.spread)
    optimiser = adamw(model, rate=recipe.rate)
    schedule = Schedule(peak=recipe.rate, warmup=recipe.steps // 10, steps=recipe.steps)
    unseen, rows = held_out(), []
    for step in range(recipe.steps + 1):
        if step in recipe.looks:
            rows.append({"step": step, **look(model, unseen)})
            if say:
                print(*(f"{k}={v:.4g}" for k, v in rows[-1].items() if not isinstance(v, list)))
        if step == recipe.steps:
            break
        at = step * recipe.batch % (recipe.documents - recipe.batch + 1)
        batch = text[at : at + recipe.batch]
        for group in optimiser.param_groups:
            group["lr"] = schedule(step)
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval(), rows
