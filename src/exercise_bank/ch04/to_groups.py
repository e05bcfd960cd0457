"""Exercise 04.to_groups: key or value matrices of a finished layer, averaged within groups."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch04.mistakes.to_groups import MISCONCEPTIONS
from exercise_bank.draws import in_float64, single
from exercise_bank.skills import in_proportion, through
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import USUAL

AVERAGES = "each column is an average of columns, one of each head in its group"


def draw(g: Generator, m: int, h: int, d: int, groups: int) -> Inputs:
    return {"w": single(g, m, h * d), "n_heads": h, "n_kv_heads": groups}


def as_many_in_a_group(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 4, 2, 2), draw(g, 7, 9, 2, 3), draw(g, 5, 4, 3, 2)]


def one_group(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, 1, 1), draw(g, 3, 3, 2, 1), draw(g, 4, 4, 3, 1)]


def width_1(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 4, 1, 2), draw(g, 5, 6, 1, 2), draw(g, 4, 9, 1, 3)]


def equal_heads(g: Generator) -> list[Inputs]:
    """Draw groups of equal heads, so that their mean equals each of them."""
    found: list[Inputs] = []
    for m, h, d, groups in ((3, 4, 2, 2), (5, 6, 3, 2), (2, 6, 2, 3)):
        heads = single(g, m, groups, 1, d).expand(m, groups, h // groups, d)
        found.append({"w": heads.flatten(1), "n_heads": h, "n_kv_heads": groups})
    return found


def all_alike(g: Generator) -> list[Inputs]:
    """Draw equally many groups and heads per group, all heads equal."""
    sizes = ((3, 4, 2, 2), (5, 9, 3, 3), (2, 4, 3, 2))
    return [
        {"w": single(g, m, d).repeat(1, h), "n_heads": h, "n_kv_heads": groups}
        for m, h, d, groups in sizes
    ]


def several(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 4, 2, 2), draw(g, 7, 6, 5, 2), draw(g, 4, 8, 3, 2), draw(g, 12, 6, 2, 3)]


def awkward(g: Generator) -> list[Inputs]:
    w = torch.tensor([[1.0, 2.0, 3.0, 4.0, 50.0, 60.0, 70.0, 80.0]])
    example = {"w": w, "n_heads": 4, "n_kv_heads": 2}
    unlike = [draw(g, 1, 6, 2, 3), draw(g, 7, 6, 3, 2), draw(g, 5, 3, 2, 3)]
    return [example, *unlike, *several(g), in_float64(draw(g, 5, 9, 2, 3))]


def flattened(inputs: Inputs, w: Any) -> Any:
    """Return a matrix where groups and components are two axes."""
    return w.flatten(1) if isinstance(w, Tensor) and w.ndim == 3 else w


def averaged(inputs: Inputs, w: Any) -> str | None:
    """Report a difference from the right matrix."""
    if isinstance(w, Tensor) and (said := narrower(inputs, w)):
        return said
    return difference(to_groups(**inputs), w, USUAL, axes="m w", dtype="kind")


def narrower(inputs: Inputs, w: Tensor) -> str | None:
    """Report a matrix with the wrong shape."""
    m, width = inputs["w"].shape
    wanted = (m, width // inputs["n_heads"] * inputs["n_kv_heads"])
    if w.shape != wanted:
        return f"g heads of width d make a matrix (m, g·d) = {wanted}; yours is {tuple(w.shape)}"
    return None


def all_there(inputs: Inputs, w: Any) -> str | None:
    """Report a missing average, whatever the shape."""
    if not isinstance(w, Tensor):
        return f"return one tensor; yours is a {type(w).__name__}"
    for average in to_groups(**inputs).flatten():
        if not (w - average).abs().lt(1e-5).any():
            return f"{average.item():.4g} is an average of a group's heads; yours lacks it"
    return None


def to_groups(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    return w.reshape(m, n_kv_heads, n_heads // n_kv_heads, d).mean(dim=2).flatten(1)


def by_loops(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    heads = w.chunk(n_heads, dim=1)
    size = n_heads // n_kv_heads
    groups = [heads[j * size : (j + 1) * size] for j in range(n_kv_heads)]
    return torch.cat([torch.stack(group).sum(dim=0) / size for group in groups], dim=1)


def by_a_product(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    d, size = w.shape[1] // n_heads, n_heads // n_kv_heads
    p = torch.zeros(n_heads * d, n_kv_heads * d, dtype=w.dtype)
    for r in range(n_heads):
        for c in range(d):
            p[r * d + c, r // size * d + c] = 1 / size
    return w @ p


def added_up(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    d, size = w.shape[1] // n_heads, n_heads // n_kv_heads
    columns = torch.arange(n_heads * d)
    where = columns // d // size * d + columns % d
    return w.new_zeros(len(w), n_kv_heads * d).index_add(1, where, w) / size


TASK = Exercise(
    id="04.to_groups",
    title="From many key heads to a few",
    level="medium",
    minutes=12,
    concepts=("grouped-query-attention", "multi-query-attention", "fused-projections"),
    extra=True,
    reference=to_groups,
    rungs=(
        Rung(
            name="one group: the mean of all heads",
            points=0.5,
            idea="the mean of a group",
            draw=one_group,
            law=through(flattened, averaged),
            compare=False,
        ),
        Rung(
            name="groups of heads of width 1",
            points=0.5,
            idea="neighbours share",
            draw=width_1,
            law=through(flattened, averaged),
            compare=False,
        ),
        Rung(
            name="all heads alike: each group has that head, louder or quieter",
            points=0.75,
            idea="components stay in place",
            draw=all_alike,
            law=through(flattened, in_proportion(to_groups, AVERAGES, rows=False)),
            compare=False,
        ),
        Rung(
            name="groups of equal heads: one of each stays",
            points=0.5,
            idea="neighbours share",
            draw=equal_heads,
            law=through(flattened, averaged),
            compare=False,
        ),
        Rung(
            name="every average of a group is there, in whatever shape",
            points=0.5,
            idea="the mean of a group",
            draw=several,
            law=all_there,
            compare=False,
        ),
        Rung(
            name="as many groups as heads in each: neighbours share, up to a factor",
            points=0.5,
            idea="neighbours share",
            draw=as_many_in_a_group,
            law=through(flattened, in_proportion(to_groups, AVERAGES, rows=False)),
            compare=False,
        ),
        Rung(
            name="any numbers of heads and groups",
            points=0.5,
            draw=awkward,
            law=through(flattened, averaged),
            compare=False,
        ),
        Rung(
            name="the result is a matrix, heads side by side",
            points=0.25,
            draw=several,
            law=narrower,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="columns added up", answer=added_up),
        Alternative(name="loops over groups", answer=by_loops),
        Alternative(name="a matrix product", answer=by_a_product),
    ),
    hints=(
        "With four heads and two groups, which heads are averaged? Remember who shares.",
        "Give the second axis three parts: which group, which head within it, which component.",
        "Over which of those three axes do you average, and how do you get back to two axes?",
    ),
    axes="m w",
)
