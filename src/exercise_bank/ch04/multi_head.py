"""Exercise 04.multi_head: the whole of multi-head attention, from matrices."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch04.mistakes.multi_head import MISCONCEPTIONS
from exercise_bank.ch04.mistakes.multi_head_more import MORE
from exercise_bank.draws import in_float64, single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

MATRICES = ("w_query", "w_key", "w_value", "w_output")


def draw(g: Generator, b: int, q: int, k: int, h: int, d: int, *, hide: bool = False) -> Inputs:
    """Draw a layer and its inputs; if masked, each sequence hides other keys, never all."""
    m = h * d
    mask = torch.ones(b, q, k, dtype=torch.bool)
    if hide:
        mask = torch.rand(b, q, k, generator=g) < 0.5
        mask[..., 0] = True
        mask[0, :, -1] = False
        mask[-1, 0] = True
        mask[-1, -1, 0] = False
        mask[-1, -1, -1] = True
    matrices = {name: single(g, m, m) for name in MATRICES}
    x, memory = single(g, b, q, m), single(g, b, k, m)
    return {"x": x, "memory": memory, **matrices, "n_heads": h, "mask": mask}


def plain_output(inputs: Inputs) -> Inputs:
    """Make the concatenated heads the output."""
    return {**inputs, "w_output": torch.eye(len(inputs["w_output"]))}


def equal_scores(inputs: Inputs) -> Inputs:
    """Set all queries to 0, so that a wrong scale has no effect."""
    return {**inputs, "w_query": torch.zeros_like(inputs["w_query"])}


def to_itself(inputs: Inputs) -> Inputs:
    return {**inputs, "memory": inputs["x"].clone()}


def example(g: Generator) -> Inputs:
    one, swap = torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    x, memory = torch.tensor([[[9.0, 9.0]]]), torch.tensor([[[1.0, 2.0]]])
    matrices = dict(zip(MATRICES, (one, one, 10 * one, swap), strict=True))
    mask = torch.ones(1, 1, 1, dtype=torch.bool)
    return {"x": x, "memory": memory, **matrices, "n_heads": 2, "mask": mask}


def one_of_each(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, 1, 1, 2), example(g), draw(g, 1, 1, 1, 3, 1)]


def width_1(g: Generator) -> list[Inputs]:
    return [plain_output(draw(g, 1, 1, k, 1, 1)) for k in (2, 3, 5)]


def sharp(g: Generator) -> list[Inputs]:
    """Draw self-attention in which each weight is 0 or 1, whatever the divisor of the scores."""
    found: list[Inputs] = []
    for n, h, d in ((2, 2, 1), (2, 2, 2), (3, 3, 2), (3, 2, 3)):
        best = torch.zeros(1)
        while best.min() < 100:
            inputs = plain_output(to_itself(draw(g, 1, n, n, h, d)))
            inputs = {**inputs, "x": 30 * inputs["x"], "memory": 30 * inputs["memory"]}
            heads = [
                (inputs["x"] @ inputs[name]).reshape(n, h, d).transpose(0, 1)
                for name in MATRICES[:2]
            ]
            first, second = (heads[0] @ heads[1].mT).topk(2, dim=-1).values.unbind(-1)
            best = (first - second) / math.sqrt(h * d)
        found.append(inputs)
    return found


def scaled(g: Generator) -> list[Inputs]:
    """Draw one query that attends to the whole memory, so that only the scale can be wrong."""
    return [plain_output(draw(g, 1, 1, k, h, d)) for k, h, d in ((2, 2, 2), (3, 2, 3), (2, 3, 5))]


def hidden(g: Generator) -> list[Inputs]:
    layers = [draw(g, 1, n, n, 1, d, hide=True) for n, d in ((2, 2), (3, 3), (5, 1))]
    return [plain_output(equal_scores(to_itself(layer))) for layer in layers]


def each_its_own(g: Generator) -> list[Inputs]:
    sizes = ((2, 1, 3, 2, 2), (2, 3, 4, 3, 1), (3, 2, 4, 2, 3), (2, 2, 3, 2, 1))
    return [equal_scores(draw(g, *each, hide=True)) for each in sizes]


def awkward(g: Generator) -> list[Inputs]:
    sizes = ((2, 5, 3, 4, 1), (1, 1, 6, 3, 5), (3, 4, 7, 2, 4), (2, 3, 3, 2, 3))
    return [in_float64(draw(g, *each, hide=True)) for each in sizes]


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


def large_negative(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    parts = (x @ w_query, memory @ w_key, memory @ w_value)
    query, key, value = (torch.stack(y.chunk(n_heads, dim=2), dim=1) for y in parts)
    scores = query @ key.mT * key.shape[3] ** -0.5 + torch.where(mask, 0.0, -1e9)[:, None]
    return torch.cat(list((scores.softmax(3) @ value).unbind(1)), dim=-1) @ w_output


def renormalised(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    outputs = []
    for s in torch.arange(x.shape[2]).chunk(n_heads):
        scores = (x @ w_query)[..., s] @ (memory @ w_key)[..., s].mT / len(s) ** 0.5
        weights = (scores - scores.where(mask, -torch.inf).amax(-1, keepdim=True)).exp() * mask
        outputs.append(weights / weights.sum(-1, keepdim=True) @ (memory @ w_value)[..., s])
    return torch.cat(outputs, dim=2) @ w_output


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
            name="one position, one key: its value, projected twice",
            points=0.5,
            idea="x asks, the memory answers",
            draw=one_of_each,
        ),
        Rung(
            name="queries from x, keys and values from memory: one query, one head of width 1",
            points=0.5,
            idea="x asks, the memory answers",
            draw=width_1,
        ),
        Rung(
            name="several heads, each with its own weights, so sharp that no scale shows",
            points=1.0,
            idea="each head attends by itself",
            draw=sharp,
        ),
        Rung(
            name="one query, nothing hidden: the scale is that of a head",
            points=1.0,
            idea="each head attends by itself",
            draw=scaled,
        ),
        Rung(
            name="one head, equal scores: the open positions share the weight",
            points=0.75,
            idea="hidden positions get no weight",
            draw=hidden,
        ),
        Rung(
            name="equal scores, several heads: each sequence has its own mask",
            points=1.0,
            idea="hidden positions get no weight",
            draw=each_its_own,
        ),
        Rung(name="the whole, at awkward sizes, in float64", points=1.25, draw=awkward),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="a sum over heads", answer=sum_over_heads),
        Alternative(name="einsum", answer=einsums),
        Alternative(name="a large negative number for infinity", answer=large_negative),
        Alternative(name="weights renormalised after the mask", answer=renormalised),
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
    precision=SUMMED,
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
