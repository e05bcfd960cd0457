"""Masks that would be misread are refused, with the way out."""

from weakref import ref

import torch
from torch import Tensor


def check(mask: Tensor, scores: Tensor) -> None:
    """Refuse a mask that would be misread.

    Args:
        mask: the mask; anything that broadcasts to the shape of ``scores``.
        scores: scores of shape (..., q, k).

    Raises:
        ValueError: the mask is not boolean, does not broadcast to the scores (the message names
            the axes), or is a causal mask upside down, True where a query may *not* look.

    Cost: one pass over the mask; none where it is the mask that passed last, as in the second
    layer of a model. A tensor made in inference mode does not count its changes: it is read each
    time.
    """
    check_boolean(mask)
    shape = tuple(mask.shape)
    _check_fits("mask", shape, scores)
    if len(shape) >= 2 and shape[-1] == shape[-2] > 1 and _is_upside_down(mask):
        raise ValueError(
            "mask lets queries look only at later positions, never at themselves or before: a "
            "causal mask upside down. Here True means 'may look'; pass ~mask."
        )


_passed: tuple[ref[Tensor], int] | None = None  # the mask that was read last, and its version


def _is_upside_down(mask: Tensor) -> bool:
    """Read a mask, which makes a GPU wait. One that has just passed, unchanged, is not read."""
    global _passed
    last, counted = _passed, not mask.is_inference()  # another thread may replace what passed
    if counted and last is not None and last[0]() is mask and last[1] == mask._version:
        return False
    found = bool(mask.any() and not mask.tril().any())
    _passed = (ref(mask), mask._version) if counted and not found else None
    return found


def check_bias(bias: Tensor, scores: Tensor) -> None:
    """Refuse a bias that cannot be added to the scores.

    Args:
        bias: what is added; anything that broadcasts to the shape of ``scores``.
        scores: scores of shape (..., q, k).

    Raises:
        ValueError: the bias is boolean, or does not broadcast to the scores (the message names
            the axes).
    """
    if bias.dtype == torch.bool:
        raise ValueError("bias has dtype torch.bool; it is added to the scores. Is it the mask?")
    _check_fits("bias", tuple(bias.shape), scores)


def check_boolean(mask: Tensor) -> None:
    """Refuse a mask that is not boolean.

    Args:
        mask: the mask.

    Raises:
        ValueError: it is no tensor, or of another dtype; the message says how to convert it.
    """
    if not isinstance(mask, Tensor):
        raise ValueError(
            f"mask is a {type(mask).__name__}; expected a tensor of torch.bool, True = may look, "
            "such as torch.tensor(mask), or a plainformer.mask_rules.Rule"
        )
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask has dtype {mask.dtype}; expected torch.bool, True = may look. "
            "Of an additive mask (0 or -inf) take mask == 0; of a 1/0 mask take mask.bool()."
        )


def _check_fits(name: str, shape: tuple[int, ...], scores: Tensor) -> None:
    target = tuple(scores.shape)
    padded = (1,) * (len(target) - len(shape)) + shape
    fits = len(padded) == len(target) and all(
        m in (1, s) for m, s in zip(padded, target, strict=True)
    )
    if not fits:
        axes = "bhqk" if len(target) == 4 else "qk"
        names = ", ".join(f"{a}={n}" for a, n in zip(axes, target[-len(axes) :], strict=False))
        raise ValueError(
            f"{name} of shape {shape} does not broadcast to scores of shape {target} ({names}): "
            f"each axis of the {name} must be 1 or that of the scores. A {name} with one row per "
            f"sequence (b, k) becomes {name}[:, None, None, :]; one with a matrix per sequence "
            f"(b, q, k) becomes {name}[:, None]."
        )
