"""Exercise 07.split_qkv: a fused projection, grouped by heads, cut into three."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch07.mistakes.split_qkv import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung

Split = tuple[Tensor, ...]
NAMES = ("query", "key", "value")
KINDS = "head by head: query, key, value"
ORDER = "rows keep their order"
BIASES = "a bias goes with its weight"


def fused(g: Generator, n_heads: int, d: int, m: int) -> Inputs:
    rows = 3 * n_heads * d
    return {"weight": normal(g, rows, m), "bias": normal(g, rows), "n_heads": n_heads}


def several(g: Generator) -> list[Inputs]:
    """Draw heads that fill the width, heads that do not, and a single one."""
    sizes = ((1, 2, 2), (2, 1, 2), (2, 2, 4), (3, 3, 9), (4, 2, 5), (2, 5, 3))
    return [fused(g, *each) for each in sizes]


def whole(g: Generator) -> list[Inputs]:
    weight = torch.arange(6.0)[:, None].double()
    example = {"weight": weight, "bias": 10 * weight[:, 0], "n_heads": 2}
    return [example, fused(g, 5, 1, 6), fused(g, 3, 4, 2)]


def half_too(g: Generator) -> list[Inputs]:
    drawn = fused(g, 2, 3, 4)
    halved = {**drawn, "weight": drawn["weight"].half(), "bias": drawn["bias"].half()}
    return [*in_single(whole)(g), halved]


def six_tensors(inputs: Inputs, answer: object) -> str | None:
    """Report a wrong number of tensors, wrong shapes, or a row in the wrong place."""
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
                f"; yours is row {here[0]}" if here else "; yours is not a row of the file"
            )
    return None


def rows_of(file: Tensor, part: Tensor) -> list[int]:
    """Return the row of the file that equals each row of a part; -1 if none does."""
    same = (part[:, None] == file.to(part.dtype)).flatten(2).all(dim=-1)
    rows: list[int] = torch.where(same.any(dim=1), same.int().argmax(dim=1), -1).tolist()
    return rows


def found(inputs: Inputs, answer: object) -> tuple[list[list[int]], list[list[int]]] | str:
    """Return the rows of the file in each weight and in each bias, or a message on a wrong form.

    Three weights before three biases are accepted as well, and heads that are still an axis.
    """
    if not isinstance(answer, (tuple, list)) or len(answer) != 6:
        return "return six tensors: query weight, bias, key weight, bias, value weight, bias"
    if [x.ndim if isinstance(x, Tensor) else 0 for x in answer] == [2, 2, 2, 1, 1, 1]:
        answer = [answer[place] for place in (0, 3, 1, 4, 2, 5)]
    rows, m = inputs["weight"].shape[0] // 3, inputs["weight"].shape[1]
    heads = (inputs["n_heads"], rows // inputs["n_heads"])
    axes = [(*heads, m), heads] * 3
    answer = [
        x.flatten(0, 1) if isinstance(x, Tensor) and tuple(x.shape) == axis else x
        for x, axis in zip(answer, axes, strict=True)
    ]
    for place, tensor in enumerate(answer):
        shape = (rows,) if place % 2 else (rows, m)
        if not isinstance(tensor, Tensor) or tuple(tensor.shape) != shape:
            given = tuple(tensor.shape) if isinstance(tensor, Tensor) else type(tensor).__name__
            return f"tensor {place} of the six has shape {shape}; yours is {given}"
    bias = inputs["bias"][:, None]
    return (
        [rows_of(inputs["weight"], each) for each in answer[::2]],
        [rows_of(bias, each[:, None]) for each in answer[1::2]],
    )


def of_its_kind(inputs: Inputs, answer: object) -> str | None:
    """Report a weight with rows of another kind, in whatever order."""
    parts = found(inputs, answer)
    if isinstance(parts, str):
        return parts
    d = len(inputs["bias"]) // (3 * inputs["n_heads"])
    for kind, (name, yours) in enumerate(zip(NAMES, parts[0], strict=True)):
        right = [row for row in range(len(inputs["bias"])) if row // d % 3 == kind]
        if sorted(yours) != sorted(right):
            return f"the {name} holds the rows {sorted(right)} of the file; yours {sorted(yours)}"
    return None


def in_heads(inputs: Inputs, answer: object) -> str | None:
    """Report rows of a weight that are not in the order of the file."""
    parts = found(inputs, answer)
    if isinstance(parts, str):
        return parts
    for name, yours in zip(NAMES, parts[0], strict=True):
        if yours != sorted(yours) or yours[0] < 0:
            return f"heads and their rows keep the file's order; your {name} has its rows {yours}"
    if len({row for part in parts[0] for row in part}) != len(inputs["bias"]):
        return "each row of the file belongs to one of the three; yours holds some of them twice"
    return None


def with_their_weights(inputs: Inputs, answer: object) -> str | None:
    """Report a bias that does not belong to the rows of its weight."""
    parts = found(inputs, answer)
    if isinstance(parts, str):
        return parts
    for name, weight, bias in zip(NAMES, *parts, strict=True):
        if weight != bias or -1 in weight:
            return f"your {name}'s weight is the rows {weight} of the file, its bias {bias}"
    if len({row for part in parts[0] for row in part}) != len(inputs["bias"]):
        return "each row of the file belongs to one of the three; yours holds some of them twice"
    return None


def rung(name: str, points: float, law: Law, idea: str) -> Rung:
    draw = in_single(several)
    return Rung(name=name, points=points, draw=draw, law=law, compare=False, idea=idea)


def split_qkv(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    """Split the axis of rows into heads, three and width, and separate the three parts."""
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
    extra=True,
    reference=split_qkv,
    rungs=(
        rung("each weight holds the rows of its kind, in any order", 1.25, of_its_kind, KINDS),
        rung("rows keep the order of the file", 1.0, in_heads, ORDER),
        rung("each bias goes with its weight", 1.0, with_their_weights, BIASES),
        Rung(name="all six, in float32 and float16", points=0.75, draw=half_too, law=six_tensors),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="rows chosen by index", answer=by_index),
        Alternative(name="head by head", answer=by_loops),
        Alternative(name="zeros in float32, filled row by row", answer=by_filling),
    ),
    hints=(
        "With 2 heads of width 1 there are 6 rows. Write down the head and the kind of each row.",
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
