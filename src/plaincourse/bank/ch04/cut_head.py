"""Exercise 04.cut_head: a layer without one of its heads."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch04.mistakes.cut_head import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Matrices = tuple[Tensor, Tensor, Tensor, Tensor]
NAMES = ("w_query", "w_key", "w_value", "w_output")


def draw(g: Generator, m: int, h: int, d: int, head: int) -> Inputs:
    shapes = {**dict.fromkeys(NAMES[:3], (m, h * d)), "w_output": (h * d, m)}
    matrices = {name: normal(g, *shape) for name, shape in shapes.items()}
    return {**matrices, "n_heads": h, "head": head}


def last_of_two(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 1, 1), draw(g, 5, 2, 2, 1)]


def first_or_middle(g: Generator) -> list[Inputs]:
    return [draw(g, 4, 2, 2, 0), draw(g, 6, 3, 2, 1), draw(g, 5, 4, 1, 2)]


def square(g: Generator) -> list[Inputs]:
    return [draw(g, 6, 2, 3, 0), draw(g, 6, 3, 2, 1), draw(g, 9, 3, 3, 1)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 7, 5, 3, 3), draw(g, 2, 3, 5, 1), draw(g, 4, 6, 2, 4)]


def narrower(inputs: Inputs, output: object) -> str | None:
    """Say which matrix has the wrong shape."""
    if not isinstance(output, (tuple, list)) or len(output) != len(NAMES):
        return "return four matrices: for query, key, value and output"
    m, width = inputs["w_query"].shape
    left = width - width // inputs["n_heads"]
    for name, matrix in zip(NAMES, output, strict=True):
        wanted = (left, m) if name == "w_output" else (m, left)
        if not isinstance(matrix, Tensor) or matrix.shape != wanted:
            shape = tuple(matrix.shape) if isinstance(matrix, Tensor) else type(matrix).__name__
            return f"{name} should have shape {wanted} afterwards; yours has {shape}"
    return None


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


TASK = Exercise(
    id="04.cut_head",
    title="Take a head out",
    level="medium",
    minutes=12,
    concepts=("output-projection", "concatenation", "fused-projections", "head-specialisation"),
    reference=cut_head,
    rungs=(
        Rung(name="the last of two heads", points=1.0, draw=last_of_two, law=narrower),
        Rung(
            name="a head in front or in the middle", points=1.0, draw=first_or_middle, law=narrower
        ),
        Rung(name="rows and columns are not confused", points=1.0, draw=square, law=narrower),
        Rung(name="any number of heads, of any width", points=1.0, draw=awkward, law=narrower),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
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
