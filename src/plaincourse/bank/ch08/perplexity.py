"""Exercise 08.perplexity: one number for a text that came in batches."""

import math

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from plaincourse.bank.ch08.mistakes.perplexity import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def batches(g: Generator, counts: list[int]) -> Inputs:
    return {"losses": 1 + normal(g, len(counts)).abs(), "counts": torch.tensor(counts)}


def one_batch(g: Generator) -> list[Inputs]:
    return [batches(g, [1]), batches(g, [7])]


def equal_counts(g: Generator) -> list[Inputs]:
    return [batches(g, [3, 3]), batches(g, [5] * 4)]


def unequal_counts(g: Generator) -> list[Inputs]:
    return [batches(g, [1, 3]), batches(g, [12, 1, 5]), batches(g, [2, 64, 64, 31, 7])]


def an_empty_batch(g: Generator) -> list[Inputs]:
    return [batches(g, [4, 0]), batches(g, [0, 9, 2])]


def perplexity(losses: Float[Tensor, " n"], counts: Int[Tensor, " n"]) -> Float[Tensor, ""]:
    mean: Tensor = (losses * counts).sum() / counts.sum()
    return mean.exp()


def loop(losses: Tensor, counts: Tensor) -> Tensor:
    total, words = 0.0, 0
    for loss, count in zip(losses.tolist(), counts.tolist(), strict=True):
        total += loss * count
        words += count
    return torch.tensor(math.exp(total / words), dtype=losses.dtype)


def geometric(losses: Tensor, counts: Tensor) -> Tensor:
    shares = counts / counts.sum()
    powers: Tensor = losses.exp() ** shares.to(losses.dtype)
    return powers.prod()


TASK = Exercise(
    id="08.perplexity",
    title="One number for many batches",
    level="warm-up",
    minutes=5,
    concepts=("cross-entropy",),
    reference=perplexity,
    rungs=(
        Rung(name="one batch", points=0.5, draw=one_batch),
        Rung(name="batches of one size", points=0.5, draw=equal_counts),
        Rung(name="each word counts once, whatever its batch", points=0.5, draw=unequal_counts),
        Rung(name="a batch without words counts nothing", points=0.5, draw=an_empty_batch),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="word by word", answer=loop),
        Alternative(name="geometric mean", answer=geometric),
    ),
    hints=(
        "What is the perplexity of one batch with the loss 0? And with the loss ln 2?",
        "How many nats did a batch of 12 words with the mean loss 1.5 pay in all?",
        "You need all nats and all words. Which operation comes last?",
    ),
    rtol=1e-5,
)
