"""Exercise 07.split_qkv: a fused projection, grouped by heads, cut into three."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch07.mistakes.split_qkv import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Split = tuple[Tensor, ...]


def fused(g: Generator, n_heads: int, d: int, m: int) -> Inputs:
    rows = 3 * n_heads * d
    return {"weight": normal(g, rows, m), "bias": normal(g, rows), "n_heads": n_heads}


def one_head(g: Generator) -> list[Inputs]:
    return [fused(g, 1, 1, 2), fused(g, 1, 2, 2), fused(g, 1, 3, 4)]


def two_heads(g: Generator) -> list[Inputs]:
    return [fused(g, 2, 1, 2), fused(g, 2, 2, 4), fused(g, 3, 3, 9)]


def awkward(g: Generator) -> list[Inputs]:
    return [fused(g, 4, 2, 5), fused(g, 2, 5, 3), fused(g, 5, 1, 6)]


def half(g: Generator) -> list[Inputs]:
    drawn = fused(g, 2, 3, 4)
    return [{**drawn, "weight": drawn["weight"].half(), "bias": drawn["bias"].half()}]


def six_tensors(inputs: Inputs, answer: object) -> str | None:
    """Say what is not as asked: how many tensors, their shapes, or which row stands wrong."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 6:
        return "return six tensors: query weight, bias, key weight, bias, value weight, bias"
    rows, m = inputs["weight"].shape[0] // 3, inputs["weight"].shape[1]
    for place, tensor in enumerate(answer):
        shape = (rows,) if place % 2 else (rows, m)
        if not isinstance(tensor, Tensor) or tuple(tensor.shape) != shape:
            found = tuple(tensor.shape) if isinstance(tensor, Tensor) else type(tensor).__name__
            return f"tensor {place} of the six has shape {shape}; yours is {found}"
    names, expected = ("query", "key", "value"), split_qkv(**inputs)[::2]
    for name, tensor, right in zip(names, answer[::2], expected, strict=True):
        weight, right = inputs["weight"].to(tensor.dtype), right.to(tensor.dtype)
        wrong = (tensor != right).any(dim=1).nonzero()
        if len(wrong):
            row = int(wrong[0])
            here = (weight == tensor[row]).all(dim=1).nonzero().flatten().tolist()
            there = (weight == right[row]).all(dim=1).nonzero().flatten().tolist()
            return f"row {row} of the {name} is row {there[0]} of the file" + (
                f"; yours is row {here[0]}" if here else "; yours is none of its rows"
            )
    return None


def split_qkv(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    """Open the axis of rows into heads, three and width, and cut the three apart."""
    out: list[Tensor] = []
    d = weight.shape[0] // (3 * n_heads)
    for part in range(3):
        out.append(weight.reshape(n_heads, 3, d, *weight.shape[1:])[:, part].flatten(0, 1))
        out.append(bias.reshape(n_heads, 3, d)[:, part].flatten())
    return tuple(out)


def by_index(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // 3 // n_heads
    rows = torch.arange(len(bias))
    parts = [rows[(rows // d) % 3 == part] for part in range(3)]
    return tuple(x[part] for part in parts for x in (weight, bias))


def by_loops(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    found: list[list[Tensor]] = [[] for _ in range(6)]
    for head in range(n_heads):
        for part in range(3):
            start = (3 * head + part) * d
            found[2 * part].append(weight[start : start + d])
            found[2 * part + 1].append(bias[start : start + d])
    return tuple(torch.cat(each) for each in found)


def by_filling(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d, out = len(bias) // (3 * n_heads), []
    for part in range(3):
        weights, biases = torch.zeros(n_heads * d, weight.shape[1]), torch.zeros(n_heads * d)
        for row in range(n_heads * d):
            weights[row] = weight[row // d * 3 * d + part * d + row % d]
            biases[row] = bias[row // d * 3 * d + part * d + row % d]
        out += [weights, biases]
    return tuple(out)


TASK = Exercise(
    id="07.split_qkv",
    title="Cut a fused projection",
    level="medium",
    minutes=15,
    concepts=("checkpoint-formats", "checkpoint-parity", "gpt"),
    reference=split_qkv,
    rungs=(
        Rung(name="one head", points=1.0, draw=one_head, law=six_tensors),
        Rung(name="several heads", points=2.0, draw=two_heads, law=six_tensors),
        Rung(name="heads that do not fill the width", points=0.5, draw=awkward, law=six_tensors),
        Rung(name="in half precision too", points=0.5, draw=half, law=six_tensors),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="rows chosen by index", answer=by_index),
        Alternative(name="head by head", answer=by_loops),
        Alternative(name="zeros in float32, filled row by row", answer=by_filling),
    ),
    hints=(
        "With 2 heads of width 1 there are 6 rows. Write down what each of them is.",
        "The axis of rows is three axes in one: heads, the three kinds, the width. In which order?",
        "reshape opens the axis again. Which of the three new axes do you pick from, and "
        "which two must be joined?",
    ),
    equivalents={
        "split_qkv: line 3: weight becomes bias in weight.shape": (
            "the bias has as many numbers as the weight has rows"
        ),
        "split_qkv: line 7: return tuple(out) becomes return out": (
            "a list of the six tensors is as good"
        ),
    },
)
