"""Exercise 02.attention_weights: how much each query looks at each key."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import math

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch02.mistakes.attention_weights import MISCONCEPTIONS
from plaincourse.bank.draws import in_float32, normal, pair, rows_sum_to_1
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.attention import attention_weights


def one_key(g: Generator) -> list[Inputs]:
    return [pair(g, 1, 1, 2), pair(g, 1, 1, 4)]


def width_1(g: Generator) -> list[Inputs]:
    return [pair(g, q, k, 1, size=1.5) for q, k in ((2, 2), (2, 3), (4, 3))]


def one_query(g: Generator) -> list[Inputs]:
    return [_scored(g, k, d) for k, d in ((2, 4), (3, 9), (5, 7))]


def leading_axes(g: Generator) -> list[Inputs]:
    return [
        pair(g, 2, 2, 2, (2,), size=1.5),
        pair(g, 3, 3, 3, (3,), size=1.5),
        pair(g, 2, 2, 2, (2, 2), size=1.5),
        pair(g, 3, 5, 7, (2, 4), size=1.5),
    ]


def awkward(g: Generator) -> list[Inputs]:
    return [
        {"query": 30 * normal(g, 2, 5).sign(), "key": 100 * normal(g, 3, 5)},
        pair(g, 7, 3, 5, size=1.5),
        pair(g, 2, 5, 1, (3, 3), size=1.5),
        pair(g, 4, 3, 16, (1, 2), size=1.5),
        in_float32(pair(g, 3, 4, 6, (2,), size=1.5)),
    ]


def _scored(g: Generator, k: int, d: int) -> Inputs:
    """Draw one query, and keys whose dot products with it are spread over a few units."""
    query = normal(g, 1, d).sign()
    steps = torch.linspace(-1, 1, k, dtype=torch.float64)[:, None]
    return {"query": query, "key": (steps + 0.2 * normal(g, k, 1).clamp(-1, 1)) * query}


def functional(query: Tensor, key: Tensor) -> Tensor:
    return torch.nn.functional.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)


def query_scaled_first(query: Tensor, key: Tensor) -> Tensor:
    return torch.softmax((query / math.sqrt(query.size(-1))) @ key.transpose(-1, -2), -1)


def einsum_and_exp(query: Tensor, key: Tensor) -> Tensor:
    scores = torch.einsum("...qd,...kd->...qk", query, key) * key.shape[-1] ** -0.5
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def log_sum_exp(query: Tensor, key: Tensor) -> Tensor:
    d = torch.tensor(query.shape[-1], dtype=query.dtype)
    scores = torch.matmul(query, key.transpose(-2, -1)) / torch.sqrt(d)
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()


def fourth_roots(query: Tensor, key: Tensor) -> Tensor:
    root = query.shape[-1] ** 0.25
    return ((query / root) @ (key / root).mT).softmax(dim=-1)


TASK = Exercise(
    id="02.attention_weights",
    title="Who looks at whom",
    level="easy",
    minutes=10,
    concepts=("sqrt-d-variance", "softmax-axis", "softmax-saturation", "implement-torch"),
    reference=attention_weights,
    rungs=(
        Rung(name="a single key gets weight 1", points=0.5, draw=one_key, law=rows_sum_to_1),
        Rung(name="each row sums to 1 over the keys", points=1.0, draw=width_1, law=rows_sum_to_1),
        Rung(name="scores are divided by √d", points=1.0, draw=one_query, law=rows_sum_to_1),
        Rung(
            name="any batch and head axes in front",
            points=0.5,
            draw=leading_axes,
            law=rows_sum_to_1,
        ),
        Rung(
            name="the whole, at awkward sizes and large scores",
            points=1.0,
            draw=awkward,
            law=rows_sum_to_1,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="functional softmax", answer=functional),
        Alternative(name="the query scaled first", answer=query_scaled_first),
        Alternative(name="einsum and exp", answer=einsum_and_exp),
        Alternative(name="log-sum-exp", answer=log_sum_exp),
        Alternative(name="the fourth root on both sides", answer=fourth_roots),
    ),
    hints=(
        "Three steps lead from queries and keys to weights. Which are they, and in which order?",
        "Score, scale, softmax. The scale uses a width; the softmax runs along an axis. Which?",
        "Divide the dot products by the root of query.shape[-1], then take the softmax over the "
        "last axis.",
    ),
    rtol=1e-5,
    atol=1e-6,
    equivalents={
        "attention_weights: line 2: query becomes key in query.shape": (
            "queries and keys have one width"
        ),
        "attention_weights: line 3: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
    },
)
