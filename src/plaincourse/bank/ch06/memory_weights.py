"""Exercise 06.memory_weights: write facts into a feed-forward network with ReLU."""

from typing import Any

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch06.mistakes.memory_weights import MISCONCEPTIONS
from plaincourse.bank.draws import normal, together
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def rows(*features: tuple[int, ...], m: int) -> Tensor:
    keys = torch.zeros(len(features), m, dtype=torch.float64)
    for row, present in zip(keys, features, strict=True):
        row[list(present)] = 1
    return keys


def asked(g: Generator, keys: Tensor, streams: Tensor) -> Inputs:
    """The facts to be written, with random values, and the streams that are put in."""
    return {"keys": keys, "values": normal(g, *keys.shape), "streams": streams}


def one_fact(g: Generator) -> list[Inputs]:
    keys, three = rows((0, 1), m=3), rows((0, 1), m=4)
    return [asked(g, keys, keys), asked(g, three, three)]


def several_facts(g: Generator) -> list[Inputs]:
    grid = rows((0, 2), (1, 2), (0, 3), (1, 3), m=4)
    return [asked(g, rows((0, 2), (1, 2), m=3), rows((0, 2), (1, 2), m=3)), asked(g, grid, grid)]


def parts_missing(g: Generator) -> list[Inputs]:
    keys = rows((0, 1), (1, 2), m=4)
    return [asked(g, keys, torch.eye(4, dtype=torch.float64)), asked(g, keys, 0 * keys)]


def other_sizes(g: Generator) -> list[Inputs]:
    keys = rows((0,), (1, 2, 3), (2, 4, 5, 6), m=7)
    pairs = rows((1, 2), (4, 5, 6), (3,), m=7)
    return [asked(g, keys, keys), asked(g, keys, pairs)]


def two_at_once(g: Generator) -> list[Inputs]:
    keys = rows((0, 1), (2, 3, 4), m=6)
    both, more = rows((0, 1, 2, 3, 4), m=6), rows((0, 1, 5), m=6)
    return [asked(g, keys, both), asked(g, keys, more)]


def recall(answer: Any, inputs: Inputs) -> Tensor:
    """Put streams through the network that an answer's weights make."""
    (up, bias, down), kind = together(answer(inputs["keys"], inputs["values"]))
    fires: Tensor = torch.relu(inputs["streams"].double() @ up.mT + bias)
    written: Tensor = fires @ down.mT
    return written.to(kind)


def memory_weights(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return W_1 (n, m), b_1 (n,) and W_2 (m, n): one neuron for each fact."""
    return keys, 1 - keys.sum(dim=-1), values.mT


def louder(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    needed = (keys > 0).sum(-1)
    return 3 * keys, 3.0 * (1 - needed), values.T / 3


def fact_by_fact(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    n, m = keys.shape
    up, bias, down = keys.new_zeros(n, m), keys.new_zeros(n), keys.new_zeros(m, n)
    for i in range(n):
        up[i] = keys[i]
        bias[i] = 1 - int(keys[i].sum())
        down[:, i] = values[i]
    return up, bias, down


def by_squares(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    matches = torch.einsum("nm,nm->n", keys, keys)
    return keys.clone(), -(matches - 1), torch.einsum("nm->mn", values)


TASK = Exercise(
    id="06.memory_weights",
    title="Write facts into a network",
    level="medium",
    minutes=15,
    concepts=("feed-forward-as-memory", "relu-and-gelu", "feed-forward"),
    reference=memory_weights,
    call=recall,
    rungs=(
        Rung(name="one fact is read back", points=0.5, draw=one_fact),
        Rung(name="several facts do not disturb each other", points=1.0, draw=several_facts),
        Rung(name="a part of a key reads nothing", points=0.5, draw=parts_missing, law=None),
        Rung(name="keys may have one feature, or three, or four", points=2.0, draw=other_sizes),
        Rung(name="two keys in one stream read both values", points=1.0, draw=two_at_once),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="louder keys, quieter values", answer=louder),
        Alternative(name="fact by fact", answer=fact_by_fact),
        Alternative(name="dot products of keys with themselves", answer=by_squares),
    ),
    hints=(
        "What is the dot product of a key of three features with itself, and with a stream that "
        "lacks one of them?",
        "A neuron should be above 0 only when all features of its key are there. The bias decides, "
        "and it need not be the same for all neurons.",
        "Take a key of n features. Its match is n when all are there. Which bias leaves exactly 1 "
        "of n, and nothing of n - 1?",
    ),
    equivalents={
        "memory_weights: line 2: the minus of -1 dropped": "the keys have two axes",
    },
)
