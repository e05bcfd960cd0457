"""Heads that share keys and values, and a check that one number divides another."""

from jaxtyping import Float
from torch import Tensor


def repeat_heads(x: Float[Tensor, "b g k d"], n_heads: int) -> Float[Tensor, "b {n_heads} k d"]:
    """Repeat each key/value head for the group of neighbouring query heads that it serves.

    Args:
        x: keys or values, g heads.
        n_heads: query heads h, a multiple of g.

    Returns:
        A tensor with h heads, each of the g repeated h / g times in a row.

    Raises:
        ValueError: ``n_heads`` is not a multiple of g.

    Cost: a copy of h·k·d numbers.
    """
    g = x.shape[-3]
    check_divides("n_heads", n_heads, "the number of key/value heads", g)
    return x.repeat_interleave(n_heads // g, dim=-3)


def check_divides(name: str, whole: int, part_name: str, part: int) -> None:
    """Refuse a number that does not divide another, and suggest numbers that do.

    Args:
        name: name of the whole.
        whole: the number to be divided.
        part_name: name of the part.
        part: the number that must divide it.

    Raises:
        ValueError: it does not divide, or one of them is below 1.
    """
    if whole < 1 or part < 1:
        raise ValueError(f"{name}={whole}, {part_name}={part}: both must be at least 1")
    if whole % part:
        fits = [n for n in range(1, whole + 1) if whole % n == 0]
        raise ValueError(
            f"{name}={whole} is not divisible by {part_name}={part}: use one of {fits}"
        )
