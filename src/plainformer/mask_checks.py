"""Checks of masks: those that would be misread are refused, with advice on how to correct them."""

from weakref import ref

import torch
from torch import Tensor

WHOLE = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}


def check(mask: Tensor, scores: Tensor) -> None:
    """Refuse a mask that would be misread.

    Args:
        mask: the mask; anything that broadcasts to the shape of ``scores``.
        scores: scores of shape (..., q, k).

    Raises:
        ValueError: the mask is not boolean, does not broadcast to the scores (the message names the
            axes), or is an inverted causal mask, True for the keys that a query may *not* attend
            to.

    Cost: one pass over the mask, or none if the same mask passed last, as in the second layer of a
    model. A tensor made in inference mode does not count its changes, so it is read each time.
    """
    check_boolean(mask)
    shape = tuple(mask.shape)
    _check_fits("mask", shape, scores)
    if len(shape) >= 2 and shape[-1] == shape[-2] > 1 and _is_upside_down(mask):
        raise ValueError(
            "mask lets queries look only at later positions, never at themselves or before, as a "
            "causal mask upside down does. Here True means 'may look': pass ~mask if it is causal "
            "and nothing else, or masks.combine(masks.causal(q), …) if it hides padding, too."
        )


_passed: tuple[ref[Tensor], int] | None = None  # the mask that was read last, and its version


def _is_upside_down(mask: Tensor) -> bool:
    """Read a mask, which makes a GPU wait; skip one that has just passed and is unchanged."""
    global _passed
    last, counted = _passed, not mask.is_inference()  # another thread may replace _passed
    if counted and last is not None and last[0]() is mask and last[1] == mask._version:
        return False
    found = bool(mask.any() and not mask.tril().any())
    _passed = (ref(mask), mask._version) if counted and not found else None
    return found


def check_bias(bias: Tensor, scores: Tensor) -> None:
    """Refuse a bias that cannot be added to the scores.

    Args:
        bias: the bias; it must broadcast to the shape of ``scores``.
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
        ValueError: it is not a tensor, or has another dtype; the message explains the conversion.
    """
    if not isinstance(mask, Tensor):
        raise ValueError(
            f"mask is a {type(mask).__name__}; expected a tensor of torch.bool, True = may look, "
            "such as torch.tensor(mask), or a plainformer.mask_rules.Rule"
        )
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask has dtype {mask.dtype}; expected torch.bool, True = may look. "
            "Of an additive mask (0 or -inf) take mask == 0, or pass it as bias; of a mask of 1 "
            "(may look) and 0 take mask.bool()."
        )


def check_ends(**ends: object) -> None:
    """Refuse starts or lengths of sequences that are not one whole number per sequence.

    Args:
        **ends: tensors (b,) by name, or None.

    Raises:
        ValueError: an argument is invalid; the message explains how to compute lengths from a mask.
    """
    for name, value in ends.items():
        if value is None:
            continue
        if not isinstance(value, Tensor):
            raise ValueError(f"{name}={value!r}: expected a tensor (b,), torch.tensor({value!r})")
        if value.ndim != 1 or (len(value) and value.dtype not in WHOLE):
            raise ValueError(
                f"{name} is a tensor of shape {tuple(value.shape)} and {value.dtype}: expected "
                "whole numbers (b,), one for each sequence; of a mask of real tokens (b, k), "
                "padded on the right, lengths=mask.sum(-1)"
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
            f"each axis of the {name} must be 1 or that of the scores."
            + _way_out(name, shape, target)
        )


def _way_out(name: str, shape: tuple[int, ...], target: tuple[int, ...]) -> str:
    """Name the index that corrects a shape, if it is one of the common ones."""
    if len(target) != 4:
        return ""
    b, _, q, k = target
    if shape in ((b, k), (1, k)):
        return f" One row for each sequence (b, k) becomes {name}[:, None, None, :]."
    if shape in ((b, q, k), (b, 1, k)):
        return f" One matrix for each sequence (b, q, k) becomes {name}[:, None]."
    if len(shape) >= 2 and shape[-2:] == (k, k) and q < k:
        return f" The queries are the last {q} of {k} positions: take {name}[..., -{q}:, :]."
    if len(shape) >= 1 and shape[-1] != k and shape[-1] > 1:
        return f" It has {shape[-1]} columns, and there are {k} keys, those of a cache included."
    return ""
