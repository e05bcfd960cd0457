"""A tile as each head sees it: views of queries, keys, values, mask and bias."""

import math

import torch
from torch import Tensor

from plainformer.flash.tiles import Tile

LOG2_E = 1 / math.log(2)  # scores times this are in powers of two


def heads(x: Tensor, times: int = 1) -> list[Tensor]:
    """Split (b, n, …) into views of its b·n heads, each ``times`` times in a row.

    Args:
        x: any tensor of at least two axes.
        times: how many query heads share a key/value head.
    """
    return [head for row in x.unbind(0) for head in row.unbind(0) for _ in range(times)]


class Spread:
    """Hand each head its views of a tile. What is the same for all heads is made once.

    Args:
        query: h heads of queries, for their shape and dtype.
        key: g heads of keys.
        value: g heads of values.
    """

    def __init__(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        self.key, self.value = key, value
        self.b, self.h = query.shape[:2]
        self.group = self.h // key.shape[1] if self.h else 1
        self.work = torch.promote_types(query.dtype, torch.float32)

    def keys_values(self, tile: Tile) -> tuple[list[Tensor], list[Tensor]]:
        """Return the keys and the values of a ``tile``, for each query head."""
        key, value = (x[:, :, tile.keys].to(self.work) for x in (self.key, self.value))
        return heads(key, self.group), heads(value, self.group)

    def each(self, x: Tensor | None) -> list[Tensor] | list[None]:
        """Return the part of each head in ``x`` (#b, #h, rows, columns), or None for each."""
        if x is None:
            return [None] * (self.b * self.h)
        return heads(x.expand(self.b, self.h, -1, -1))

    def open(self, tile: Tile) -> list[Tensor] | list[None]:
        """Return what multiplies the weights of a ``tile``: 1 where visible, 0 where not."""
        return self.each(None if tile.hidden is None else (~tile.hidden).to(self.work))

    def bias(self, tile: Tile) -> list[Tensor] | list[None]:
        """Return the bias of a ``tile`` in powers of two."""
        return self.each(None if tile.bias is None else tile.bias.to(self.work) * LOG2_E)
