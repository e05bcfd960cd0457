"""Two small tasks for testing the checker."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from plaincourse.exercise import Alternative, Exercise, Inputs, Kind, Misconception, Question, Rung


def shift(x: Tensor, by: Tensor) -> Tensor:
    """Add a number to each row."""
    return x + by[:, None]


def to_columns(x: Tensor, by: Tensor) -> Tensor:
    return x + by[None, :]


def doubled(x: Tensor, by: Tensor) -> Tensor:
    return 2 * shift(x, by)


def in_place(x: Tensor, by: Tensor) -> Tensor:
    x += by[:, None]
    return x


def subtracted(x: Tensor, by: Tensor) -> Tensor:
    return x - by[:, None]


def flat(x: Tensor, by: Tensor) -> Tensor:
    return shift(x, by).reshape(-1)


def only_first(x: Tensor, by: Tensor) -> Tensor:
    return x + by[0]


def by_rows(x: Tensor, by: Tensor) -> Tensor:
    return torch.stack([row + number for row, number in zip(x, by, strict=True)])


def by_einsum(x: Tensor, by: Tensor) -> Tensor:
    return x + torch.einsum("i,j->ij", by, torch.ones_like(x[0]))


def draw(g: Generator, *sizes: tuple[int, int]) -> list[Inputs]:
    return [
        {
            "x": torch.randn(n, m, generator=g, dtype=torch.float64),
            "by": torch.randn(n, generator=g, dtype=torch.float64),
        }
        for n, m in sizes
    ]


def grows(inputs: Inputs, output: Tensor) -> str | None:
    return None if output.shape == inputs["x"].shape else "the shape of x is kept"


def wrong(name: str, answer: object, kind: Kind = "idea") -> Misconception:
    return Misconception(
        name=name,
        answer=answer,
        kind=kind,
        believed=f"{name}.",
        says=f"This is what {name} gives.",
        hints=(f"{name} one", f"{name} two", f"{name} three"),
    )


TASK = Exercise(
    id="99.shift",
    title="Shift the rows",
    level="easy",
    minutes=5,
    concepts=(),
    reference=shift,
    axes="q k",
    rungs=(
        Rung(name="one number", points=0.5, draw=lambda g: draw(g, (1, 1)), law=grows),
        Rung(name="one row", points=0.5, draw=lambda g: draw(g, (1, 3)), law=grows),
        Rung(
            name="each row its own",
            points=2.0,
            draw=lambda g: draw(g, (2, 2), (3, 2)),
            idea="each row has a number of its own",
        ),
    ),
    misconceptions=(
        wrong("to columns", to_columns),
        wrong("doubled", doubled),
        wrong("in place", in_place, kind="form"),
        wrong("subtracted", subtracted),
        wrong("flat", flat),
        wrong("only first", only_first),
    ),
    alternatives=(
        Alternative(name="row by row", answer=by_rows),
        Alternative(name="einsum", answer=by_einsum),
    ),
    hints=("general one", "general two", "general three"),
    forbid=("plainformer", "scaled_dot_product_attention", "addmm"),
)

CHOICE = Question(
    id="99.choice",
    title="Choose",
    level="easy",
    minutes=1,
    concepts=(),
    points=2.0,
    answer="B",
    options={"A": "one", "B": "two", "C": "three"},
    misconceptions=(wrong("first", "A"), wrong("third", "C")),
    hints=("look again",),
)

NUMBER = replace(
    CHOICE,
    id="99.number",
    answer=0.25,
    options={},
    tolerance=1e-3,
    misconceptions=(wrong("half", 0.5),),
)

PAIR = replace(
    NUMBER,
    id="99.pair",
    answer=(2, 3),
    misconceptions=(wrong("swapped", (3, 2)), wrong("even", (2, 2))),
)
