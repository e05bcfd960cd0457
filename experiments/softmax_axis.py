"""Train one layer with softmax over the keys and over the queries, and let each query ask alone."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from plainformer.lab.senses import SENSES, WORDS, sentences
from plainformer.scores import scaled_dot

WIDTH, NARROW = 16, 8


class Axis(nn.Module):
    """Self-attention (b, q, m) -> (b, q, e) whose softmax runs over an axis of our choice."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, NARROW, bias=False)
        self.key = nn.Linear(WIDTH, NARROW, bias=False)
        self.value = nn.Linear(WIDTH, NARROW, bias=False)
        self.axis = axis

    def forward(self, x: Tensor, *, alone: bool = False) -> Tensor:
        """Return the blends; ``alone`` gives the softmax one query at a time."""
        scores = scaled_dot(self.query(x), self.key(x))
        parts = scores.split(1, dim=-2) if alone else [scores]
        weights = torch.cat([part.softmax(dim=self.axis) for part in parts], dim=-2)
        return weights @ self.value(x)


@torch.no_grad()
def accuracy(model: nn.ModuleList, word: Tensor, sense: Tensor, *, alone: bool) -> float:
    """Return the share of the ambiguous words that get their sense."""
    embed, attention, readout = model
    answer = readout(attention(embed(word), alone=alone)).argmax(dim=-1)
    return (answer == sense)[sense >= 0].double().mean().item()


def measure(*, seed: int, steps: int, axis: int) -> dict[str, Any]:
    """Train with all six words asking together, and test together and alone."""
    test = sentences(1000)
    torch.manual_seed(seed)
    readout = nn.Linear(NARROW, len(SENSES), bias=False)
    model = nn.ModuleList([nn.Embedding(len(WORDS), WIDTH), Axis(axis), readout])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, fused=True)
    loss = torch.tensor(math.nan)
    for _ in range(steps):
        word, sense = sentences(64)
        loss = nn.functional.cross_entropy(readout(model[1](model[0](word))).mT, sense)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return {
        "loss": loss.item(),
        "together": accuracy(model, *test, alone=False),
        "alone": accuracy(model, *test, alone=True),
    }


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Does a layer whose softmax runs over the queries learn the task, and what is left of it "
        "when each query asks alone? Against it: the wrong axis cannot be trained at all."
    ),
    measure=measure,
    variants={"over keys": {"axis": -1}, "over queries": {"axis": -2}},
    steps=1000,
    seeds=range(8),
)

if __name__ == "__main__":
    EXPERIMENT.main()
