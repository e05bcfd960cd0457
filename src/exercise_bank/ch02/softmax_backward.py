"""Exercise 02.softmax_backward: the gradient that comes through a softmax, derived and checked."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

from typing import Any

import numpy as np
import torch
from torch import Generator

from exercise_bank.ch02.mistakes.softmax_backward import MISCONCEPTIONS
from exercise_bank.ch02.mistakes.softmax_backward_more import MORE
from exercise_bank.draws import normal, spread, stretched
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import FINE

NUDGE = 1e-5


def balanced(g: Generator) -> list[Inputs]:
    """Draw rows whose gradients, and whose gradients times weights, sum to 0."""
    found: list[Inputs] = []
    for q, k in ((1, 3), (1, 5), (3, 3)):
        inputs = drawn(g, q, k)
        weights, gradient = inputs["weights"], inputs["gradient"].copy()
        for row, a in zip(gradient, weights, strict=True):
            basis, _ = np.linalg.qr(np.stack([np.ones(k), a], axis=1))
            row -= basis @ (basis.T @ row)
        found.append({"weights": weights, "gradient": gradient})
    return found


def equal_weights(g: Generator) -> list[Inputs]:
    example = {"weights": np.array([[0.5, 0.5]]), "gradient": np.array([[1.0, 0.0]])}
    found: list[Inputs] = [example]
    for shape in ((1, 3), (2, 4), (3, 3)):
        found.append({**drawn(g, *shape), "weights": np.full(shape, 1 / shape[1])})
    return found


def one_row(g: Generator) -> list[Inputs]:
    """Draw single rows: one free, one whose weights all have the same gradient, two saturated."""
    level, hot = drawn(g, 1, 3), np.zeros((1, 3))
    hot[0, int(torch.randint(3, (), generator=g))] = 1.0
    return [
        drawn(g, 1, 2),
        {**level, "gradient": np.full((1, 3), 2.0)},
        {**drawn(g, 1, 3), "weights": hot},
        drawn(g, 1, 4, step=3.0),
    ]


def several_rows(g: Generator) -> list[Inputs]:
    shapes = ((1, 3), (2, 2), (2, 3), (3, 3), (5, 2), (2, 2, 3))
    return [drawn(g, *shape) for shape in shapes]


def awkward(g: Generator) -> list[Inputs]:
    shapes = ((3, 3), (1, 1), (2, 2, 2), (3, 3, 3), (2, 3, 5, 7), (2, 1, 4, 4))
    return [drawn(g, *shape) for shape in shapes]


def float32_rows(g: Generator) -> list[Inputs]:
    return [
        {name: x.astype(np.float32) for name, x in drawn(g, *stretched(g, *shape)).items()}
        for shape in ((1, 2), (3, 3), (2, 3, 4))
    ]


def either_type(g: Generator) -> list[Inputs]:
    return [*float32_rows(g), drawn(g, 3, 3)]


def drawn(g: Generator, *shape: int, step: float = 0.8) -> Inputs:
    """Draw weights that differ within each row, and a gradient for each of them."""
    weights = torch.softmax(spread(g, *shape, step=step), dim=-1)
    return {"weights": weights.numpy(), "gradient": normal(g, *shape).numpy()}


def reference(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


def rows_sum_to_0(inputs: Inputs, output: Any) -> str | None:
    """Report a row whose gradients do not sum to 0, or are all 0."""
    if said := unfit(inputs, output):
        return said
    sums = output.sum(axis=-1)
    wrong = np.argwhere(~(np.abs(sums) < 1e-6))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        return (
            "the same added to all scores changes no weight, so a row's gradients sum to 0; yours "
            f"of row {list(place)} sum to {sums[place]:.4g}"
        )
    return None if np.abs(output).max() > 1e-3 else "all your gradients are 0"


def in_proportion(inputs: Inputs, output: Any) -> str | None:
    """Report a row whose gradients are not a multiple of the right ones, whatever the sign."""
    if said := unfit(inputs, output):
        return said
    right = reference(**inputs)
    for place in np.ndindex(*right.shape[:-1]):
        a, b = right[place], output[place]
        factor = (a @ b) / (a @ a)
        if abs(factor) < 1e-3 or np.abs(b - factor * a).max() > 1e-5:
            return (
                f"in row {list(place)} the gradients should have the ratios of {show(a)}; yours: "
                f"{show(b)}"
            )
    return None


def type_kept(inputs: Inputs, output: Any) -> str | None:
    """Report a gradient whose shape or dtype differs from the inputs'."""
    if said := unfit(inputs, output):
        return said
    wanted = inputs["gradient"].dtype
    return None if output.dtype == wanted else f"given {wanted}, your output is {output.dtype}"


