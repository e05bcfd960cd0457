"""Exercise 04.cut_head: a layer without one of its heads."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch04.mistakes.cut_head import MISCONCEPTIONS
from exercise_bank.draws import in_float64, normal, single
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Matrices = tuple[Tensor, Tensor, Tensor, Tensor]
NAMES = ("w_query", "w_key", "w_value", "w_output")


def draw(g: Generator, m: int, h: int, d: int, head: int) -> Inputs:
    shapes = {**dict.fromkeys(NAMES[:3], (m, h * d)), "w_output": (h * d, m)}
    matrices = {name: single(g, *shape) for name, shape in shapes.items()}
    return {**matrices, "n_heads": h, "head": head}


def example(g: Generator) -> Inputs:
    w = torch.arange(8.0).reshape(2, 4)
    return {**dict.fromkeys(NAMES[:3], w), "w_output": w.T, "n_heads": 2, "head": 0}


def width_1(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 1, 1), draw(g, 5, 4, 1, 0), draw(g, 3, 5, 1, 2)]


def square(g: Generator) -> list[Inputs]:
    return [draw(g, 6, 3, 2, 1), draw(g, 9, 3, 3, 0), draw(g, 8, 4, 2, 2)]


def any_head(g: Generator) -> list[Inputs]:
    """Draw the first of many heads, some in the middle, and the last."""
    sizes = ((5, 2, 2, 1), (9, 4, 2, 0), (6, 3, 2, 1), (13, 6, 2, 4), (15, 5, 3, 4))
    return [draw(g, *each) for each in sizes]


def awkward(g: Generator) -> list[Inputs]:
    sizes = ((7, 5, 3, 3), (2, 3, 5, 0), (4, 6, 2, 4), (5, 3, 2, 2))
    drawn = [example(g), *(draw(g, *each) for each in sizes)]
    return [*drawn, in_float64(draw(g, 5, 3, 2, 1))]


def right(inputs: Inputs) -> Matrices:
    return cut_head(**inputs)


queries_keys_values = parts(right, NAMES, 0, 1, 2)
output = parts(right, NAMES, 3)


def one_head_less(inputs: Inputs, answer: Any) -> str | None:
    """Report a matrix from which no whole head was removed, in columns or in rows."""
    if said := unfit(answer):
        return said
    h = inputs["n_heads"]
    for name, matrix in zip(NAMES, answer, strict=True):
        w = inputs[name].to(matrix)
        for whole in (w, w.T):
            blocks = whole.chunk(h, dim=1)
            less = [torch.cat([*blocks[:r], *blocks[r + 1 :]], dim=1) for r in range(h)]
            if any(torch.equal(matrix if whole is w else matrix.T, each) for each in less):
                break
        else:
            return f"your {name}, of shape {tuple(matrix.shape)}, is not the old one less a head"
    return None


def works(inputs: Inputs, answer: Any) -> str | None:
    """Report the difference from the layer's old output without the head's contribution."""
    if said := unfit(answer):
        return said
    g = torch.Generator().manual_seed(5)
    m, width = inputs["w_query"].shape
    d = width // inputs["n_heads"]
    x = normal(g, 4, m)
    old = [inputs[name].double() for name in NAMES]
    wanted = sum(
        (written(x, old, d, r) for r in range(inputs["n_heads"]) if r != inputs["head"]),
        torch.zeros(4, m, dtype=torch.float64),
    )
    new = [matrix.double() for matrix in answer]
    shapes = [tuple(matrix.shape) for matrix in new]
    left = shapes[0][-1]
    if shapes != [(m, left)] * 3 + [(left, m)] or left % d:
        return f"matrices of shapes {shapes} make no layer with heads of width {d}"
    found = sum(
        (written(x, new, d, r) for r in range(left // d)), torch.zeros(4, m, dtype=torch.float64)
    )
    off = (found - wanted).abs().max().item()
    if off < 1e-3:
        return None
    return (
        "the new layer's output should be the old one less the head's part; on an x of our "
        f"own yours is off by up to {off:.3g}"
    )


def written(x: Tensor, matrices: list[Tensor], d: int, r: int) -> Tensor:
    s = slice(r * d, (r + 1) * d)
    query, key, value = (x @ w[:, s] for w in matrices[:3])
    return torch.softmax(query @ key.mT / d**0.5, dim=-1) @ value @ matrices[3][s]


def unfit(answer: Any) -> str | None:
    right_kind = isinstance(answer, (tuple, list)) and len(answer) == len(NAMES)
    if right_kind and all(isinstance(each, Tensor) and each.ndim == 2 for each in answer):
        return None
    return "return four matrices: for query, key, value and output"


def cut_head(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> Matrices:
    d = w_query.shape[1] // n_heads
    kept = torch.cat([torch.arange(head * d), torch.arange((head + 1) * d, n_heads * d)])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def by_chunks(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> Matrices:
    cut = []
    for w, dim in ((w_query, 1), (w_key, 1), (w_value, 1), (w_output, 0)):
        blocks = list(w.chunk(n_heads, dim=dim))
        del blocks[head]
        cut.append(torch.cat(blocks, dim=dim))
    return cut[0], cut[1], cut[2], cut[3]


def by_mask(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> Matrices:
    width = w_output.shape[0]
    stays = torch.arange(width) // (width // n_heads) != head
    return w_query[:, stays], w_key[:, stays], w_value[:, stays], w_output[stays]


def by_shapes(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> Matrices:
    left = [r for r in range(n_heads) if r != head]
    heads = [w.unflatten(1, (n_heads, -1))[:, left].flatten(1) for w in (w_query, w_key, w_value)]
    output = w_output.reshape(n_heads, -1, w_output.shape[1])[left].flatten(0, 1)
    return heads[0], heads[1], heads[2], output


TASK = Exercise(
    id="04.cut_head",
    title="Take a head out",
    level="medium",
    minutes=12,
    concepts=("output-projection", "concatenation", "fused-projections", "head-specialisation"),
    reference=cut_head,
    rungs=(
        Rung(
            name="heads of width 1: a head is one component",
            points=0.5,
            idea="a head is a block of components",
            draw=width_1,
        ),
        Rung(
            name="square matrices: a whole head goes, be it in rows or in columns",
            points=1.0,
            idea="a head is a block of components",
            draw=square,
            law=one_head_less,
            compare=False,
        ),
        Rung(
            name="h·d is m or m - 1: query, key and value lose the columns of that head",
            points=0.75,
            idea="columns in, rows out",
            draw=any_head,
            law=queries_keys_values,
            compare=False,
        ),
        Rung(
            name="h·d is m or m - 1: output loses the rows of that head",
            points=0.5,
            idea="columns in, rows out",
            draw=any_head,
            law=output,
            compare=False,
        ),
        Rung(
            name="the layer's output is the old one less what that head wrote",
            points=1.0,
            idea="heads are added in the output",
            draw=awkward,
            law=works,
            compare=False,
        ),
        Rung(
            name="nothing is computed for it: the whole, at awkward sizes",
            points=0.25,
            draw=awkward,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="heads as an axis", answer=by_shapes),
        Alternative(name="chunks", answer=by_chunks),
        Alternative(name="a boolean index", answer=by_mask),
    ),
    hints=(
        "Write the layer's output as a sum over heads. Which parts of the four matrices occur in "
        "one term?",
        "A head owns d neighbouring components of query, key and value. Are these rows or columns "
        "of w_query? And of w_output?",
        "Make the list of components that stay, once. Where does it index each of the four?",
    ),
    equivalents={
        "cut_head: line 2: w_query becomes w_key in w_query.shape": (
            "queries, keys and values have one width here"
        ),
        "cut_head: line 2: w_query becomes w_value in w_query.shape": (
            "queries, keys and values have one width here"
        ),
    },
)
