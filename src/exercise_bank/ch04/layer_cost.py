"""Exercise 04.layer_cost: a formula for parameters, multiplications and cache."""

from typing import Any

import torch
from torch import Generator

from exercise_bank.ch04.mistakes.layer_cost import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.parts import parts
from exercise_bank.skills import through
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NAMES = ("m", "n", "h", "kv", "d", "q", "k")
COUNTS = ("number of parameters", "number of multiplications", "number of cached numbers")


def sizes(*numbers: int) -> Inputs:
    return dict(zip(NAMES, numbers, strict=True))


def one_head(g: Generator) -> list[Inputs]:
    return [
        sizes(1, 1, 1, 1, 1, 1, 1),
        sizes(2, 2, 1, 1, 2, 1, 1),
        *(sizes(m, m, 1, 1, m, q, q) for m, q in ((3, 5), (some(g, 4, 8), some(g, 2, 8)))),
    ]


def as_wide_as_m(g: Generator) -> list[Inputs]:
    """Draw layers with h·d = m and a memory as wide as x; most have fewer key heads."""
    found = [sizes(8, 8, 4, 2, 2, 3, 3), sizes(12, 12, 6, 1, 2, 5, 2), sizes(10, 10, 5, 5, 2, 4, 7)]
    for _ in range(2):
        groups, size, d, q = (some(g, 2, 4) for _ in range(4))
        m = groups * size * d
        found.append(sizes(m, m, groups * size, groups, d, q, q + some(g, 1, 5)))
    return found


def any_sizes(g: Generator) -> list[Inputs]:
    found = [
        sizes(2, 3, 1, 1, 1, 1, 1),
        sizes(6, 6, 2, 2, 5, 4, 4),
        sizes(8, 6, 2, 1, 4, 3, 5),
        sizes(4, 9, 4, 2, 1, 1, 6),
        sizes(6, 2, 3, 3, 2, 8, 1),
    ]
    for _ in range(4):
        groups = some(g, 1, 4)
        m, n, d, q, k = (some(g, 3, 39) for _ in range(5))
        found.append(sizes(m, n, groups * some(g, 2, 4), groups, d, q, k))
    return found


def right(inputs: Inputs) -> tuple[int, ...]:
    return layer_cost(**inputs)


def ordered(inputs: Inputs, answer: Any) -> Any:
    """Return the right three numbers in their order, if the answer gives them in another one."""
    return right(inputs) if permuted(inputs, answer) else answer


def in_order(inputs: Inputs, answer: Any) -> str | None:
    """Report the right three numbers in the wrong order, or another number of them."""
    if not isinstance(answer, (tuple, list)) or len(answer) != len(COUNTS):
        return f"return a tuple of {len(COUNTS)}: {', '.join(COUNTS)}"
    if not permuted(inputs, answer):
        return None
    return f"the order is {', '.join(COUNTS)}; your three numbers are right, in another order"


def permuted(inputs: Inputs, answer: Any) -> bool:
    wanted = right(inputs)
    is_tuple = isinstance(answer, (tuple, list))
    return is_tuple and tuple(answer) != wanted and sorted(answer) == sorted(wanted)


parameters, multiplications, cached = (through(ordered, parts(right, COUNTS, i)) for i in range(3))


def layer_cost(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    attended = 2 * h * q * k * d
    return parameters, projected + attended, 2 * k * kv * d


def matrix_by_matrix(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    shapes = {"query": (m, h * d), "key": (n, kv * d), "value": (n, kv * d), "output": (h * d, m)}
    rows = {"query": q, "key": k, "value": k, "output": q}
    parameters = products = 0
    for name, (before, after) in shapes.items():
        parameters += before * after
        products += rows[name] * before * after
    for _ in range(h):
        products += q * d * k  # scores
        products += q * k * d  # averages
    return parameters, products, k * shapes["key"][1] + k * shapes["value"][1]


def on_meta_tensors(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    layers = [
        torch.empty(a, b, device="meta")
        for a, b in ((m, h * d), (n, kv * d), (n, kv * d), (h * d, m))
    ]
    positions = (q, k, k, q)
    products = sum(rows * w.numel() for rows, w in zip(positions, layers, strict=True))
    weights = torch.empty(h, q, k, device="meta").numel()
    cache = sum(k * w.shape[1] for w in layers[1:3])
    return sum(w.numel() for w in layers), products + 2 * d * weights, cache


def head_by_head(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    asking = h * (m * d + d * m)
    looked_at = kv * (n * d + n * d)
    return asking + looked_at, q * asking + k * looked_at + h * 2 * q * k * d, kv * k * (d + d)


TASK = Exercise(
    id="04.layer_cost",
    title="Derive the cost of a layer",
    level="hard",
    minutes=20,
    concepts=("multi-head-cost", "head-width", "grouped-query-attention", "number-of-heads"),
    extra=True,
    reference=layer_cost,
    rungs=(
        Rung(
            name="parameters, where h·d, m and n are equal",
            points=0.25,
            idea="which matrices there are",
            draw=as_wide_as_m,
            law=parameters,
            compare=False,
        ),
        Rung(
            name="parameters, at any sizes",
            points=0.75,
            idea="which matrices there are",
            draw=any_sizes,
            law=parameters,
            compare=False,
        ),
        Rung(
            name="multiplications, of one head with m = n = d and q = k",
            points=0.25,
            idea="which products, how often",
            draw=one_head,
            law=multiplications,
            compare=False,
        ),
        Rung(
            name="multiplications, where h·d, m and n are equal",
            points=0.75,
            idea="which products, how often",
            draw=as_wide_as_m,
            law=multiplications,
            compare=False,
        ),
        Rung(
            name="multiplications, at any sizes",
            points=1.0,
            idea="which products, how often",
            draw=any_sizes,
            law=multiplications,
            compare=False,
        ),
        Rung(
            name="how many numbers of the memory are kept",
            points=1.75,
            idea="the cache",
            draw=any_sizes,
            law=cached,
            compare=False,
        ),
        Rung(
            name="first the parameters, then the multiplications, then the cache",
            points=0.25,
            draw=any_sizes,
            law=in_order,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="head by head", answer=head_by_head),
        Alternative(name="matrix by matrix", answer=matrix_by_matrix),
        Alternative(name="on tensors without memory", answer=on_meta_tensors),
    ),
    hints=(
        "Write the shapes of the four matrices. Which contain h, which contain g, which contain n?",
        "A product (a × b)(b × c) takes a·b·c multiplications. There are four projections and two "
        "products for each query head.",
        "Which two of the six products does g not touch? Which two tensors are kept for later?",
    ),
)
