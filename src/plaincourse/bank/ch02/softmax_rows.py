"""Exercise 02.softmax_rows: from scores to weights, for scores of any size."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch02.mistakes.softmax_rows import MISCONCEPTIONS
from plaincourse.bank.draws import in_float32, normal, rows_sum_to_1, same_dtype, spread
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.softmax import softmax


def one_key(g: Generator) -> list[Inputs]:
    return [{"scores": 1 + normal(g, 1, 1).abs()}, {"scores": normal(g, 1, 1, 1)}]


def one_row(g: Generator) -> list[Inputs]:
    return [{"scores": spread(g, 1, 2)}, {"scores": spread(g, 1, 5)}]


def several_rows(g: Generator) -> list[Inputs]:
    return [{"scores": spread(g, q, k)} for q, k in ((2, 2), (2, 3), (3, 3), (5, 2))]


def large_scores(g: Generator) -> list[Inputs]:
    return [
        {"scores": 1000 + spread(g, 1, 2)},
        {"scores": 2000 * spread(g, 2, 3)},
        {"scores": spread(g, 3, 4) - 1000},
    ]


def one_row_far_below(g: Generator) -> list[Inputs]:
    small, large = spread(g, 2, 2), spread(g, 4, 3)
    small[1] -= 1000
    large[2] -= 900
    return [{"scores": small}, {"scores": large}]


def leading_axes(g: Generator) -> list[Inputs]:
    return [
        {"scores": spread(g, 2, 2, 2)},
        {"scores": spread(g, 3, 3, 3)},
        {"scores": spread(g, 2, 2, 2, 2)},
        {"scores": spread(g, 2, 3, 5, 7)},
        {"scores": 1000 + spread(g, 3, 1, 4, 2)},
    ]


def float32_scores(g: Generator) -> list[Inputs]:
    return [in_float32({"scores": spread(g, 1, 2)}), in_float32({"scores": spread(g, 2, 3, 4)})]


def minus_log_sum_exp(scores: Tensor) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def max_and_values(scores: Tensor) -> Tensor:
    largest, _ = scores.max(dim=-1, keepdim=True)
    powers = (scores - largest).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def unsqueezed(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(-1).unsqueeze(-1))
    return powers * powers.sum(-1).reciprocal()[..., None]


def row_by_row(scores: Tensor) -> Tensor:
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        powers = torch.exp(row - max(row))
        rows.append(powers / sum(powers))
    return torch.stack(rows).reshape(scores.shape)


TASK = Exercise(
    id="02.softmax_rows",
    title="From scores to weights",
    level="easy",
    minutes=10,
    concepts=("softmax-axis", "stable-softmax", "implement-torch"),
    reference=softmax,
    rungs=(
        Rung(name="a single key gets weight 1", points=0.5, draw=one_key, law=rows_sum_to_1),
        Rung(name="one row is right", points=0.5, draw=one_row, law=rows_sum_to_1),
        Rung(
            name="each row sums to 1 over the keys",
            points=1.0,
            draw=several_rows,
            law=rows_sum_to_1,
        ),
        Rung(name="large scores do no harm", points=0.5, draw=large_scores, law=rows_sum_to_1),
        Rung(
            name="a row far below the others keeps its weights",
            points=0.5,
            draw=one_row_far_below,
            law=rows_sum_to_1,
        ),
        Rung(
            name="any batch and head axes in front",
            points=0.5,
            draw=leading_axes,
            law=rows_sum_to_1,
        ),
        Rung(
            name="float32 stays float32",
            points=0.5,
            draw=float32_scores,
            law=same_dtype,
            dtype=True,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="minus log-sum-exp", answer=minus_log_sum_exp),
        Alternative(name="max with its index", answer=max_and_values),
        Alternative(name="unsqueeze and reciprocal", answer=unsqueezed),
        Alternative(name="row by row", answer=row_by_row),
    ),
    hints=(
        "What should the weights of a row with two equal scores be? And of [1000, 1000]?",
        "Softmax does not change when the same number is subtracted from a whole row. Which number "
        "makes the largest exponent 0?",
        "Two numbers belong to each row: its largest score, subtracted before exp, and its sum, "
        "divided by after it. Which option keeps them a column, so that they meet their row?",
    ),
    forbid=(
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "plainformer",
        "softmax",
        "log_softmax",
        "Softmax",
        "softmin",
        "Softmin",
        "distributions",
    ),
    rtol=1e-5,
    atol=1e-7,
)
