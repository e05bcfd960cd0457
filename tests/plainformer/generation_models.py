"""Small models for the tests of generation, and enumerated instead of random choices."""

from collections import Counter

import torch
from torch import nn

from plainformer.generation.drawing import Dice
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder
from tests.plainformer.tensors import normal


def talkative(seed: int = 0, **changes) -> Decoder:
    """Build a decoder in float64 whose weights are large, so that its text varies."""
    sizes = {
        "vocabulary": 13,
        "d_model": 16,
        "n_layers": 2,
        "n_heads": 4,
        "n_kv_heads": 2,
        "context": 24,
    }
    model = Decoder(Config(**{**sizes, "tied": False, **changes})).double()
    for i, weight in enumerate(model.parameters()):
        if weight.ndim > 1:
            weight.data = 1.5 * normal(*weight.shape, seed=seed + i) / weight.shape[-1] ** 0.5
    return model


class Table(nn.Module):
    """Return different logits for every prefix of a text, without a cache."""

    def __init__(self, seed: int, vocabulary: int = 3, sharpness: float = 1.5) -> None:
        super().__init__()
        self.config = Config(vocabulary=vocabulary, d_model=2, n_layers=1, n_heads=1, context=16)
        self.rule, self.rows, self.seed, self.sharpness = Rule(), {}, seed, sharpness
        self.weight = nn.Parameter(torch.zeros(1))

    def row(self, text: tuple[int, ...]) -> torch.Tensor:
        if text not in self.rows:
            number = sum((token + 1) * 31**i for i, token in enumerate(text)) % 2**20
            draws = normal(self.config.vocabulary, seed=1000 * self.seed + number)
            self.rows[text] = self.sharpness * draws
        return self.rows[text]

    def hidden(self, tokens, **_) -> torch.Tensor:
        texts = [[tuple(row[: i + 1]) for i in range(len(row))] for row in tokens.tolist()]
        return torch.stack([torch.stack([self.row(t) for t in row]) for row in texts])

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden


class Scripted(Dice):
    """Follow a script of choices, then always take the first; record each and its probability."""

    def __init__(self, script: list[int]) -> None:
        self.script, self.trail, self.weight = script, [], 1.0

    def coin(self, probability: float) -> bool:
        return self._choose([1 - probability, probability]) == 1

    def draw(self, probabilities: torch.Tensor) -> int:
        return self._choose(probabilities.tolist())

    def _choose(self, weights: list[float]) -> int:
        options = [(i, weight) for i, weight in enumerate(weights) if weight > 0]
        place = len(self.trail)
        taken = self.script[place] if place < len(self.script) else 0
        self.trail.append((taken, len(options)))
        self.weight *= options[taken][1]
        return options[taken][0]


def exact_distribution(run) -> Counter:
    """Return the probability of each outcome of ``run(dice)``, from every path of choices."""
    law, script = Counter(), []
    while True:
        dice = Scripted(script)
        law[run(dice)] += dice.weight
        trail = dice.trail
        while trail and trail[-1][0] + 1 == trail[-1][1]:
            trail.pop()
        if not trail:
            return law
        script = [taken for taken, _ in trail]
        script[-1] += 1
