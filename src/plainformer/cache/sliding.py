"""A cache of bounded memory: the last positions in a ring, and the first ones in front of it."""

from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias
from plainformer.cache.base import LayerCache, check_fit, check_length, check_sizes
from plainformer.cache.grouped import as_wide_as, attend_grouped
from plainformer.cache.static import bytes_of, reserve
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import at_positions
from plainformer.scores import Score

Position = TypeVar("Position", int, Tensor)


class Forgotten(ValueError):  # noqa: N818 (it says what is the case)
    """A cache would have to return to positions that it no longer stores."""


class Ring:
    """Indices for the first ``sinks`` positions, and for the last ``size`` of the others.

    Attributes:
        first: the oldest position, except sinks, that has not been overwritten.

    Args:
        sinks: places before the ring.
        size: places of the ring.

    Ref: Xiao et al. 2024, figure 4.

    >>> ring = Ring(sinks=1, size=2)
    >>> [ring.place(p) for p in range(6)]
    [0, 1, 2, 1, 2, 1]
    """

    def __init__(self, *, sinks: int, size: int) -> None:
        self.sinks, self.size, self.first = sinks, size, sinks

    @property
    def in_order(self) -> bool:
        """Whether nothing was overwritten, so that the place of each position is its own number."""
        return self.first == self.sinks

    def place(self, position: Position) -> Position:
        """Return the place of ``position``; for several, the place of each."""
        in_ring = self.sinks + (position - self.sinks) % self.size
        if isinstance(position, Tensor):
            return torch.where(position < self.sinks, position, in_ring)
        return position if position < self.sinks else in_ring

    def held(self, length: int, device: torch.device | None) -> Tensor:
        """Return the stored positions among the first ``length``, in order, on ``device``."""
        sinks = torch.arange(min(length, self.sinks), device=device)
        ring = torch.arange(self.first, max(length, self.first), device=device)
        return torch.cat([sinks, ring])

    def grown(self, length: int) -> None:
        """Record that positions up to ``length`` were written."""
        self.first = max(self.first, length - self.size)


