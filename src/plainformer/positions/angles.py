"""Frequencies and angles, exact enough for position one million."""

import torch
from jaxtyping import Float64
from torch import Tensor


def frequencies_of(width: int, base: float | int) -> Float64[Tensor, " planes"]:
    """Return how far each plane turns from one position to the next, in radians.

    Args:
        width: number of components; two make a plane, the last may stand alone.
        base: the larger, the slower the last plane turns.

    Returns:
        ``base^(-2i/width)`` for plane i, on the CPU, in float64.

    Raises:
        ValueError: the base is not above 1.

    Cost: width / 2 powers.

    Ref: Vaswani et al. 2017, section 3.5.

    >>> frequencies_of(4, 10_000.0).tolist()
    [1.0, 0.01]
    """
    if not base > 1:
        raise ValueError(f"base={base}: expected a number above 1, such as 10000")
    exponent = torch.arange(0, width, 2, dtype=torch.float64, device="cpu") / width
    return base**-exponent


def angles_of(
    positions: Tensor, frequencies: Float64[Tensor, " planes"]
) -> Float64[Tensor, "*shape planes"]:
    """Multiply positions by frequencies, in float64.

    In float32 an angle of a million radians is off by up to 0.03; in float64 by 10⁻¹⁰.

    Args:
        positions: numbers of any shape.
        frequencies: radians from one position to the next.

    Returns:
        Angles in radians, where ``positions`` are; on the CPU where their device has no float64.

    Raises:
        ValueError: the positions are no numbers of positions.

    Cost: one multiplication for each position and plane.
    """
    check_positions(positions)
    if positions.device.type == "mps":
        positions = positions.cpu()
    return positions[..., None].to(torch.float64) * frequencies.to(positions.device)


def check_positions(
    positions: Tensor, queries: int | None = None, batch: int | None = None, *, whole: bool = False
) -> None:
    """Refuse positions of a wrong dtype or shape.

    Args:
        positions: where tokens stand.
        queries: how many there are in a row; any number when left out.
        batch: how many rows there are; any number when left out.
        whole: whether positions between two others are refused.

    Raises:
        ValueError: says what was given and what fits.
    """
    dtype = positions.dtype
    if dtype == torch.bool or dtype.is_complex or (whole and dtype.is_floating_point):
        raise ValueError(
            f"positions has dtype {dtype}; expected whole numbers counted from 0, "
            "such as torch.arange(q)"
        )
    shape = tuple(positions.shape)
    fits = len(shape) in (1, 2)
    if queries is not None:
        fits = fits and shape[-1] == queries
    if batch is not None:
        fits = fits and (len(shape) < 2 or shape[0] in (1, batch))
    if not fits:
        q, b = "q" if queries is None else queries, "b" if batch is None else batch
        raise ValueError(
            f"positions has shape {shape}; expected ({q},), the same for all sequences, or "
            f"({b}, {q}), a row for each"
        )
