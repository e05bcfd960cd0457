"""Five storytellers, trained on 64 words, read 512: as they are, scaled, and tuned a little."""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from experiments.record import Experiment
from plainformer.lab.needles import hide
from plainformer.lab.storyteller import BALLADS, Recipe, train
from plainformer.looking import recorded
from plainformer.models import Config, Decoder
from plainformer.training.optimiser import adamw

TRAINED = 64
LENGTHS = (64, 128, 256, 512)
DEPTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
EDGES = (0, 16, 32, 64, 96, 128, 192, 256, 384, 512)
TUNING = 100  # steps at 512 words
FLAT: dict[str, float | bool] = {"attention_factor": 1.0}
METHODS: dict[str, dict[str, Any]] = {
    "nothing done": {},
    "interpolation": {"rotary_scaling": "linear"},
    "NTK-aware": {"rotary_scaling": "ntk"},
    "YaRN": {"rotary_scaling": "yarn"},
    "YaRN without temperature": {"rotary_scaling": "yarn", "rotary_options": FLAT},
}


def stretched(model: Decoder, method: str, length: int) -> Decoder:
    """Return a copy of ``model`` that reads ``length`` words by a method of ``METHODS``."""
    fields = model.config.to_dict() | {"context": length}
    if METHODS[method] and length > TRAINED:
        factor = length / TRAINED
        fields |= {"rotary_factor": factor, "rotary_context": TRAINED} | METHODS[method]
    copy = Decoder(Config.from_dict(fields))
    copy.load_state_dict(model.state_dict())
    return copy.eval()


@torch.no_grad()
def losses(model: nn.Module, length: int, *, count: int = 32) -> tuple[list[float], list[float]]:
    """Return mean losses in nats from edge to edge: of copied words, of others above the floor."""
    documents = torch.from_numpy(BALLADS.sample(count, length + 1, seed=2_000))
    logits, targets = model(documents[:, :-1]), documents[:, 1:]
    lost = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    lost = lost.reshape(targets.shape).double().numpy()
    rows = documents.numpy()
    above = lost - np.stack([BALLADS.surprisals(row)[1:] for row in rows])
    copied = np.stack([BALLADS.copied(row)[1:] for row in rows])
    parts = [slice(a, b) for a, b in pairwise(EDGES) if b <= length]
    return (
        [float(lost[:, at][copied[:, at]].mean()) for at in parts],
        [float(above[:, at][~copied[:, at]].mean()) for at in parts],
    )


@torch.no_grad()
def needles(model: nn.Module, length: int, *, count: int = 40) -> tuple[list[float], list[float]]:
    """Return, for each depth, the share of needles found and the weight that they get.

    The weight is that of the best head of the last layer, from the question to the answer.
    """
    right, weight = [], []
    for depth in DEPTHS:
        texts, places, answers = hide(BALLADS, length, depth, count=count)
        logits: Tensor = model(texts)[:, -1]
        right.append((logits.argmax(dim=-1) == answers).double().mean().item())
        with recorded(model) as seen:  # slow: all weights are written down
            model(texts[:8])
        found = (seen.weights[-1][:, :, -1] * places[:8, None]).sum(dim=-1).mean(dim=0)
        weight.append(found.max().item())
    return right, weight


def tune(model: nn.Module, length: int, steps: int, *, seed: int) -> None:
    """Train on ballads of ``length`` words, as many words a step as in the first training."""
    batch = 2048 // length
    text = torch.from_numpy(BALLADS.sample(batch * steps, length + 1, seed=3_000 + seed))
    optimiser = adamw(model, rate=1e-3)
    for part in text.split(batch):
        loss = F.cross_entropy(model(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


def measure(*, seed: int, steps: int) -> dict[str, Any]:
    """Train a storyteller; return its losses and needles by method and length."""
    model, _ = train(Recipe(steps=steps, seed=seed, looks=()))
    found: dict[str, Any] = {}
    for method in METHODS:
        for length in LENGTHS if method == "nothing done" else LENGTHS[1:]:
            scaled = stretched(model, method, length)
            right, weight = needles(scaled, length)
            found[f"{method}, needles at {length}"] = right
            found[f"{method}, weight at {length}"] = weight
            if length in (64, 512):
                copied, other = losses(scaled, length)
                found[f"{method}, copied at {length}"] = copied
                found[f"{method}, other at {length}"] = other
        if method == "YaRN without temperature":
            continue
        tune(scaled, 512, min(TUNING, steps), seed=seed)
        found[f"{method}, tuned, needles at 512"] = needles(scaled, 512)[0]
        copied, other = losses(scaled, 512)
        found[f"{method}, tuned, copied at 512"] = copied
        found[f"{method}, tuned, other at 512"] = other
    return found


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Which scaling of rotary positions lets a storyteller of 64 words find what stands in 512, "
        "at once and after 100 steps at 512? Against it: with tuning, doing nothing is as good."
    ),
    measure=measure,
    variants={"storyteller": {}},
    steps=1_800,
    seeds=(1, 4, 5, 6, 7),  # 2 and 3 have not learned to copy by then: see their growth
)

if __name__ == "__main__":
    EXPERIMENT.main()
