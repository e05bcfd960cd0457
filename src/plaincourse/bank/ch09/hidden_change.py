"""Exercise 09.hidden_change: a change of weights that no output shows, derived."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch09.mistakes.hidden_change import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def drawn(g: Generator, k: int, e: int) -> Inputs:
    return {"value": normal(g, k, e), "wish": normal(g, k)}


def two_equal_values(g: Generator) -> list[Inputs]:
    value = normal(g, 1, 1).expand(2, 1).clone()
    other = normal(g, 1, 1).expand(3, 1).clone()
    return [{"value": value, "wish": normal(g, 2)}, {"value": other, "wish": 1 + normal(g, 3)}]


def narrow_values(g: Generator) -> list[Inputs]:
    return [drawn(g, 3, 1), drawn(g, 4, 2), drawn(g, 9, 3)]


def far_from_zero(g: Generator) -> list[Inputs]:
    return [
        {"value": 5 + normal(g, k, e), "wish": 3 + normal(g, k)}
        for k, e in ((4, 1), (7, 3), (6, 2))
    ]


def nothing_can_move(g: Generator) -> list[Inputs]:
    return [drawn(g, 3, 2), drawn(g, 3, 5), drawn(g, 1, 2)]


def unseen(inputs: Inputs, change: Tensor) -> str | None:
    """Say that a change of the weights shows in their sum or in the output."""
    if change.shape != inputs["wish"].shape:
        return f"one number for each key is asked, ({len(inputs['wish'])},); yours is of shape " + (
            f"{tuple(change.shape)}"
        )
    slack = 1e-6 if change.dtype == torch.float64 else 1e-4
    change = change.double()
    total = change.sum().item()
    if abs(total) > slack:
        return f"the weights must still sum to 1; your change sums to {total:.4g}"
    moved = (change @ inputs["value"]).abs().max().item()
    if moved > slack:
        return f"the output must stay; with your change a feature of it moves by {moved:.4g}"
    return None


def hidden_change(value: Tensor, wish: Tensor) -> Tensor:
    """Take from the wish what the sum and the values can see of it."""
    ones = torch.ones_like(value[:, :1])
    held = torch.cat([value, ones], dim=1)
    seen = held @ (torch.linalg.pinv(held) @ wish)
    return wish - seen


def by_singular_vectors(value: Tensor, wish: Tensor) -> Tensor:
    held = torch.cat([value.T, value.new_ones(1, len(value))])
    _, singular, directions = torch.linalg.svd(held, full_matrices=True)
    free = directions[int((singular > 1e-9 * singular[0]).sum()) :]
    return free.T @ (free @ wish)


def one_column_at_a_time(value: Tensor, wish: Tensor) -> Tensor:
    columns = [torch.ones(len(value), dtype=value.dtype), *value.T]
    basis: list[Tensor] = []
    for column in columns:
        rest = column.clone()
        for _ in range(2):  # twice, against rounding
            for b in basis:
                rest = rest - (b @ rest) * b
        if rest.norm() > 1e-8 * column.norm():
            basis.append(rest / rest.norm())
    for b in basis:
        wish = wish - (b @ wish) * b
    return wish


TASK = Exercise(
    id="09.hidden_change",
    title="A change that no output shows",
    level="hard",
    minutes=20,
    concepts=("altered-weights", "weights-are-not-explanations"),
    reference=hidden_change,
    rungs=(
        Rung(name="equal values", points=1.5, draw=two_equal_values, law=unseen),
        Rung(name="more keys than width", points=1.5, draw=narrow_values, law=unseen),
        Rung(name="values far from zero", points=1.5, draw=far_from_zero, law=unseen),
        Rung(name="no room to move", points=1.5, draw=nothing_can_move, law=unseen),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="the free singular vectors", answer=by_singular_vectors),
        Alternative(name="one column at a time", answer=one_column_at_a_time),
    ),
    hints=(
        "Which e + 1 numbers must the change leave alone? Write each as a dot product of the "
        "change with a vector of length k.",
        "The change must be at right angles to these e + 1 vectors, and as near to the wish as can "
        "be. So it is what is left of the wish when its part in their span is taken off.",
        "Put the values and a column of ones side by side into H (k, e + 1). The part of the wish "
        "in the span of H's columns is H pinv(H) wish.",
    ),
    axes="k",
    equivalents=dict.fromkeys(
        (
            "hidden_change: line 2: the index of value[:, :1] dropped",
            "hidden_change: line 2: [:1] becomes [:]",
            "hidden_change: line 2: 1 becomes 2 in :1",
        ),
        "a column of ones that stands there several times spans no more than one",
    ),
)
