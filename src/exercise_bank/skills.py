"""Requirements that test one skill and ignore the others."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.draws import in_float32
from plaincourse.checking.in_words import difference, show
from plaincourse.exercise import Inputs, Kind, Law, Misconception, Rung
from plaincourse.exercise.precision import SUMMED

Draw = Callable[[Generator], Sequence[Inputs]]
#: Largest number of elements that a message shows in full.
FULL = 16


def said(
    name: str,
    answer: Any,
    believed: str,
    says: str,
    *hints: str,
    variants: tuple[Any, ...] = (),
    kind: Kind = "idea",
    shown: str | None = None,
) -> Misconception:
    """Return a misconception, from texts in a fixed order."""
    return Misconception(
        name=name,
        answer=answer,
        believed=believed,
        says=says,
        hints=hints,
        variants=variants,
        kind=kind,
        shown=shown,
    )


def saying(make: Callable[[Any], Any]) -> Callable[..., Misconception]:
    """Return a :func:`said` for answers of one kind.

    Args:
        make: from a short form, such as the name of a slip, to the wrong answer.
    """

    def of_kind(
        name: str, what: Any, *texts: str, variants: tuple[Any, ...] = (), kind: Kind = "idea"
    ) -> Misconception:
        others = tuple(map(make, variants))
        return said(name, make(what), *texts, variants=others, kind=kind)

    return of_kind


def rung(name: str, points: float, draw: Draw, law: Law, idea: str = "") -> Rung:
    """Make a requirement that a law alone decides, whatever else differs from the reference."""
    return Rung(name=name, points=points, draw=draw, law=law, compare=False, idea=idea)


def through(look: Callable[[Inputs, Any], Any], law: Law) -> Law:
    """Make a law ignore the form of an answer, which another requirement covers.

    Args:
        look: from inputs and an answer to the answer in the form that the law expects.
        law: the law on this form.
    """
    return lambda inputs, answer: law(inputs, look(inputs, answer))


def sides_of(right: Callable[..., Tensor], *, in_full: bool = False) -> Callable[..., Rung]:
    """Return a function that makes requirements about one side of an output, by :func:`agrees`.

    Args:
        right: gives the right output for the inputs.
        in_full: as in :func:`agrees`.
    """

    def side(
        name: str,
        points: float,
        draw: Draw,
        seen: Callable[[Inputs, Tensor], Tensor],
        says: str,
        idea: str = "",
    ) -> Rung:
        return rung(name, points, draw, agrees(right, seen, says, in_full=in_full), idea)

    return side


def in_single(*draws: Draw) -> Draw:
    """Combine the inputs of several draws in order, in float32 like a prompt's examples."""

    def draw(g: Generator) -> list[Inputs]:
        return [in_float32(inputs) for each in draws for inputs in each(g)]

    return draw


def in_proportion(
    right: Callable[..., Tensor], says: str, *, rows: bool = True, signed: bool = True
) -> Law:
    """Make a law that an output is right but for a factor.

    Args:
        right: gives the right output for the inputs.
        says: the rule, as the student reads it.
        rows: whether each row of the last axis may have a factor of its own, or all share one.
        signed: whether the factor must be above 0.
    """

    def law(inputs: Inputs, output: Tensor) -> str | None:
        wanted = right(**inputs).double()
        if not isinstance(output, Tensor) or output.shape != wanted.shape:
            shape = tuple(getattr(output, "shape", ()))
            return f"your output has shape {shape}; expected {tuple(wanted.shape)}"
        got = output.detach().double()
        if not got.isfinite().all():
            return f"{int((~got.isfinite()).sum())} of your {got.numel()} numbers are nan or inf"
        flat, want = (x.reshape(-1, x.shape[-1] if rows else x.numel()) for x in (got, wanted))
        factor = (flat * want).sum(-1, keepdim=True) / want.square().sum(-1, keepdim=True)
        size = want.abs().amax(-1, keepdim=True) * factor.abs()
        least = factor[:, 0] if signed else factor[:, 0].abs()
        off = ((flat - factor * want).abs() > 1e-4 * size).any(-1) | (least <= 0)
        if not off.any():
            return None
        place, factor_of = int(off.nonzero()[0]), "a positive factor" if signed else "a factor"
        yours = "Yours" if rows or wanted.ndim < 2 else "Row after row, yours"
        return (
            f"{says}. {yours} is {show(flat[place])}; apart from {factor_of} it should be "
            f"{show(want[place])}"
        )

    return law


def both_types(draw: Draw) -> Draw:
    """Draw in float32, and the same once more in float64."""

    def twice(g: Generator) -> list[Inputs]:
        state = g.get_state()
        single = in_single(draw)(g)
        again = torch.Generator().set_state(state)
        return [*single, *draw(again)]

    return twice


def agrees(
    right: Callable[..., Tensor],
    seen: Callable[[Inputs, Tensor], Tensor],
    says: str,
    *,
    in_full: bool = False,
) -> Law:
    """Make a law that compares one side of an output with that of the right one.

    Args:
        right: gives the right output for the inputs.
        seen: from inputs and an output to the compared side, such as its size.
        says: name of the side, as the student reads it before the first number that differs.
        in_full: whether up to 16 numbers are shown in full, to distinguish mistakes with an equal
            first number.
    """

    def law(inputs: Inputs, output: Tensor) -> str | None:
        wanted = right(**inputs)
        if not isinstance(output, Tensor) or output.shape != wanted.shape:
            shape = tuple(getattr(output, "shape", ()))
            return f"your output has shape {shape}; expected {tuple(wanted.shape)}"
        one, other = (seen(inputs, x.detach().double()) for x in (wanted, output))
        said = difference(one, other, SUMMED, dtype="any")
        if said and in_full and one.shape == other.shape and one.numel() <= FULL:
            yours, expected = (" ".join(show(x).split()) for x in (other, one))
            return f"{says}: yours {yours}; expected {expected}"
        return said and f"{says}: {said.replace('your output', 'yours', 1)}"

    return law
