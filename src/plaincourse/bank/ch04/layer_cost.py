"""Exercise 04.layer_cost: a formula for parameters, multiplications and cache."""

import torch
from torch import Generator

from plaincourse.bank.ch04.mistakes.layer_cost import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NAMES = ("m", "n", "h", "kv", "d", "q", "k")


def sizes(*numbers: int) -> Inputs:
    return dict(zip(NAMES, numbers, strict=True))


def drawn(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def one_of_everything(g: Generator) -> list[Inputs]:
    return [sizes(1, 1, 1, 1, 1, 1, 1), sizes(2, 2, 1, 1, 3, 1, 1), sizes(3, 3, 1, 1, 2, 5, 7)]


def fewer_key_heads(g: Generator) -> list[Inputs]:
    return [sizes(8, 8, 4, 2, 2, 3, 3), sizes(12, 12, 6, 1, 2, 5, 5), sizes(10, 10, 5, 5, 2, 7, 3)]


def free_head_width(g: Generator) -> list[Inputs]:
    return [sizes(6, 6, 2, 2, 5, 4, 4), sizes(8, 8, 4, 2, 7, 3, 5), sizes(5, 5, 3, 1, 4, 2, 2)]


def other_memory(g: Generator) -> list[Inputs]:
    return [sizes(8, 6, 2, 1, 4, 3, 5), sizes(4, 9, 4, 2, 1, 1, 6), sizes(6, 2, 3, 3, 2, 8, 1)]


def at_random(g: Generator) -> list[Inputs]:
    found = []
    for _ in range(4):
        groups = drawn(g, 1, 5)
        m, n, d, q, k = (drawn(g, 3, 40) for _ in range(5))
        found.append(sizes(m, n, groups * drawn(g, 2, 5), groups, d, q, k))
    return found


def three_numbers(inputs: Inputs, counts: object) -> str | None:
    """Say that the answer is no triple of whole numbers."""
    if not isinstance(counts, (tuple, list)) or len(counts) != 3:
        return "return three numbers: parameters, multiplications, cached numbers"
    return None


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


TASK = Exercise(
    id="04.layer_cost",
    title="Derive what a layer costs",
    level="hard",
    minutes=20,
    concepts=("multi-head-cost", "head-width", "grouped-query-attention", "number-of-heads"),
    reference=layer_cost,
    rungs=(
        Rung(name="one head", points=1.0, draw=one_of_everything, law=three_numbers),
        Rung(
            name="fewer key heads than query heads",
            points=1.0,
            draw=fewer_key_heads,
            law=three_numbers,
        ),
        Rung(
            name="heads that together are wider or narrower than m",
            points=1.0,
            draw=free_head_width,
            law=three_numbers,
        ),
        Rung(name="a memory of another width", points=1.0, draw=other_memory, law=three_numbers),
        Rung(name="sizes at random", points=1.0, draw=at_random, law=three_numbers),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
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
