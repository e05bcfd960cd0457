"""The plain cache: one tensor that grows."""

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.cache.base import LayerCache
from plainformer.cache.checks import check_fit, check_length


class ContiguousCache(LayerCache):
    """Keep every key and value in one tensor, and make a longer one for each append.

    Cost: appending copies all that is held: k·g·(d + e) numbers a step, so k² in all.

    Ref: Shazeer 2019, section 2.4.1 (incremental multi-head attention).
    """

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None
        self.length = 0

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
        held = [t for t in (self.key, self.value) if t is not None]
        return sum(t.numel() * t.element_size() for t in held)
