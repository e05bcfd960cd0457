"""Exercise 04.multi_head: the whole of multi-head attention, from matrices."""

import math

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch04.mistakes.multi_head import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

MATRICES = ("w_query", "w_key", "w_value", "w_output")


def draw(g: Generator, b: int, q: int, k: int, h: int, d: int, *, hide: bool = False) -> Inputs:
    """Draw a layer and its inputs; where hidden, each sequence hides other keys, never all."""
    m = h * d
    mask = torch.ones(b, q, k, dtype=torch.bool)
    if hide:
        mask = torch.rand(b, q, k, generator=g) < 0.5
        mask[..., 0] = True
        mask[0, :, -1] = False
    matrices = {name: normal(g, m, m) for name in MATRICES}
    x, memory = normal(g, b, q, m), normal(g, b, k, m)
    return {"x": x, "memory": memory, **matrices, "n_heads": h, "mask": mask}


def one_of_each(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, 1, 1, 2), draw(g, 1, 1, 1, 1, 3)]


def one_head(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 2, 2, 1, 2), draw(g, 1, 3, 4, 1, 3), draw(g, 2, 2, 3, 1, 4)]


def several_heads(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 2, 2, 2, 2), draw(g, 2, 3, 4, 3, 2), draw(g, 3, 3, 3, 3, 3)]


def masked(g: Generator) -> list[Inputs]:
    return [
        draw(g, 1, 2, 3, 1, 2, hide=True),
        draw(g, 2, 3, 3, 2, 2, hide=True),
        draw(g, 3, 2, 4, 2, 3, hide=True),
    ]


def awkward(g: Generator) -> list[Inputs]:
    return [
        draw(g, 2, 5, 3, 4, 1, hide=True),
        draw(g, 1, 1, 6, 3, 5, hide=True),
        draw(g, 3, 4, 7, 2, 4, hide=True),
    ]


def multi_head(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    query, key, value = (
        y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2)
        for y in (x @ w_query, memory @ w_key, memory @ w_value)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~mask.unsqueeze(1), -torch.inf)
    heads = torch.softmax(scores, dim=-1) @ value
    return heads.transpose(1, 2).flatten(2) @ w_output


def sum_over_heads(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    total = torch.zeros_like(x)
    d = x.shape[-1] // n_heads
    for r in range(n_heads):
        s = slice(r * d, (r + 1) * d)
        scores = (x @ w_query[:, s]) @ (memory @ w_key[:, s]).mT / math.sqrt(d)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        total = total + weights @ (memory @ w_value[:, s]) @ w_output[s]
    return total


def einsums(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    m = x.shape[-1]
    d = m // n_heads
    query = torch.einsum("bqm,mhd->bhqd", x, w_query.reshape(m, n_heads, d))
    key = torch.einsum("bkm,mhd->bhkd", memory, w_key.reshape(m, n_heads, d))
    value = torch.einsum("bkm,mhd->bhkd", memory, w_value.reshape(m, n_heads, d))
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * d**-0.5
    weights = scores.where(mask[:, None], torch.tensor(-torch.inf, dtype=x.dtype)).softmax(-1)
    return torch.einsum("bhqk,bhkd,hdm->bqm", weights, value, w_output.reshape(n_heads, d, m))


TASK = Exercise(
    id="04.multi_head",
    title="Multi-head attention from four matrices",
    level="medium",
    minutes=20,
    concepts=(
        "multi-head-shapes",
        "concatenation",
        "output-projection",
        "fused-projections",
        "self-against-cross",
        "target-axis-softmax",
    ),
    reference=multi_head,
    rungs=(
        Rung(
            name="one position, one key: its value, projected twice", points=1.0, draw=one_of_each
        ),
        Rung(name="one head, x asks and the memory is looked at", points=1.0, draw=one_head),
        Rung(name="several heads, each with its own weights", points=2.0, draw=several_heads),
        Rung(name="a mask for each sequence, the same for its heads", points=1.0, draw=masked),
        Rung(name="the whole, at awkward sizes", points=1.0, draw=awkward),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a sum over heads", answer=sum_over_heads),
        Alternative(name="einsum", answer=einsums),
    ),
    hints=(
        "Which of the four matrices are applied to x, and which to the memory?",
        "Project, split, score, mask, softmax, average, join, project. Which shape has each step?",
        "The mask is (b, q, k) and the scores are (b, h, q, k). Where does the mask lack an axis?",
    ),
    forbid=(
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "multi_head_attention_forward",
        "plainformer",
    ),
    axes="b q m",
    equivalents={
        "multi_head: line 2: 1 and 2 swapped in "
        "y.reshape(*y.shape[:2] … n_heads, -1).transpose(…)": (
            "two axes may be named in either order"
        ),
        "multi_head: line 3: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
        "multi_head: line 3: the minus of -2 dropped": ("of four axes, axis 2 is axis -2"),
        "multi_head: line 3: query becomes key in query.shape": (
            "queries, keys and values have one width here"
        ),
        "multi_head: line 3: query becomes value in query.shape": (
            "queries, keys and values have one width here"
        ),
        "multi_head: line 6: 1 and 2 swapped in heads.transpose(1, 2)": (
            "two axes may be named in either order"
        ),
    },
)
