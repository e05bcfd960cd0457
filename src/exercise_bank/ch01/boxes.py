"""Closed boxes for 01.name_the_score, which all look the same from outside."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.arguments import queries_keys_values
from exercise_bank.closing import closed as boxed
from exercise_bank.draws import normal
from plainformer.scores import Score, cosine, dot, scaled_dot
from plainformer.softmax import softmax

Box = Callable[[Tensor, Tensor], Tensor]
WIDTH = 4
NAMES = ("dot", "scaled dot", "cosine", "additive", "hard")


def closed(name: str, g: Generator) -> Box:
    """Return attention weights with the score of that name, under an uninformative name."""
    score = _additive(g) if name == "additive" else _SCORES[name]

    def attention(query: Tensor, key: Tensor) -> Tensor:
        if name == "hard":
            best = dot(query, key).argmax(dim=-1)
            return torch.nn.functional.one_hot(best, key.shape[-2]).double()
        return softmax(score(query, key))

    box: Box = boxed(attention, _taken, name="attention", slopes=True)
    return box


def _taken(query: Any, key: Any) -> tuple[Tensor, Tensor]:
    """Take a query (..., q, 4) and a key (..., k, 4), as float64."""
    query, key, _ = queries_keys_values(query, key, key)
    if query.shape[-1] != WIDTH:
        raise ValueError(f"query and key have {query.shape[-1]} features: expected {WIDTH}")
    return query.double(), key.double()


def _additive(g: Generator) -> Score:
    """Return a small network whose score is never an exact multiple of a dot product."""
    project_query, project_key = normal(g, 6, WIDTH), normal(g, 6, WIDTH)
    w = 0.6 + normal(g, 6).abs()

    def score(query: Tensor, key: Tensor) -> Tensor:
        pairs = (query @ project_query.T).unsqueeze(-2) + (key @ project_key.T).unsqueeze(-3)
        return torch.tanh(pairs) @ w

    return score


_SCORES: dict[str, Score] = {"dot": dot, "scaled dot": scaled_dot, "cosine": cosine, "hard": dot}
