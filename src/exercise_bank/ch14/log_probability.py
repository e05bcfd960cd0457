"""Exercise 14.log_probability: what a model gives to each text of a padded batch."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch14.mistakes.log_probability import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Two = tuple[Tensor, Tensor]


def drawn(
    g: Generator, v: int, *rows: tuple[int, int, int], size: float = 1.5, broken: bool = False
) -> Inputs:
    """Draw a batch; a row is its padding at the left, its tokens, its padding at the right.

    ``size`` multiplies the logits. Where ``broken`` is set, the model returned nan and infinities
    for the padding.
    """
    n = max(sum(row) for row in rows)
    real = torch.zeros(len(rows), n, dtype=torch.bool)
    for i, (left, length, _) in enumerate(rows):
        real[i, left : left + length] = True
    tokens = torch.randint(0, v, real.shape, generator=g)
    logits = size * normal(g, len(rows), n, v) + 2
    if broken:
        logits[~real] = torch.nan
        logits[:, :, 0] = logits[:, :, 0].masked_fill(~real, torch.inf)
    return {"logits": logits, "tokens": tokens, "real": real}


def one_text(g: Generator) -> list[Inputs]:
    shown = {
        "logits": torch.log(torch.tensor([[[0.75, 0.25], [0.5, 0.5]]])),
        "tokens": torch.tensor([[0, 1]]),
        "real": torch.tensor([[True, True]]),
    }
    return [shown, *(drawn(g, v, (0, n, 0)) for v, n in ((2, 2), (3, 4), (5, 5)))]


def padded_right(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 3, (0, 3, 1)),
        drawn(g, 4, (0, 4, 0), (0, 2, 2)),
        drawn(g, 5, (0, 2, 5), (0, 7, 0), (0, 4, 3)),
    ]


def padded_left(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 3, (1, 3, 0)),
        drawn(g, 4, (0, 4, 0), (2, 2, 0)),
        drawn(g, 5, (5, 2, 0), (0, 7, 0), (3, 4, 0)),
        drawn(g, 4, (1, 4, 1), (2, 2, 2), (0, 3, 3)),
    ]


def all_lengths(g: Generator) -> list[Inputs]:
    return one_text(g) + padded_right(g) + padded_left(g)


def with_nan(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 3, (1, 2, 0), broken=True),
        drawn(g, 3, (0, 2, 2), broken=True),
        drawn(g, 4, (0, 3, 2), (2, 3, 0), (1, 2, 2), broken=True),
        drawn(g, 4, (1, 3, 1), (0, 2, 3)),
    ]


def large(g: Generator) -> list[Inputs]:
    """Draw logits whose exponentials, or whose probabilities, no float can hold."""
    high = drawn(g, 3, (0, 4, 0))
    high["logits"].add_(2000)
    return [high, drawn(g, 4, (0, 4, 0), (1, 3, 0), size=1500.0)]


def one_token(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 3, (0, 1, 2), (0, 3, 0)),
        drawn(g, 3, (2, 1, 0), (1, 2, 0)),
    ]


def log_probability(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Return each text's log-probability (b,), and its mean over the predicted tokens (b,)."""
    logs = torch.log_softmax(logits[:, :-1], dim=-1)
    said = logs.gather(-1, tokens[:, 1:, None])[..., 0]
    counts = real[:, 1:] & real[:, :-1]
    total = torch.where(counts, said, 0.0).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def text_by_text(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    totals, means = [], []
    for i in range(len(tokens)):
        places = real[i].nonzero().flatten().tolist()
        total = 0.0
        for t in places[1:]:
            row = logits[i, t - 1]
            total += (row[tokens[i, t]] - row.logsumexp(dim=0)).item()
        totals.append(total)
        means.append(total / max(len(places) - 1, 1))
    return torch.tensor(totals), torch.tensor(means)


def by_cross_entropy(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    predicted = tokens.clone()
    predicted[~real] = -100
    predicted[:, 1:][~real[:, :-1]] = -100
    loss = torch.nn.functional.cross_entropy(
        logits[:, :-1].nan_to_num(0.0, posinf=0.0).mT,
        predicted[:, 1:],
        ignore_index=-100,
        reduction="none",
    )
    count = (predicted[:, 1:] != -100).sum(dim=1)
    return -loss.sum(dim=1), -loss.sum(dim=1) / torch.where(count > 0, count, 1)


def by_pairs(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    row, before = (real[:, 1:] & real[:, :-1]).nonzero(as_tuple=True)
    found = logits[row, before]
    logs = found[torch.arange(len(row)), tokens[row, before + 1]] - found.logsumexp(dim=1)
    zeros = torch.zeros(len(tokens), dtype=logs.dtype)
    total = zeros.index_add(0, row, logs)
    return total, total / zeros.index_add(0, row, torch.ones_like(logs)).clamp_min(1)


def right(inputs: Inputs) -> Two:
    return log_probability(**inputs)


NAMES = ("log-probability", "mean")


def rung(name: str, points: float, draw: Any, *only: int) -> Rung:
    """Make a requirement about the totals, the means or both."""
    return Rung(name=name, points=points, draw=draw, law=parts(right, NAMES, *only), compare=False)


TASK = Exercise(
    id="14.log_probability",
    title="What a text is worth",
    level="warm-up",
    minutes=6,
    concepts=("greedy-decoding", "batched-generation"),
    reference=log_probability,
    rungs=(
        rung("one text", 0.75, one_text, 0),
        rung("texts that are padded on the right", 0.5, padded_right, 0),
        rung("texts that are padded on the left, or on both sides", 0.5, padded_left, 0),
        rung("the mean over the predicted tokens", 0.5, all_lengths, 1),
        rung("large logits", 0.25, large, 0),
        rung("padding for which the model returned nan", 0.25, with_nan, 0),
        rung("a text of one token", 0.25, one_token),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="text by text", answer=text_by_text),
        Alternative(name="by cross-entropy", answer=by_cross_entropy),
        Alternative(name="by pairs of columns", answer=by_pairs),
    ),
    hints=(
        "Take a text of two tokens. Which row of the logits was computed before the second token "
        "was known, and which token does it speak of?",
        "Rows 0 to n - 2 predict the tokens 1 to n - 1. Which of these predictions are made at "
        "padding, and which are about padding?",
        "A prediction counts where its own column and the next one are both real. Choose with "
        "`torch.where`, since nan times 0 is nan.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "log_probability: line 2: the index of logits[:, :-1] dropped",
                "log_probability: line 2: [:-1] becomes [:]",
            ),
            "gather reads as many rows as there are tokens to predict",
        ),
        "log_probability: line 3: 0 becomes -1 in (..., 0)": "the last axis holds one number",
    },
)
