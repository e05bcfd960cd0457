"""Train one layer of attention with three divisors: how large its scores start, and become."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from plainformer.lab.senses import SENSES, WORDS, sentences
from plainformer.scores import dot

WIDTH, VALUE = 16, 8
LOOKS = (0, 25, 50, 100, 300, 1000, 2000)
"""After how many steps the layer is looked at."""
SATURATED = 1e-3
"""A softmax whose Jacobian has a smaller norm is saturated."""


class Divided(nn.Module):
    """Self-attention (b, q, m) -> (b, q, e) that divides its dot products by a number."""

    def __init__(self, *, d: int, divisor: float) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, d, bias=False)
        self.key = nn.Linear(WIDTH, d, bias=False)
        self.value = nn.Linear(WIDTH, VALUE, bias=False)
        self.divisor = divisor

    def scores(self, x: Tensor) -> Tensor:
        """Return what goes into the softmax."""
        return dot(self.query(x), self.key(x)) / self.divisor

    def forward(self, x: Tensor) -> Tensor:
        """Return the blends."""
        return self.scores(x).softmax(dim=-1) @ self.value(x)


@torch.no_grad()
def look(model: nn.Sequential, word: Tensor, sense: Tensor) -> dict[str, float]:
    """Measure the scores, the slopes and the answers of the words that have a label."""
    asked = sense >= 0
    scores = model[1].scores(model[0](word))[asked].double()
    a = scores.softmax(dim=-1)
    norm = (torch.diag_embed(a) - a[:, :, None] * a[:, None, :]).norm(dim=(-2, -1))
    answer = model(word)
    wrong = answer.argmax(dim=-1)[asked] != sense[asked]
    saturated = norm < SATURATED
    return {
        "loss": nn.functional.cross_entropy(answer.mT, sense).item(),
        "score deviation": scores.std().item(),
        "Jacobian norm": norm.median().item(),
        "saturated": saturated.double().mean().item(),
        "saturated and wrong": (saturated & wrong).double().mean().item(),
        "wrong": wrong.double().mean().item(),
    }


def measure(*, seed: int, steps: int, d: int, divisor: float, rate: float) -> dict[str, Any]:
    """Train once; a seed gives every divisor the same start and the same sentences."""
    test = sentences(1000)
    torch.manual_seed(seed)
    readout = nn.Linear(VALUE, len(SENSES), bias=False)
    model = nn.Sequential(nn.Embedding(len(WORDS), WIDTH), Divided(d=d, divisor=divisor), readout)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    seen: dict[str, list[float]] = {}
    for step in range(steps + 1):
        if step in LOOKS:
            for name, value in {"step": step, **look(model, *test)}.items():
                seen.setdefault(name, []).append(value)
        word, sense = sentences(64)
        loss = nn.functional.cross_entropy(model(word).mT, sense)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return seen


DIVISORS = {8: {"none": 1.0, "√d": math.sqrt(8), "d": 8.0}, 16: {"none": 1.0, "√d": 4.0, "d": 16.0}}
EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Does a layer without a scale start saturated, or does it become so in training, and what "
        "has it learnt by when? Against it: the divisor only sets how far a step moves the "
        "scores, and a smaller learning rate does as well."
    ),
    measure=measure,
    variants={
        f"d = {d}, {name}": {"d": d, "divisor": divisor, "rate": 0.01}
        for d, divisors in DIVISORS.items()
        for name, divisor in divisors.items()
    }
    | {
        f"d = 16, {name}, rate 0.003": {"d": 16, "divisor": divisor, "rate": 0.003}
        for name, divisor in DIVISORS[16].items()
    },
    steps=2000,
    seeds=range(8),
)

if __name__ == "__main__":
    EXPERIMENT.main()
