"""Exercise 08.packed_loss: the next-token loss for documents that share a row."""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from exercise_bank.ch08.mistakes.packed_loss import MISCONCEPTIONS
from exercise_bank.draws import normal, stretched
from exercise_bank.skills import both_types, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

NEXT = "each position predicts the next token"
COUNTED = "which guesses count"
MEAN = "a mean over guesses that count"


def packs(g: Generator, segments: list[list[int]], v: int = 5) -> dict[str, Any]:
    marks = torch.tensor(segments)
    b, n = marks.shape
    tokens = torch.randint(v, (b, n), generator=g).masked_fill(marks < 0, 0)
    return {"logits": normal(g, b, n, v), "tokens": tokens, "segments": marks}


def even_logits(g: Generator) -> list[Inputs]:
    """Draw logits of zeros, for which every prediction has the same loss, whichever are counted."""
    a, b = stretched(g, 2, 7, most=4)
    rows = [[1, 1, 1, 2, 2], [1, 1, -1, -1, -1]]
    drawn = packs(g, [[1, 1, 2, -1]], v=4), packs(g, [[1, 1]], v=a), packs(g, rows, v=b)
    return [{**each, "logits": 0 * each["logits"]} for each in drawn]


def whole_rows(g: Generator) -> list[Inputs]:
    return [packs(g, [[1, 1]], v=2), packs(g, [[2, 2, 2]]), packs(g, [[3] * 6, [1] * 6], v=7)]


def with_filler(g: Generator) -> list[Inputs]:
    """Draw one document per row, with filler after it or in front; one of them has the number 0."""
    behind = packs(g, [[0, 0, 0, -1, -1]]), packs(g, [[2, 2, 2, -1], [0, 0, 0, -1]], v=4)
    return [*behind, packs(g, [[-1, -1, 0, 0, 0]])]


def several_in_a_row(g: Generator) -> list[Inputs]:
    """Draw documents without filler; their numbers may fall, and one occurs twice."""
    rows = [1, 1, 2, 2], [1, 1, 1, 2, 2, 3, 3], [5, 5, 2, 2, 2, 1, 1], [1, 1, 3, 3, 1, 1]
    return [packs(g, [row]) for row in rows]


def unequal_rows(g: Generator) -> list[Inputs]:
    return [
        packs(g, [[1, 1, 1, 1], [2, 2, -1, -1]]),
        packs(g, [[1, 1, 2, 2, 2, -1], [3, 3, 3, 3, 3, 3], [1, 2, 2, -1, -1, -1]], v=9),
        packs(g, [[1, 1, 1, 1], [-1, -1, -1, -1]]),
        packs(g, [[1, 1, 1, 1, 2, 2]]),
    ]


def whole(g: Generator) -> list[Inputs]:
    large = packs(g, [[0, 0, 0, 1, 1, -1]])
    large["logits"] = 2000 * large["logits"].round()  # exact in float32
    example = packs(g, [[0, 0, 1, -1]], v=4)
    example |= {"tokens": torch.tensor([[3, 1, 2, 0]]), "logits": 0 * example["logits"]}
    joined = packs(g, [[3, 3, 1], [1, 1, -1]])  # two documents 1, adjacent if rows are joined
    return [example, packs(g, [[0, 0, 1, 1, -1, -1], [4, 4, 4, 2, 2, 2]], v=6), large, joined]


def of_these_guesses(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is made of other losses, whatever its divisor."""
    if not isinstance(answer, Tensor) or answer.numel() != 1:
        return "return a tensor with one number"
    mean, marks = packed_loss(**inputs).double(), inputs["segments"]
    n = ((marks[:, 1:] == marks[:, :-1]) & (marks[:, 1:] >= 0)).sum().item()
    places = marks[:, 1:].numel()
    factors = torch.tensor([1, n, n / places, n / marks.numel(), 1 / math.log(2)]).double()
    made = torch.cat([mean * factors, mean.exp()[None], -mean[None]])
    if torch.isclose(answer.double().reshape(()), made, rtol=1e-4).any():
        return None
    return (
        f"{n} {'guess counts' if n == 1 else 'guesses count'} here, with losses that sum to "
        f"{mean.item() * n:.4g} nats; yours, "
        f"{answer.item():.4g}, is neither that sum nor a mean of it"
    )


def packed_loss(
    logits: Float[Tensor, "b n v"], tokens: Int[Tensor, "b n"], segments: Int[Tensor, "b n"]
) -> Float[Tensor, ""]:
    counted = (segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] >= 0)
    prices = F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:], reduction="none")
    return prices[counted].mean()


def ignoring(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    targets = tokens[:, 1:].clone()
    targets[(segments[:, 1:] != segments[:, :-1]) | (segments[:, 1:] < 0)] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


def document_by_document(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    total, count = torch.zeros((), dtype=logits.dtype), 0
    for row, said, marks in zip(logits, tokens, segments, strict=True):
        for i in range(1, len(marks)):
            if marks[i] >= 0 and marks[i] == marks[i - 1]:
                total = total + row[i - 1].logsumexp(dim=0) - row[i - 1, said[i]]
                count += 1
    return total / count


def weighted(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    inside = segments[:, 1:].ge(0).mul(segments[:, 1:].eq(segments[:, :-1])).to(logits.dtype)
    said = F.one_hot(tokens[:, 1:], logits.shape[-1])
    paid = -(logits.log_softmax(-1)[:, :-1] * said).sum(-1)
    return (paid * inside).sum() / inside.sum()


TASK = Exercise(
    id="08.packed_loss",
    title="The loss of packed rows",
    level="medium",
    minutes=15,
    concepts=(
        "next-token-objective",
        "teacher-forced-training",
        "batching-and-padding",
        "cross-entropy",
    ),
    reference=packed_loss,
    rungs=(
        Rung(
            name="equal logits: a mean in nats, whichever guesses count",
            points=0.75,
            draw=in_single(even_logits),
            idea=MEAN,
        ),
        Rung(
            name="every position guesses the next token, whatever the sum is divided by",
            points=1.0,
            draw=in_single(whole_rows),
            law=of_these_guesses,
            compare=False,
            idea=NEXT,
        ),
        Rung(
            name="filler is not counted but document 0 is, whatever the sum is divided by",
            points=0.5,
            draw=in_single(with_filler),
            law=of_these_guesses,
            compare=False,
            idea=COUNTED,
        ),
        Rung(
            name="no guess across a seam, whatever the sum is divided by",
            points=0.75,
            draw=in_single(several_in_a_row),
            law=of_these_guesses,
            compare=False,
            idea=COUNTED,
        ),
        Rung(
            name="every guess weighs the same",
            points=1.5,
            draw=in_single(unequal_rows),
            idea=MEAN,
        ),
        Rung(
            name="documents and filler in one row, large logits too, in float32 and float64",
            points=0.5,
            draw=both_types(whole),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="cross_entropy that ignores", answer=ignoring),
        Alternative(name="document by document", answer=document_by_document),
        Alternative(name="weights of 0 and 1", answer=weighted),
    ),
    hints=(
        "A row has n tokens. How many of its positions have a next token?",
        "Which two entries of segments must agree for a guess to count?",
        "Sum the prices of the guesses that count, over all rows. By which number do you divide?",
    ),
    precision=SUMMED,
)
