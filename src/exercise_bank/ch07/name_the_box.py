"""Exercise 07.name_the_box: identify the architecture of a closed box by changing its inputs."""

import torch
from torch import Tensor

from exercise_bank.ch07 import boxes_shown as shown
from exercise_bank.ch07.boxes import Box
from exercise_bank.ch07.mistakes.name_the_box import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NAMES = ("encoder", "decoder", "prefix", "other")
AHEAD = "which later inputs move an output"
TABLE = "the whole table decides"
CHANGE = "a change that no norm hides"


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a name, or the evidence against it in this box."""
    if not isinstance(answer, str) or answer not in NAMES:
        return f"answer with one of {', '.join(NAMES)}; yours is {answer!r}"
    right = name_the_box(**inputs)
    if answer != right:
        return f"{what_decides(right, moved(**inputs))}; your answer is {answer!r}"
    return None


def what_decides(right: str, table: Tensor) -> str:
    """Return the evidence for the box's name, or against all three names."""
    n, whole = len(table), int(table.all(dim=0).int().cumprod(0).sum())
    if right == "encoder":
        return "in this box every input moves every output: that is an encoder"
    if right == "decoder":
        return (
            "in this box each input moves its own output and all later ones, and no earlier one: "
            "that is a decoder"
        )
    if right == "prefix":
        return (
            f"in this box the first {whole} of {n} inputs move every output, and the others their "
            "own output and later ones: that is a prefix"
        )
    gaps = (~table & torch.ones_like(table).tril()).mT.nonzero().tolist()
    if gaps:
        j, i = gaps[0]
        return (
            f"in this box input {j} does not move output {i}. In an encoder, a decoder or a prefix "
            "an input moves its own output and all later ones"
        )
    i, j = table.triu(1)[:, whole:].nonzero()[0].tolist()
    still = int((~table[:, whole]).nonzero()[0])
    return (
        f"in this box input {whole + j} moves output {i}, an earlier one, but input {whole} does "
        f"not move output {still}. No encoder, decoder or prefix does both"
    )


def moved(box: Box, x: Tensor) -> Tensor:
    """Return (n, n): whether output i changes with input j."""
    before = box(x)
    columns = []
    for j in range(len(x)):
        other = x.clone()
        other[j] += torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append((box(other) != before).any(dim=-1))
    return torch.stack(columns, dim=-1)


def name_the_box(box: Box, x: Tensor) -> str:
    """Measure the effect of each input on each output, and compare with the three tables."""
    n = len(x)
    before = box(x)
    columns = []
    for j in range(n):
        other = x.clone()
        other[j] = other[j] + torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append((box(other) != before).any(dim=-1))
    grid = torch.stack(columns, dim=-1)
    for first in range(1, n + 1):
        table = torch.ones(n, n, dtype=torch.bool).tril()
        table[:, :first] = True
        if torch.equal(grid, table):
            if first == 1:
                return "decoder"
            return "encoder" if table.all() else "prefix"
    return "other"


def by_gradients(box: Box, x: Tensor) -> str:
    x = x.clone().requires_grad_()
    out = box(x)
    rows = []
    for i in range(len(x)):
        row = out[i] @ torch.linspace(1, 2, out.shape[1], dtype=out.dtype)
        (slope,) = torch.autograd.grad(row, x, retain_graph=True)
        rows.append((slope != 0).any(dim=-1))
    grid = torch.stack(rows)
    future = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    if not bool(grid.tril().eq(torch.ones_like(grid).tril()).all()):
        return "other"
    seen = [j for i, j in future if grid[i, j]]
    if not seen:
        return "decoder"
    if len(seen) == len(future):
        return "encoder"
    reach = max(seen) + 1
    return "prefix" if all(bool(grid[i, j]) == (j < reach) for i, j in future) else "other"