class SlidingCache(LayerCache):
    """Store the first ``sinks`` positions and the last ``window``, overwriting the oldest.

    A query attends to keys that are visible in the mask *and* in the window. So a mask that reaches
    further is narrowed to ``Rule(window=window, sinks=sinks)``, independently of the chunks of
    appending. Attending raises :class:`Forgotten` for more queries than were appended last, and
    ValueError for sequences padded on the left if there are sinks, because the sinks would be
    padding.

    Args:
        batch: sequences b.
        window: number of positions that a query attends to, including its own.
        sinks: number of first positions that stay visible.
        slack: number of latest positions that :meth:`truncate` can always remove.
        n_kv_heads: key/value heads g.
        width: width d of keys.
        value_width: width e of values; d when left out.
        value_in_key: the values are the first e numbers of the keys, and are not stored again.
        dtype: dtype of keys and values.
        device: device of keys and values.

    Raises:
        ValueError: a size is out of range.

    Cost: b·g·(sinks + window + slack)·(d + e) numbers, for any length. A chunk that overwrites
    other positions is stored until the next append, together with the earlier content of the
    window.

    Ref: Xiao et al. 2024, section 3.2 (sinks); Jiang et al. 2023 (Mistral), section 2 (ring).
    """

    def __init__(
        self,
        *,
        batch: int,
        window: int,
        sinks: int = 0,
        slack: int = 0,
        n_kv_heads: int,
        width: int,
        value_width: int | None = None,
        value_in_key: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        check_sizes(window=window)
        if min(sinks, slack) < 0:
            raise ValueError(f"sinks={sinks}, slack={slack}: expected 0 or more")
        self.sizes = batch, n_kv_heads, width, width if value_width is None else value_width
        self.window, self.sinks = window, sinks
        self.ring = Ring(sinks=sinks, size=window + slack)
        self.key, self.value = reserve(
            (batch, n_kv_heads, sinks + window + slack),
            *self.sizes[2:],
            value_in_key,
            dtype,
            device,
        )
        self.value_in_key = value_in_key
        self.length = 0
        self._chunk: tuple[Tensor, Tensor, Tensor] | None = None  # keys, values, positions
        self._before = sinks  # the oldest position of the ring that the chunk still contains

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Write the next n positions, over the oldest if the ring is full.

        Raises:
            ValueError: batch, heads or widths differ from the cache's.
        """
        check_fit(key, value, *self.sizes)
        key, value, n = key.detach(), value.detach(), key.shape[-2]
        if n == 0:
            return
        self._chunk, end = None, self.length + n
        if n == 1:
            self._write(key, value, self.ring.place(self.length))
        elif end <= self.key.shape[2] and self.ring.in_order:
            self._write(key, value, self.length)
        else:
            # Early queries of the chunk need keys that its end overwrites: keep both for attend.
            old = self.ring.held(self.length, key.device)
            new, at = torch.arange(self.length, end, device=key.device), self.ring.place(old)
            keys = torch.cat([self.key[:, :, at], key], dim=2)
            values = torch.cat([self.value[:, :, at], value], dim=2)
            self._chunk, self._before = (keys, values, torch.cat([old, new])), self.ring.first
            kept = torch.nonzero((new < self.sinks) | (new >= end - self.ring.size))[:, 0]
            where = self.ring.place(new[kept])
            self.key[:, :, where] = key[:, :, kept]
            if not self.value_in_key:
                self.value[:, :, where] = value[:, :, kept]
        self.length = end
        self.ring.grown(end)

    def read(self) -> tuple[Tensor, Tensor]:
        """Return the stored keys and values: sinks and ring, or more right after a long chunk."""
        if self._chunk is not None:
            return self._chunk[:2]
        if self.ring.in_order:
            return self.key.narrow(2, 0, self.length), self.value.narrow(2, 0, self.length)
        return self.key, self.value

    def positions(self, device: torch.device | None = None) -> Tensor | None:
        """Return the position of each key of :meth:`read`, -1 for an empty place.

        Args:
            device: device of the result.
        """
        if self._chunk is not None:
            return self._chunk[2].to(device)
        if self.ring.in_order:
            return None
        positions = self.ring.held(self.length, device)
        places = torch.full((self.key.shape[2],), -1, device=device)
        places[self.ring.place(positions)] = positions
        return places

    def _attend(
        self,
        query: Tensor,
        mask: Tensor | Rule | None,
        *,
        score: Score,
        bias: Tensor | Bias | None,
        backend: Attend,
    ) -> Tensor:
        """Attend from each query to the keys in its window."""
        n = query.shape[-2]
        self._check_seen(n, mask)
        key, value = as_wide_as(query, *self.read())
        if n == 1 and bias is None and self._shows_all_to(mask):
            return attend_grouped(query, key, value, None, score=score, bias=None, backend=backend)
        q = torch.arange(self.length - n, self.length, device=query.device)
        k = self.positions(query.device)
        k = torch.arange(self.length, device=query.device) if k is None else k
        mask, bias = at_positions(mask, bias, q, k)
        mask = mask & Rule(causal=False, window=self.window, sinks=self.sinks).allows(q, k)
        return attend_grouped(query, key, value, mask, score=score, bias=bias, backend=backend)

    def laid_out(
        self, query: Tensor, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Return the inputs for attention of ``query`` under ``mask`` and ``bias``, in order."""
        n, length = query.shape[-2], self.length
        self._check_seen(n, mask)
        held, (key, value) = self.positions(query.device), self.read()
        if held is None:
            held = torch.arange(length, device=query.device)
        q, k = torch.arange(length - n, length, device=query.device), held[held >= 0]
        keys = key.new_zeros(*key.shape[:2], length, key.shape[-1])
        values = value.new_zeros(*value.shape[:2], length, value.shape[-1])
        keys[:, :, k], values[:, :, k] = key[:, :, held >= 0], value[:, :, held >= 0]
        every = torch.arange(length, device=query.device)
        mask, bias = at_positions(mask, bias, q, every)
        mask = mask & Rule(causal=False, window=self.window, sinks=self.sinks).allows(q, every)
        return keys, values, mask, bias

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on.

        Raises:
            Forgotten: the window before ``length`` has been overwritten; nothing is changed.
            ValueError: ``length`` is negative or above the cache's.
        """
        check_length(length, self.length)
        if length > self.sinks:
            self._check_window(length, self.ring.first)
        self.length, self._chunk = length, None
        if length <= self.sinks:
            self.ring.first = self.sinks

    @property
    def nbytes(self) -> int:
        """Reserved bytes: b·g·(sinks + window + slack)·(d + e) times the size of a number.

        Right after a long chunk, also the bytes stored for its early queries.
        """
        extra = 0 if self._chunk is None else sum(t.nbytes for t in self._chunk[:2])
        return bytes_of(self.key, self.value, self.value_in_key) + extra

    def _write(self, key: Tensor, value: Tensor, place: int) -> None:
        self.key.narrow(2, place, key.shape[2]).copy_(key)
        if not self.value_in_key:
            self.value.narrow(2, place, key.shape[2]).copy_(value)

    def _check_seen(self, n: int, mask: Tensor | Rule | None) -> None:
        """Refuse padding in the sinks, and queries whose windows have been overwritten."""
        _refuse_padding(mask, self.sinks)
        if n:
            first = self.ring.first if self._chunk is None else self._before
            self._check_window(self.length - n, first)

    def _shows_all_to(self, mask: Tensor | Rule | None) -> bool:
        """Return whether every place of the cache is visible to the last query."""
        full = self.ring.in_order or self.length - self.ring.first == self.ring.size
        if not full or self.ring.first < self.length - self.window or self._chunk is not None:
            return False
        if not isinstance(mask, Rule):
            return mask is None
        if mask.only_causal:
            return True
        held = range(min(self.sinks, self.length)), range(self.ring.first, self.length)
        newest = range(self.length - 1, self.length)
        return all(mask.sees(newest, part) is True for part in held if part)

    def _check_window(self, position: int, first: int) -> None:
        """Refuse a position whose window starts before ``first``, the oldest one of the ring."""
        oldest = max(self.sinks, position - self.window + 1)
        if oldest < first:
            raise Forgotten(
                f"position {position}: its window starts at {oldest}, and what is held at {first}. "
                "Attend once after each append; a larger slack lets more be taken back."
            )


def _refuse_padding(mask: Tensor | Rule | None, sinks: int) -> None:
    """Refuse sinks if the first positions of a sequence are padding."""
    if sinks and isinstance(mask, Rule) and mask.padded_left:
        raise ValueError(
            f"sinks={sinks} with sequences padded on the left: the first positions are padding in "
            "some. Pad on the right, use sinks=0, or one cache for each sequence."
        )
