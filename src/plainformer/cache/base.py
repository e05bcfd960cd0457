"""The interface of a layer's key/value cache, the simplest cache, and checks that all share.

A model with n layers has a list of n caches. A layer appends its new keys and values, then calls
the cache to attend, because the right way to read them depends on how they are stored.
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias, attend_heads, is_headwise
from plainformer.cache.grouped import as_wide_as, attend_grouped
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import at_positions
from plainformer.scores import Score, scaled_dot


class LayerCache(ABC):
    """Keys and values of one layer, for the positions so far.

    Caches are for inference: those with reserved memory write into it, and pass no gradient.
    Arguments are checked in :meth:`append` and :meth:`attend`, and not in inner functions.

    Attributes:
        length: number of positions appended, including those dropped since. It is the position of
            the next token.
        lag: the lag of the positions given by the caller behind that number, if a bias depends on
            distances (see :mod:`plainformer.placed`); None without such a bias.
    """

    length: int = 0
    lag: Tensor | None = None

    @abstractmethod
    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Append the keys and values of the next n positions; n may be 0.

        Raises:
            ValueError: they do not match the cache; nothing was written.
        """

    @abstractmethod
    def read(self) -> tuple[Tensor, Tensor]:
        """Return the stored keys (b, g, k, d) and values (b, g, k, e)."""

    @abstractmethod
    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on, as if they had never been appended.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """

    def drop_last(self, n: int) -> None:
        """Drop the last ``n`` positions of each sequence, like :meth:`truncate`."""
        self.truncate(self.length - n)

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Reserved bytes for keys and values (and for data needed to read them)."""

    def positions(self, device: torch.device | None = None) -> Tensor | None:
        """Return the position of each key of :meth:`read`, or None if key i is at position i.

        Args:
            device: device of the result.
        """
        return None

    def attend(
        self,
        query: Float[Tensor, "b h n d"],
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
        backend: Attend = attend_heads,
    ) -> Float[Tensor, "b h n e"]:
        """Attend from the last n positions to the stored ones.

        Args:
            query: the queries of the last n positions that were appended.
            mask: a rule, or a mask of all positions so far, broadcasting to (b, h, n, length).
            score: how a query and a key are compared.
            bias: added to the scores, for all positions so far, or a function of positions that
                makes it.
            backend: the function that computes attention.

        Raises:
            ValueError: the mask is causal, and there are more queries than positions.
        """
        check_queries(query.shape[-2], self.length, mask)
        attend = self._attend if is_headwise(backend) else self._attend_whole
        return attend(query, mask, score=score, bias=bias, backend=backend)

    def laid_out(
        self, query: Tensor, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> tuple[Tensor, Tensor, Tensor | Rule | None, Tensor | Bias | None]:
        """Return keys, values, mask and bias for one call of attention over all positions.

        Key i is at position i; a dropped one is zero, and masked. A cache that attends in another
        way (in parts, with codes) uses this for callers that need all keys together: observers, and
        back ends that were not declared :func:`~plainformer.attention.headwise`.

        Args:
            query: the queries of the last positions, for their number.
            mask: as for :meth:`attend`.
            bias: as for :meth:`attend`.
        """
        return *self.read(), mask, bias

    def _attend_whole(
        self,
        query: Tensor,
        mask: Tensor | Rule | None,
        *,
        score: Score,
        bias: Tensor | Bias | None,
        backend: Attend,
    ) -> Tensor:
        """Attend in one call of a back end that needs all keys together."""
        key, value, mask, bias = self.laid_out(query, mask, bias)
        key, value = as_wide_as(query, key, value)
        return backend(query, key, value, mask, score=score, bias=bias)

    def _attend(
        self,
        query: Tensor,
        mask: Tensor | Rule | None,
        *,
        score: Score,
        bias: Tensor | Bias | None,
        backend: Attend,
    ) -> Tensor:
        """Attend to all that :meth:`read` returns; some caches override this to read less."""
        key, value = as_wide_as(query, *self.read())
        k_positions = self.positions(query.device)
        if k_positions is not None:
            n = query.shape[-2]
            q = torch.arange(self.length - n, self.length, device=query.device)
            mask, bias = at_positions(mask, bias, q, k_positions)
        return attend_grouped(query, key, value, mask, score=score, bias=bias, backend=backend)


class ContiguousCache(LayerCache):
    """Store every key and value in one tensor, and make a longer one for each append.

    Cost: appending copies all stored numbers: k·g·(d + e) per step, so k² in total.

    Ref: Shazeer 2019, section 2.4 (incremental multi-head attention).
    """

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Append the keys and values of the next n positions.

        Raises:
            ValueError: batch, heads or widths differ from the stored ones.
        """
        if self.key is not None and self.value is not None:
            b, g, _, d = self.key.shape
            check_fit(key, value, b, g, d, self.value.shape[-1])
            key = torch.cat([self.key, key], dim=-2)
            value = torch.cat([self.value, value], dim=-2)
        self.key, self.value, self.length = key, value, key.shape[-2]

    def read(self) -> tuple[Tensor, Tensor]:
        """Return all keys and values.

        Raises:
            ValueError: nothing was appended yet.
        """
        if self.key is None or self.value is None:
            raise ValueError("the cache is empty: append keys and values before reading")
        return self.key, self.value

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """
        check_length(length, self.length)
        if self.key is not None and self.value is not None:
            self.key, self.value = self.key[..., :length, :], self.value[..., :length, :]
            self.length = length

    @property
    def nbytes(self) -> int:
        """Bytes of keys and values: b·g·k·(d + e) times the size of a number."""
        return sum(t.nbytes for t in (self.key, self.value) if t is not None)


class CacheFull(ValueError):  # noqa: N818 (it says what is the case)
    """More positions were appended than the cache has memory for; nothing was written."""


def check_room(length: int, n: int, capacity: int) -> None:
    """Refuse to append beyond the capacity.

    Args:
        length: number of positions stored.
        n: number of positions to append.
        capacity: the largest number of positions.

    Raises:
        CacheFull: they do not fit.
    """
    if length + n > capacity:
        raise CacheFull(
            f"{length} positions are held and {n} more do not fit a capacity of {capacity}: make "
            "the cache larger, truncate it, or use a sliding cache. Nothing was written."
        )


def check_length(length: int, held: int) -> None:
    """Refuse to truncate to a length above the current one.

    Args:
        length: the requested length.
        held: the length of the cache.

    Raises:
        ValueError: it is negative, or above ``held``.
    """
    if not 0 <= length <= held:
        raise ValueError(f"length={length}: expected 0 to {held}, which is what the cache holds")


def check_queries(n: int, length: int, mask: object) -> None:
    """Refuse more queries than positions, if a mask aligns the last of both.

    Queries of another sequence, such as a decoder's that attend to a memory, may be more; they have
    no causal mask.

    Args:
        n: number of queries.
        length: number of positions stored.
        mask: a rule, a mask or None.

    Raises:
        ValueError: the first queries would be before the first position, and fully masked.
    """
    if n > length and isinstance(mask, Rule) and mask.causal:
        raise ValueError(
            f"{n} queries, but {length} positions were appended: append the keys and values of "
            "the queries' positions first, or, where they are of another sequence, use "
            "mask=Rule(causal=False)"
        )


def check_fit(key: Tensor, value: Tensor, batch: int, heads: int, width: int, values: int) -> None:
    """Refuse keys and values of other sizes than the cache was made for.

    Args:
        key: (b, g, n, d).
        value: (b, g, n, e).
        batch: b of the cache.
        heads: g of the cache.
        width: d of the cache.
        values: e of the cache.

    Raises:
        ValueError: names both shapes.
    """
    expected = tuple((batch, heads, key.shape[-2], size) for size in (width, values))
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
