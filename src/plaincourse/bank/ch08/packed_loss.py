"""Exercise 08.packed_loss: the next-token loss where documents share a row."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from plaincourse.bank.ch08.mistakes.packed_loss import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def packs(g: Generator, segments: list[list[int]], v: int = 5, size: float = 1.0) -> Inputs:
    marks = torch.tensor(segments)
    b, n = marks.shape
    tokens = torch.randint(v, (b, n), generator=g).masked_fill(marks < 0, 0)
    return {"logits": size * normal(g, b, n, v), "tokens": tokens, "segments": marks}


def two_tokens(g: Generator) -> list[Inputs]:
    return [packs(g, [[0, 0]], v=2), packs(g, [[0, 0]], v=3)]


def whole_rows(g: Generator) -> list[Inputs]:
    return [packs(g, [[0, 0, 0]]), packs(g, [[0] * 6, [0] * 6], v=7)]


def with_filler(g: Generator) -> list[Inputs]:
    return [packs(g, [[0, 0, 0, -1, -1]]), packs(g, [[0, 0, 0, -1], [0, 0, 0, -1]], v=4)]


def two_in_a_row(g: Generator) -> list[Inputs]:
    return [packs(g, [[0, 0, 1, 1]]), packs(g, [[0, 0, 0, 1, 1, 2, 2]])]


def unequal_rows(g: Generator) -> list[Inputs]:
    return [
        packs(g, [[0, 0, 0, 0], [0, 0, -1, -1]]),
        packs(g, [[0, 0, 1, 1, 1, -1], [0, 0, 0, 0, 0, 0], [0, 1, 1, -1, -1, -1]], v=9),
    ]


def large_logits(g: Generator) -> list[Inputs]:
    return [packs(g, [[0, 0, 0, 1, 1, -1]], size=2000.0)]


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
        Rung(name="one guess", points=0.5, draw=two_tokens),
        Rung(name="every position guesses the next token", points=1.0, draw=whole_rows),
        Rung(name="filler is not counted", points=1.0, draw=with_filler),
        Rung(name="no guess across a seam", points=1.0, draw=two_in_a_row),
        Rung(name="every guess weighs the same", points=1.0, draw=unequal_rows),
        Rung(name="large logits do no harm", points=0.5, draw=large_logits),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="cross_entropy that ignores", answer=ignoring),
        Alternative(name="document by document", answer=document_by_document),
    ),
    hints=(
        "A row has n tokens. How many of its positions have a next token?",
        "Which two entries of segments must agree for a guess to count?",
        "Sum the prices of the guesses that count, over all rows. By what do you divide?",
    ),
    rtol=1e-5,
)
