"""Exercise 02.softmax_backward: the gradient that comes through a softmax, derived and checked."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

from typing import Any

import numpy as np
import torch
from torch import Generator

from plaincourse.bank.ch02.mistakes.softmax_backward import MISCONCEPTIONS
from plaincourse.bank.draws import normal, spread
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NUDGE = 1e-5


def two_keys(g: Generator) -> list[Inputs]:
    return [drawn(g, 1, 2), drawn(g, 1, 2)]


def nothing_to_gain(g: Generator) -> list[Inputs]:
    """Draw a row that gains the same from every weight, and one that does not."""
    level = drawn(g, 1, 3)
    return [{**level, "gradient": np.full((1, 3), 2.0)}, drawn(g, 1, 3)]


def saturated(g: Generator) -> list[Inputs]:
    """Draw a row with all its weight on one key, and one with nearly all."""
    one_hot = np.zeros((1, 3))
    one_hot[0, int(torch.randint(3, (), generator=g))] = 1.0
    return [{**drawn(g, 1, 3), "weights": one_hot}, drawn(g, 1, 4, step=3.0)]


def several_queries(g: Generator) -> list[Inputs]:
    return [drawn(g, q, k) for q, k in ((2, 2), (2, 3), (3, 3), (5, 2))]


def leading_axes(g: Generator) -> list[Inputs]:
    return [drawn(g, *shape) for shape in ((2, 2, 2), (3, 3, 3), (2, 3, 5, 7), (2, 1, 4, 4))]


def float32_rows(g: Generator) -> list[Inputs]:
    return [
        {name: x.astype(np.float32) for name, x in drawn(g, *shape).items()}
        for shape in ((1, 2), (2, 3, 4))
    ]


def drawn(g: Generator, *shape: int, step: float = 0.8) -> Inputs:
    """Draw weights that differ within each row, and a gradient for each of them."""
    weights = torch.softmax(spread(g, *shape, step=step), dim=-1)
    return {"weights": weights.numpy(), "gradient": normal(g, *shape).numpy()}


def reference(weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


def as_measured(inputs: Inputs, output: Any) -> str | None:
    """Nudge each score by a little, and say where the loss of a row does not move as answered."""
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
        Rung(name="two keys", points=0.5, draw=two_keys, law=as_measured),
        Rung(
            name="where every weight has the same gradient, no score has one",
            points=1.0,
            draw=nothing_to_gain,
            law=as_measured,
        ),
        Rung(
            name="a saturated row gets nothing, a nearly saturated one next to nothing",
            points=0.5,
            draw=saturated,
            law=as_measured,
        ),
        Rung(
            name="each query by itself",
            points=1.5,
            draw=several_queries,
            law=as_measured,
        ),
        Rung(
            name="any batch and head axes in front",
            points=1.0,
            draw=leading_axes,
            law=as_measured,
        ),
        Rung(name="float32 stays float32", points=0.5, draw=float32_rows, dtype=True),
    ),
    misconceptions=MISCONCEPTIONS,
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
    rtol=1e-5,
    atol=1e-7,
    axes="*batch q k",
)
