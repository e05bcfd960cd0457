"""Exercise 09.hidden_change: derive a change of weights that does not affect the output."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Generator, Tensor

from exercise_bank.ch09.mistakes.hidden_change import MISCONCEPTIONS
from exercise_bank.draws import normal, stretched
from exercise_bank.skills import in_single
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SOLVED


def drawn(g: Generator, k: int, e: int) -> Inputs:
    return {"value": normal(g, k, e), "wish": normal(g, k)}


def two_equal_values(g: Generator) -> list[Inputs]:
    value = normal(g, 1, 1).expand(2, 1).clone()
    other = normal(g, 1, 1).expand(3, 1).clone()
    example = torch.tensor([[2.0], [2.0], [5.0]], dtype=torch.float64)
    return [
        {"value": value, "wish": normal(g, 2)},
        {"value": example, "wish": torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)},
        {"value": other, "wish": 1 + normal(g, 3)},
    ]


def narrow_values(g: Generator) -> list[Inputs]:
    a, b, c = stretched(g, 3, 5, 9, most=3)
    return [drawn(g, a, 1), drawn(g, b, 2), drawn(g, c, 3)]


def far_from_zero(g: Generator) -> list[Inputs]:
    return [
        {"value": 5 + normal(g, k, e), "wish": 3 + normal(g, k)}
        for k, e in ((4, 1), (7, 3), (6, 2))
    ]


def already_hidden(g: Generator) -> list[Inputs]:
    """Draw wishes without an effect on the output, which remain unchanged."""
    wishes = (drawn(g, 4, 1), drawn(g, 6, 2))
    return [{**each, "wish": hidden_change(**each)} for each in wishes]


def nothing_can_move(g: Generator) -> list[Inputs]:
    """Draw at least as many conditions as keys, and one case with one key more."""
    return [drawn(g, 3, 2), drawn(g, 3, 5), drawn(g, 1, 2), drawn(g, 4, 2)]


def moved(inputs: Inputs, change: Tensor) -> str | None:
    """Report a change of the wrong shape, or of zero."""
    if change.shape != inputs["wish"].shape:
        return f"return one number for each key, ({len(inputs['wish'])},); yours has shape " + (
            f"{tuple(change.shape)}"
        )
    if not change.isfinite().all():
        return f"{int((~change.isfinite()).sum())} of your {len(change)} numbers are nan or inf"
    if change.abs().max() < 1e-3:
        return "here weights can be moved without a trace; your change is 0"
    return None


def sum_stays(inputs: Inputs, change: Tensor) -> str | None:
    """Report a change of the weights that changes their sum."""
    total = change.double().sum().item()
    if abs(total) > 1e-4 * (1 + change.abs().max().item()):
        return f"the weights must still sum to 1; your change sums to {total:.4g}"
    return None


def output_stays(inputs: Inputs, change: Tensor) -> str | None:
    """Report a change of the weights that changes the output."""
    shown = (change.double() @ inputs["value"].double()).abs().max().item()
    if shown > 1e-4 * (1 + change.abs().max().item()):
        return f"the output must not change; with your change a feature of it moves by {shown:.4g}"
    return None


def unseen(inputs: Inputs, change: Tensor) -> str | None:
    if change.shape != inputs["wish"].shape:
        return moved(inputs, change)
    return sum_stays(inputs, change) or output_stays(inputs, change)


def nearest(inputs: Inputs, change: Tensor) -> str | None:
    """Report a change that affects the output, or is not the nearest to the wish."""
    if said := unseen(inputs, change):
        return said
    right = hidden_change(**inputs)
    if change.isfinite().all() and difference(right, change, SOLVED, dtype="kind"):
        return (
            "the sum and the output stay the same, but another change that keeps them is "
            "nearer to the wish"
        )
    return None


def the_wish(inputs: Inputs, change: Tensor) -> str | None:
    """Report a change that differs from a wish without an effect on the output."""
    if change.shape != inputs["wish"].shape or unseen(inputs, change):
        return unseen(inputs, change)
    if difference(inputs["wish"], change, SOLVED, dtype="kind"):
        return (
            "the sum and the output stay the same, but the wish itself keeps them too, so "
            "it is the nearest"
        )
    return None


def on_the_sum(inputs: Inputs, change: Tensor) -> str | None:
    return moved(inputs, change) or sum_stays(inputs, change)


def on_the_output(inputs: Inputs, change: Tensor) -> str | None:
    return moved(inputs, change) or output_stays(inputs, change)


def hidden_change(value: Tensor, wish: Tensor) -> Tensor:
    """Subtract from the wish its projection on the sum and the values."""
    ones = torch.ones_like(value[:, :1])
    held = torch.cat([value, ones], dim=1)
    seen = held @ (torch.linalg.pinv(held) @ wish)
    return wish - seen


def by_singular_vectors(value: Tensor, wish: Tensor) -> Tensor:
    held = torch.cat([value.T, value.new_ones(1, len(value))])
    _, singular, directions = torch.linalg.svd(held, full_matrices=True)
    free = directions[int((singular > 1e-5 * singular[0]).sum()) :]
    return free.T @ (free @ wish)


def one_column_at_a_time(value: Tensor, wish: Tensor) -> Tensor:
    columns = [torch.ones(len(value), dtype=value.dtype), *value.T]
    basis: list[Tensor] = []
    for column in columns:
        rest = column.clone()
        for _ in range(2):  # twice, against rounding
            for b in basis:
                rest = rest - (b @ rest) * b
        if rest.norm() > 1e-5 * column.norm():
            basis.append(rest / rest.norm())
    for b in basis:
        wish = wish - (b @ wish) * b
    return wish


def by_least_squares(value: Tensor, wish: Tensor) -> Tensor:
    held = torch.cat([value, value.new_ones(len(value), 1)], dim=-1).double()
    fitted = torch.linalg.lstsq(held, wish.double()[:, None], driver="gelsd").solution
    return (wish - (held @ fitted)[:, 0]).to(wish.dtype)


TASK = Exercise(
    id="09.hidden_change",
    title="A change that no output shows",
    level="hard",
    minutes=20,
    concepts=("altered-weights", "weights-are-not-explanations"),
    extra=True,
    reference=hidden_change,
    rungs=(
        Rung(
            name="more keys than width: the weights still sum to 1, and something moves",
            points=1.15,
            idea="sum and output stay",
            draw=in_single(narrow_values),
            law=on_the_sum,
            compare=False,
        ),
        Rung(
            name="more keys than width: the output stays the same, and something moves",
            points=1.25,
            idea="sum and output stay",
            draw=in_single(narrow_values),
            law=on_the_output,
            compare=False,
        ),
        Rung(
            name="more keys than width: a wish that does not show is returned as it is",
            points=0.75,
            idea="nearest to the wish",
            draw=in_single(already_hidden),
            law=the_wish,
        ),
        Rung(
            name="nearest to the wish: equal values",
            points=0.75,
            idea="nearest to the wish",
            draw=in_single(two_equal_values),
            law=nearest,
        ),
        Rung(
            name="nearest to the wish: more keys than width, values near 0 and far from it",
            points=1.65,
            idea="nearest to the wish",
            draw=lambda g: [*in_single(narrow_values)(g), *far_from_zero(g)],
            law=nearest,
        ),
        Rung(
            name="few keys: little room to move, or none",
            points=0.45,
            draw=nothing_can_move,
            law=nearest,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="the free singular vectors", answer=by_singular_vectors),
        Alternative(name="one column at a time", answer=one_column_at_a_time),
        Alternative(name="what a fit of the wish leaves", answer=by_least_squares),
    ),
    hints=(
        "Which e + 1 numbers must the change leave alone? Write each as a dot product of the "
        "change with a vector of length k.",
        "The change must be at right angles to these e + 1 vectors, and as near to the wish as can "
        "be. So subtract from the wish its part in their span.",
        "Put the values and a column of ones side by side in a matrix H (k, e + 1). The part of "
        "the wish in the span of H's columns is H pinv(H) wish.",
    ),
    axes="k",
    precision=SOLVED,
    equivalents=dict.fromkeys(
        (
            "hidden_change: line 2: the index of value[:, :1] dropped",
            "hidden_change: line 2: [:1] becomes [:]",
            "hidden_change: line 2: 1 becomes 2 in :1",
        ),
        "several columns of ones span no more than one",
    ),
)
