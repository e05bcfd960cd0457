"""Exercise 04.split_heads: one width cut into heads."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch04.mistakes.split_heads import MISCONCEPTIONS
from exercise_bank.draws import in_float64, single
from plaincourse.checking.in_words import difference, show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import USUAL


def draw(g: Generator, b: int, n: int, h: int, d: int) -> Inputs:
    return {"x": single(g, b, n, h * d), "n_heads": h}


def example(g: Generator) -> Inputs:
    return {"x": torch.arange(8.0).reshape(1, 2, 4), "n_heads": 2}


def one_position(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, 2, 3), draw(g, 1, 1, 3, 2), draw(g, 1, 1, 4, 3)]


def unlike_sizes(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 3, 2, 4), draw(g, 2, 5, 3, 4), draw(g, 5, 2, 4, 3)]


def one_sequence(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 3, 2, 4), draw(g, 1, 5, 3, 4), draw(g, 1, 2, 4, 3)]


def awkward(g: Generator) -> list[Inputs]:
    return [
        example(g),
        draw(g, 1, 3, 3, 3),
        draw(g, 2, 2, 2, 2),
        draw(g, 3, 5, 2, 7),
        draw(g, 4, 3, 5, 1),
        in_float64(draw(g, 3, 7, 1, 2)),
    ]


def joined(heads: Any) -> Any:
    """Return separate heads, each (b, n, d), as one tensor; return anything else unchanged."""
    one_by_one = isinstance(heads, (list, tuple)) and len(heads) > 0
    if one_by_one and all(isinstance(x, Tensor) and x.ndim == 3 for x in heads):
        return torch.stack(list(heads), dim=1)
    return heads


def one_tensor(inputs: Inputs, heads: Any) -> str | None:
    if isinstance(heads, Tensor):
        return None
    return f"return one tensor; yours is a {type(heads).__name__}"


def as_it_should(inputs: Inputs, heads: Any) -> str | None:
    """Report a difference from the right heads, in one tensor or separate."""
    right = split_heads(**inputs)
    return difference(right, joined(heads), USUAL, axes="b h n d", dtype="kind")


def all_kept(inputs: Inputs, heads: Any) -> str | None:
    """Report an output with the wrong shape, or with numbers other than those of x."""
    heads = joined(heads)
    if not isinstance(heads, Tensor):
        return f"return one tensor; yours is a {type(heads).__name__}"
    b, n, width = inputs["x"].shape
    h = inputs["n_heads"]
    if heads.shape != (b, h, n, width // h):
        return f"the shape is (b, h, n, d) = {(b, h, n, width // h)}; yours is {tuple(heads.shape)}"
    if not torch.equal(
        heads.flatten().sort().values, inputs["x"].flatten().sort().values.to(heads)
    ):
        return "each number of x is in one head, once; your numbers differ"
    return None


def blocks(inputs: Inputs, heads: Any) -> str | None:
    """Report a row of the output that is not a head of any position, whatever the order of rows."""
    heads = joined(heads)
    if not isinstance(heads, Tensor):
        return f"return one tensor; yours is a {type(heads).__name__}"
    h = inputs["n_heads"]
    rows = split_heads(**inputs).flatten(0, 2)
    d = rows.shape[1]
    if heads.ndim < 2 or heads.numel() != rows.numel() or heads.shape[-1] != d:
        return f"{h} heads have {d} components each; your output has shape {tuple(heads.shape)}"
    for row in heads.reshape(-1, d):
        if not (rows == row.to(rows)).all(dim=1).any():
            return f"{show(row)} is not a head: a head holds neighbouring components of a position"
    return None


def owned(inputs: Inputs, heads: Any) -> str | None:
    """Report a head of the single sequence with wrong numbers.

    The heads may be in a list, with their axes in any order.
    """
    right = split_heads(**inputs)[0]
    if isinstance(heads, (list, tuple)) and len({getattr(x, "shape", None) for x in heads}) == 1:
        heads = torch.stack(list(heads)) if isinstance(heads[0], Tensor) else heads
    if not isinstance(heads, Tensor):
        return f"return one tensor; yours is a {type(heads).__name__}"
    found = heads.squeeze()
    if sorted(found.shape) != sorted(right.shape):
        return f"your output has shape {tuple(heads.shape)}; expected {(1, *right.shape)}"
    found = found.permute([list(found.shape).index(size) for size in right.shape])
    wrong = (found.to(right) != right).nonzero()
    if not len(wrong):
        return None
    r, t, c = wrong[0].tolist()
    return (
        f"component {c} of head {r} at position {t} is {right[r, t, c].item():.4g}; yours is "
        f"{found[r, t, c].item():.4g}"
    )


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, n_heads, width // n_heads).transpose(1, 2)


def stacked_chunks(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def viewed(x: Tensor, n_heads: int) -> Tensor:
    return x.view(*x.shape[:2], n_heads, -1).permute(0, 2, 1, 3)


def head_by_head(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    d = width // n_heads
    heads = x.new_zeros(b, n_heads, n, d)
    for r in range(n_heads):
        heads[:, r] = x[:, :, r * d : (r + 1) * d]
    return heads


TASK = Exercise(
    id="04.split_heads",
    title="Cut one width into heads",
    level="warm-up",
    minutes=8,
    concepts=("head-splitting", "head-width", "subspaces"),
    reference=split_heads,
    rungs=(
        Rung(
            name="each row is one head of one position, whole",
            points=0.5,
            idea="neighbouring components make a head",
            draw=one_position,
            law=blocks,
            compare=False,
        ),
        Rung(
            name="the axes are (b, h, n, d), and every number is there once",
            points=1.0,
            idea="heads become an axis",
            draw=unlike_sizes,
            law=all_kept,
            compare=False,
        ),
        Rung(
            name="one sequence: each head holds its slice of every position, in any order of axes",
            points=0.75,
            idea="neighbouring components make a head",
            draw=one_sequence,
            law=owned,
            compare=False,
        ),
        Rung(
            name="the whole, at awkward sizes, of one sequence and of several",
            points=0.5,
            draw=awkward,
            law=as_it_should,
            compare=False,
        ),
        Rung(
            name="the heads come in one tensor",
            points=0.25,
            draw=one_position,
            law=one_tensor,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="chunks, stacked", answer=stacked_chunks),
        Alternative(name="view and permute", answer=viewed),
        Alternative(name="head by head", answer=head_by_head),
    ),
    hints=(
        "Position 0 is one vector. Which of its numbers belong to head 1?",
        "A reshape can cut the last axis in two. Which axes are positions and heads after it?",
        "After cutting you have (b, n, h, d). Which two axes must still change places?",
    ),
    axes="b h n d",
    equivalents={
        "split_heads: line 3: 1 and 2 swapped in "
        "x.reshape(b, n, n_head …  // n_heads).transpose(…)": "axes may be named in either order",
    },
)
