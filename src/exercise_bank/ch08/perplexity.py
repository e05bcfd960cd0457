"""Exercise 08.perplexity: one number for a text in batches."""

import math

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from exercise_bank.ch08.mistakes.perplexity import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import both_types, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

POWER = "a power of the mean loss"
WORDS = "each word counts once"


def batches(g: Generator, counts: list[int]) -> dict[str, Tensor]:
    """Draw mean losses of batches; a batch without words has nan."""
    words = torch.tensor(counts)
    losses = 1 + normal(g, len(counts)).abs()
    return {"losses": losses.masked_fill(words == 0, torch.nan), "counts": words}


def equal_losses(g: Generator) -> list[Inputs]:
    drawn = [batches(g, counts) for counts in ([1], [7], [3, 3], [1, 9, 4])]
    return [{**x, "losses": x["losses"][:1].expand(len(x["counts"])).clone()} for x in drawn]


def several_batches(g: Generator) -> list[Inputs]:
    sizes = ([1, 3], [3, 3], [12, 1, 5], [2, 64, 64, 31, 7])
    return [batches(g, counts) for counts in sizes]


def an_empty_batch(g: Generator) -> list[Inputs]:
    """Draw batches of equal loss or equal size, and batches without words."""
    alike = batches(g, [4, 0, 9])
    alike["losses"][2] = alike["losses"][0]
    return [batches(g, [4, 0]), batches(g, [0, 0, 2]), alike]


def whole(g: Generator) -> list[Inputs]:
    losses = torch.tensor([0.0, math.log(16)], dtype=torch.float64)
    example = {"losses": losses, "counts": torch.tensor([1, 3])}
    return [example, batches(g, [5, 1, 2, 9]), batches(g, [8, 8, 1])]


def mean_price(inputs: Inputs, answer: object) -> str | None:
    """Report an answer based on another mean, whatever is computed from it."""
    if not isinstance(answer, Tensor) or answer.numel() != 1:
        return "return a tensor with one number"
    mean = perplexity(**inputs).log().double()
    made = torch.stack([mean.exp(), (-mean).exp(), mean, 2**mean, mean / math.log(2), 10**mean])
    if torch.isclose(answer.double().reshape(()), made, rtol=1e-4).any():
        return None
    return (
        f"the mean price of a word is {mean.item():.4g} nats here; yours, {answer.item():.4g}, is "
        f"neither that, nor its exponential, {mean.exp().item():.4g}, nor 2 or 10 to its power"
    )


def perplexity(losses: Float[Tensor, " n"], counts: Int[Tensor, " n"]) -> Float[Tensor, ""]:
    paid = torch.where(counts > 0, losses * counts, 0.0)
    mean: Tensor = paid.sum() / counts.sum()
    return mean.exp()


def loop(losses: Tensor, counts: Tensor) -> Tensor:
    total, words = 0.0, 0
    for loss, count in zip(losses.tolist(), counts.tolist(), strict=True):
        total += loss * count if count else 0.0
        words += count
    return torch.tensor(math.exp(total / words), dtype=losses.dtype)


def geometric(losses: Tensor, counts: Tensor) -> Tensor:
    losses, counts = losses[counts > 0], counts[counts > 0]
    shares = counts / counts.sum()
    powers: Tensor = losses.exp() ** shares.to(losses.dtype)
    return powers.prod()


def nansum(losses: Tensor, counts: Tensor) -> Tensor:
    return torch.exp(torch.nansum(counts * losses) / counts.sum())


TASK = Exercise(
    id="08.perplexity",
    title="One number for many batches",
    level="warm-up",
    minutes=5,
    concepts=("cross-entropy",),
    reference=perplexity,
    rungs=(
        Rung(
            name="all batches have one loss",
            points=0.5,
            draw=in_single(equal_losses),
            idea=POWER,
        ),
        Rung(
            name="each word counts once, whatever follows the mean",
            points=0.75,
            draw=in_single(several_batches),
            law=mean_price,
            compare=False,
            idea=WORDS,
        ),
        Rung(
            name="a batch without words (mean nan) does not count, whatever follows the mean",
            points=0.25,
            draw=in_single(an_empty_batch),
            law=mean_price,
            compare=False,
        ),
        Rung(
            name="batches of different sizes, in float32 and float64",
            points=0.5,
            draw=both_types(whole),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="word by word", answer=loop),
        Alternative(name="geometric mean", answer=geometric),
        Alternative(name="nansum", answer=nansum),
    ),
    hints=(
        "What is the perplexity of one batch with the loss 0? And with the loss ln 2?",
        "How many nats do 12 words with the mean loss 1.5 cost in total?",
        "You need the total of the nats and of the words. Which operation comes last?",
    ),
    precision=SUMMED,
    equivalents={
        "perplexity: line 2: counts becomes losses in counts > 0": (
            "a loss is above 0, or it is 0 or nan, and then the batch adds nothing"
        ),
    },
)