def unfit(inputs: Inputs, output: Any) -> str | None:
    wanted = inputs["weights"].shape
    if not isinstance(output, np.ndarray):
        return f"expected a NumPy array, your output is a {type(output).__name__}"
    if output.shape != wanted:
        return f"expected a gradient for each score, {wanted}; yours has shape {output.shape}"
    return None


def as_measured(inputs: Inputs, output: Any) -> str | None:
    """Nudge each score a little, and report a row whose loss does not change as answered."""
    weights, gradient = (inputs[name].astype(np.float64) for name in ("weights", "gradient"))
    if not isinstance(output, np.ndarray) or output.shape != weights.shape:
        return None
    scores = np.log(np.maximum(weights, 1e-300))
    for j, nudge in enumerate(NUDGE * np.eye(weights.shape[-1])):
        up, down = ((_softmax(s) * gradient).sum(-1) for s in (scores + nudge, scores - nudge))
        slope = (up - down) / (2 * NUDGE)
        wrong = np.argwhere(~(np.abs(output[..., j] - slope) < 1e-4))
        if len(wrong):
            place = tuple(wrong[0].tolist())
            return (
                f"raise score {[*place, j]} by a little: the loss moves by {slope[place]:.4g} a "
                f"unit; yours says {output[(*place, j)]:.4g}"
            )
    return None


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def whole_jacobian(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    delta = np.eye(weights.shape[-1], dtype=weights.dtype)
    jacobian = weights[..., :, None] * (delta - weights[..., None, :])
    return np.einsum("...ij,...i->...j", jacobian, gradient)


def row_by_row(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    out = np.zeros_like(weights)
    for place in np.ndindex(*weights.shape[:-1]):
        a, g = weights[place], gradient[place]
        out[place] = a * (g - a @ g)
    return out


def two_terms(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    flow = weights * gradient
    return flow - weights * flow.sum(axis=-1)[..., None]


TASK = Exercise(
    id="02.softmax_backward",
    title="Back through the softmax",
    level="medium",
    minutes=15,
    concepts=("softmax-saturation", "softmax-axis", "implement-numpy"),
    reference=reference,
    rungs=(
        Rung(
            name="the gradients of a row sum to 0",
            points=0.5,
            idea="a row shares out one whole",
            draw=several_rows,
            law=rows_sum_to_0,
            compare=False,
        ),
        Rung(
            name="rows whose gradients, and gradients times weights, sum to 0",
            points=1.25,
            idea="times the weight itself",
            draw=balanced,
            law=as_measured,
        ),
        Rung(
            name="equal weights: gradients in the right proportions",
            points=0.75,
            idea="less the weighted average",
            draw=equal_weights,
            law=in_proportion,
            compare=False,
        ),
        Rung(
            name="equal weights",
            points=0.5,
            idea="less the weighted average",
            draw=equal_weights,
            law=as_measured,
        ),
        Rung(
            name="one row: any weights, a gradient of equal numbers, one weight of 1",
            points=0.25,
            draw=one_row,
            law=as_measured,
        ),
        Rung(
            name="float32 stays float32, float64 stays float64",
            points=0.5,
            draw=either_type,
            law=type_kept,
            compare=False,
            dtype=True,
        ),
        Rung(
            name="the whole, with any axes in front",
            points=1.25,
            draw=awkward,
            law=as_measured,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="the whole Jacobian", answer=whole_jacobian),
        Alternative(name="row by row", answer=row_by_row),
        Alternative(name="two terms", answer=two_terms),
    ),
    hints=(
        "By the chain rule, the derivative of the loss by score j is a sum over i of gradient i "
        "times the slope of weight i by score j. Write it down with the Jacobian of the chapter.",
        "Two terms come out: one has only the key j in it, the other a sum over all keys. What do "
        "they share?",
        "Pull the weight of key j out of both terms. What is left in the bracket is gradient j "
        "less one number for the whole row: which average of the gradient is it?",
    ),
    forbid=(
        "plainformer",
        "torch",
        "autograd",
        "backward",
        "softmax",
    ),
    precision=FINE,
    axes="*batch q k",
)