def by_last_row(box: Box, x: Tensor) -> str:
    n, grid = len(x), moved(box, x).int()
    heights = grid.sum(dim=0).tolist()
    if not all(bool(grid[i, j]) for i in range(n) for j in range(i + 1)):
        return "other"
    whole = 0
    while whole < n and heights[whole] == n:
        whole += 1
    if any(heights[j] != n - j for j in range(whole, n)):
        return "other"
    causal = whole == 1
    return "decoder" if causal else "encoder" if whole == n else "prefix"


TASK = Exercise(
    id="07.name_the_box",
    title="Name the box",
    level="hard",
    minutes=20,
    concepts=(
        "masks-of-each-stack",
        "encoder-stack",
        "decoder-stack",
        "encoder-decoder-stack",
        "sublayer-order",
    ),
    reference=name_the_box,
    rungs=(
        Rung(
            name="an encoder and a decoder",
            points=0.25,
            draw=shown.two_plain,
            law=a_name,
            idea=AHEAD,
        ),
        Rung(
            name="an open beginning, from two tokens to all but one",
            points=0.5,
            draw=shown.open_beginnings,
            law=a_name,
            idea=AHEAD,
        ),
        Rung(
            name="an open beginning of one token, and of all; a token of zeros",
            points=0.25,
            draw=shown.limits,
            law=a_name,
            idea=AHEAD,
        ),
        Rung(
            name="boxes in which an earlier input does not move every later output",
            points=1.0,
            draw=shown.strangers,
            law=a_name,
            idea=TABLE,
        ),
        Rung(
            name="one cell differs from the table of an encoder or a decoder",
            points=1.0,
            draw=shown.one_cell,
            law=a_name,
            idea=TABLE,
        ),
        Rung(
            name="several layers, and boxes that overlook a feature",
            points=0.5,
            draw=shown.through_layers,
            law=a_name,
            idea=TABLE,
        ),
        Rung(
            name="outputs that move by a millionth or less",
            points=0.25,
            draw=shown.faint_moves,
            law=a_name,
        ),
        Rung(
            name="boxes that begin with a norm, and boxes in float32",
            points=2.25,
            draw=shown.through_norms,
            law=a_name,
            idea=CHANGE,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by gradients", answer=by_gradients),
        Alternative(name="by the heights of columns", answer=by_last_row),
    ),
    hints=(
        "Change input j and run the box again. Which outputs may move in each of the three?",
        "Write down the whole table, n × n, before you name anything. One changed input is not "
        "enough.",
        "Compare the table with that of a decoder, an encoder, and each length of an open "
        "beginning. Which name remains if none of them is equal to it?",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "name_the_box: line 7: + torch.linspace(…) becomes - torch.linspace(…)",
                "name_the_box: line 7: other becomes before in other[j] (2)",
                "name_the_box: line 7: 1 and 3 swapped in torch.linspace(…)",
                "name_the_box: line 7: dtype=x.dtype dropped in torch.linspace(…)",
                "name_the_box: line 7: 1 becomes 2 in torch.linspace(…)",
                "name_the_box: line 7: 3 becomes 2 in torch.linspace(…)",
                "name_the_box: line 7: 3 becomes 4 in torch.linspace(…)",
            ),
            "how an input is changed does not matter, as long as its features change unevenly",
        ),
        **dict.fromkeys(
            (
                "name_the_box: line 8: the minus of -1 dropped",
                "name_the_box: line 9: the minus of -1 dropped",
            ),
            "the last of two axes is axis 1",
        ),
        "name_the_box: line 10: 1 becomes 2 in n + 1": (
            "an opening of n + 1 tokens equals that of n, which has been compared"
        ),
        "name_the_box: line 11: dtype=torch.bool dropped in torch.ones(n, n, dtype=torch.bool)": (
            "torch.equal compares 0 and 1 with False and True"
        ),
        "name_the_box: line 13: grid and table swapped in torch.equal(grid, table)": (
            "equality has no direction"
        ),
        "name_the_box: line 16: table becomes grid in table.all": "the two are equal there",
    },
)
