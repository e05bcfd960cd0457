"""What a cache refuses, before anything is written."""

from torch import Tensor

from plainformer.mask_rules import Rule


class CacheFull(ValueError):  # noqa: N818 (it says what is the case)
    """More positions were appended than the cache has room for; nothing was written."""


class Forgotten(ValueError):  # noqa: N818
    """A cache was asked to go back to positions that it no longer holds."""


def check_room(length: int, n: int, capacity: int) -> None:
    """Refuse to append beyond the capacity.

    Args:
        length: how many positions are held.
        n: how many are to be appended.
        capacity: how many there is room for.

    Raises:
        CacheFull: they do not fit.
    """
    if length + n > capacity:
        raise CacheFull(
            f"{length} positions are held and {n} more do not fit a capacity of {capacity}: make "
            "the cache larger, truncate it, or use a sliding cache. Nothing was written."
        )


def check_length(length: int, held: int) -> None:
    """Refuse to truncate to a length that was never reached.

    Args:
        length: the length asked for.
        held: the length of the cache.

    Raises:
        ValueError: it is negative, or above ``held``.
    """
    if not 0 <= length <= held:
        raise ValueError(f"length={length}: expected 0 to {held}, which is what the cache holds")


def check_queries(n: int, length: int, mask: object) -> None:
    """Refuse more queries than positions, where a mask aligns the last of both.

    Queries of another sequence, such as a decoder's that look into a memory, may be more; they
    have no causal mask.

    Args:
        n: number of queries.
        length: how many positions are held.
        mask: a rule, a mask or None.

    Raises:
        ValueError: the first queries would stand before the first position, and see nothing.
    """
    if n > length and isinstance(mask, Rule) and mask.causal:
        raise ValueError(
            f"{n} queries, but {length} positions were appended: append the keys and values of "
            "the queries' positions first, or, where they are of another sequence, use "
            "mask=Rule(causal=False)"
        )


def check_fit(key: Tensor, value: Tensor, batch: int, heads: int, width: int, values: int) -> None:
    """Refuse keys and values that are not of the sizes the cache was made for.

    Args:
        key: (b, g, n, d).
        value: (b, g, n, e).
        batch: b of the cache.
        heads: g of the cache.
        width: d of the cache.
        values: e of the cache.

    Raises:
        ValueError: says both shapes.
    """
    n = key.shape[-2]
    expected = (batch, heads, n, width), (batch, heads, n, values)
    given = tuple(key.shape), tuple(value.shape)
    if given != expected:
        raise ValueError(
            f"keys {given[0]} and values {given[1]} do not fit this cache; expected {expected[0]} "
            f"and {expected[1]}: batch, key/value heads and widths are set when it is made"
        )


def check_sizes(**sizes: int) -> None:
    """Refuse a size below 1.

    Args:
        **sizes: sizes by name.

    Raises:
        ValueError: names the first that is too small.
    """
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name}={size}: expected at least 1")
