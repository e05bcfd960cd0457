"""What every key/value cache of one layer can do, the simplest one, and what all refuse.

A model with n layers has a list of n caches. A layer appends its new keys and values, then asks
the cache to attend: the cache knows best how what it holds is read.
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
    """Keys and values of one layer, for the positions seen so far.

    Caches are for inference: those that reserve their memory write into it, and pass no gradient.
    What enters is checked by :meth:`append` and :meth:`attend`, and no further in.

    Attributes:
        length: how many positions were appended, those since forgotten included. The next token
            stands at this position.
        lag: how far the positions that the caller gave lag behind that, where a bias counts
            distances (see :mod:`plainformer.placed`); None for nowhere.
    """

    length: int = 0
    lag: Tensor | None = None

    @abstractmethod
    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Add the keys and values of the next n positions; n may be 0.

        Raises:
            ValueError: they do not fit, and nothing was written.
        """

    @abstractmethod
    def read(self) -> tuple[Tensor, Tensor]:
        """Return the keys (b, g, k, d) and values (b, g, k, e) that are held."""

    @abstractmethod
    def truncate(self, length: int) -> None:
        """Forget the positions from ``length`` on, as if they had never been appended.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """

    def drop_last(self, n: int) -> None:
        """Forget the last ``n`` positions of each sequence, as :meth:`truncate` does."""
        self.truncate(self.length - n)

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes that are reserved for keys and values (and what they need to be read)."""

    def positions(self, device: torch.device | None = None) -> Tensor | None:
        """Return the position of each key of :meth:`read`, or None where key i stands at i.

        Args:
            device: where they are made.
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
        """Let the last n positions attend to what is held.

        Args:
            query: the queries of the last n positions that were appended.
            mask: a rule, or a mask of all positions so far, broadcasting to (b, h, n, length).
            score: how a query and a key are matched.
            bias: added to the scores, over all positions too, or a function of positions that
                makes it.
            backend: what computes attention.

        Raises:
            ValueError: the mask is causal, and there are more queries than positions.
        """
        check_queries(query.shape[-2], self.length, mask)
        attend = self._attend if is_headwise(backend) else self._attend_whole
        return attend(query, mask, score=score, bias=bias, backend=backend)

    def laid_out(
        self, query: Tensor, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> tuple[Tensor, Tensor, Tensor | Rule | None, Tensor | Bias | None]:
        """Return keys, values, mask and bias as one call of attention over all positions has them.

        Key i is at position i; one that was forgotten is zero, and hidden. A cache that attends in
        another way (in parts, with codes) serves by this what has to see the whole: observers, and
        back ends that were not declared :func:`~plainformer.attention.headwise`.

        Args:
            query: the queries of the last positions, for their number.
            mask: as :meth:`attend` takes it.
            bias: as :meth:`attend` takes it.
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
        """Attend in one call of a back end that has to see the whole."""
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
        """Attend to all that :meth:`read` returns; a cache that can do with less overrides this."""
        key, value = as_wide_as(query, *self.read())
        k_positions = self.positions(query.device)
        if k_positions is not None:
            n = query.shape[-2]
            q = torch.arange(self.length - n, self.length, device=query.device)
            mask, bias = at_positions(mask, bias, q, k_positions)
        return attend_grouped(query, key, value, mask, score=score, bias=bias, backend=backend)


class ContiguousCache(LayerCache):
    """Keep every key and value in one tensor, and make a longer one for each append.

    Cost: appending copies all that is held: k·g·(d + e) numbers a step, so k² in all.

    Ref: Shazeer 2019, section 2.4 (incremental multi-head attention).
    """

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Add the keys and values of the next n positions.

        Raises:
            ValueError: batch, heads or widths are not those that are held.
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
        """Forget the positions from ``length`` on.

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
    """More positions were appended than the cache has room for; nothing was written."""


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
