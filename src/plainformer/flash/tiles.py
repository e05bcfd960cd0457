"""How the work is divided: queries and keys into tiles, a tile into its heads.

No attention is computed here. A tile that is entirely masked is not visited; in one that is partly
masked, the mask is computed only for the columns that need it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from plainformer.attention import Bias
from plainformer.mask_rules import Rule

ALL = slice(None)
LOG2_E = 1 / math.log(2)  # scores times this are in powers of two


class HeadTile(NamedTuple):
    """One head's part of a tile: views, each made once.

    Attributes:
        key: (keys, d).
        value: (keys, e).
        bias: (rows, keys), added to the scores, in powers of two; or None.
        visible: (rows, columns), 1 for visible keys, 0 for masked ones; None if all are visible.
        additive: (rows, columns), 0 for visible keys, -inf for masked ones; None unless requested.
    """

    key: Tensor
    value: Tensor
    bias: Tensor | None
    visible: Tensor | None
    additive: Tensor | None


@dataclass(frozen=True, eq=False)
class Tile:
    """One block of keys for one block of queries, in all heads.

    Args:
        rows: which queries, counted from 0.
        keys: which keys.
        visible: True where a query may attend to a key, for the ``columns`` of the tile; None if
            all keys are visible.
        columns: the part of the tile that ``visible`` covers.
        bias: added to the scores of the tile.
    """

    rows: slice
    keys: slice
    visible: Tensor | None
    columns: slice
    bias: Tensor | None

    def split(
        self, key: Tensor, value: Tensor, h: int, *, additive: bool = False
    ) -> list[HeadTile]:
        """Return the part of this tile for each of the b·h query heads.

        Half precision is widened to float32. Views that all heads share are made once.

        Args:
            key: (b, g, k, d), of all positions.
            value: (b, g, k, e).
            h: number of query heads; g divides it.
            additive: whether the mask is also needed in its additive form.
        """
        b, g = key.shape[:2]
        work = torch.promote_types(key.dtype, torch.float32)

        def each(x: Tensor | None) -> list[Tensor] | list[None]:
            return [None] * (b * h) if x is None else heads(x.expand(b, h, -1, -1))

        visible, wall = None, None
        if self.visible is not None:
            visible = self.visible.to(work)
            if additive:
                wall = torch.zeros_like(visible).masked_fill_(~self.visible, -torch.inf)
        bias = None if self.bias is None else self.bias.to(work) * LOG2_E
        keys, values = (heads(x[:, :, self.keys].to(work), h // g) for x in (key, value))
        return list(map(HeadTile, keys, values, each(bias), each(visible), each(wall)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tiles:
    """The tiles of q queries, the last of k positions, against k keys.

    Args:
        q: number of queries.
        k: number of keys.
        height: queries in a tile.
        width: keys in a tile.
        mask: True where a query may attend to a key, four axes that broadcast to (b, h, q, k); or a
            rule.
        bias: added to the scores, four axes that broadcast; or a function of positions.
        device: device of the masks.
        heads: which query heads to visit, of those that the bias is made for.
        written: the latest mask made from a rule, by the distance and size of its tile.
    """

    q: int
    k: int
    height: int
    width: int
    mask: Tensor | Rule | None
    bias: Tensor | Bias | None
    device: torch.device
    heads: slice = field(default_factory=lambda: ALL)
    written: dict[tuple[int, int, int], Tensor] = field(default_factory=dict)

    def of_heads(self, heads: slice) -> "Tiles":
        """Return the same tiles for some of the query heads.

        Args:
            heads: which query heads.
        """
        mask = self.mask
        if isinstance(mask, Tensor) and mask.shape[1] > 1:
            mask = mask[:, heads]
        return replace(self, mask=mask, heads=heads, written={})

    def blocks(self) -> Iterator[slice]:
        """Yield the blocks of queries, the last one possibly smaller."""
        for start in range(0, self.q, self.height):
            yield slice(start, min(start + self.height, self.q))

    def visit(self, rows: slice) -> Iterator[Tile]:
        """Yield the tiles of a block of queries in which some keys are visible.

        The first one ends where the block's own positions end, and the others follow to the left:
        with a causal mask, only the first is cut by the diagonal. Tiles to the right of the block
        come last.

        Args:
            rows: the block of queries.
        """
        edge = min(max(rows.stop + self.k - self.q, 0), self.k)
        ends = [
            *range(edge, 0, -self.width),
            *range(edge + self.width, self.k + self.width, self.width),
        ]
        for end in ends:
            keys = slice(max(end - self.width, 0), min(end, self.k))
            tile = self._tile(rows, keys)
            if tile is not None:
                yield tile

    def bias_of(self, rows: slice, keys: slice) -> Tensor | None:
        """Return the bias of the scores of a tile, with four axes.

        Args:
            rows: which queries.
            keys: which keys.
        """
        if self.bias is None:
            return None
        if isinstance(self.bias, Tensor):
            made = cut_out(self.bias, rows, keys)
        else:
            made = self.bias(*self._positions(rows, keys))
            made = made[(None,) * (4 - made.ndim)]
        return made if made.shape[1] == 1 else made[:, self.heads]

    def _tile(self, rows: slice, keys: slice) -> Tile | None:
        """Return a tile, or None if it is entirely masked."""
        visible, columns = None, ALL
        if isinstance(self.mask, Rule):
            partly = self._partly_hidden(self.mask, rows, keys)
            if partly is None:
                return None
            if partly:
                columns = slice(partly.start - keys.start, partly.stop - keys.start)
                visible = self._written(self.mask, rows, slice(partly.start, partly.stop))
        elif self.mask is not None:
            seen = cut_out(self.mask, rows, keys)
            if not seen.any():
                return None
            if not seen.all():
                size = (rows.stop - rows.start, keys.stop - keys.start)
                visible = seen.expand(-1, -1, *size)
        tile = Tile(rows, keys, visible, columns, self.bias_of(rows, keys))
        if tile.bias is None or not (tile.bias.numel() and tile.bias.amin() == -torch.inf):
            return tile
        return _hidden_by_bias(tile, tile.bias != -torch.inf)

    def _written(self, rule: Rule, rows: slice, keys: slice) -> Tensor:
        """Compute the mask of a rule, or reuse it from a tile with the same distances."""
        alike = (rows.start - keys.start, rows.stop - rows.start, keys.stop - keys.start)
        if rule.as_band() is None or alike not in self.written:
            self.written.clear()
            mask = rule.allows(*self._positions(rows, keys))
            self.written[alike] = mask if mask.shape[1] == 1 else mask[:, self.heads]
        return self.written[alike]

    def _partly_hidden(self, rule: Rule, rows: slice, keys: slice) -> range | None:
        """Return the range from the first to the last key that is masked for some of the queries.

        It is found in steps as wide as the block is high. It is empty if all keys are visible, and
        None if all are masked.
        """
        earlier = self.k - self.q
        queries = range(rows.start + earlier, rows.stop + earlier)
        whole = rule.sees(queries, range(keys.start, keys.stop))
        if whole is not None:
            return range(0) if whole else None
        step = len(queries)
        parts = [range(s, min(s + step, keys.stop)) for s in range(keys.start, keys.stop, step)]
        partly = [p for p in parts if rule.sees(queries, p) is not True]
        return range(partly[0].start, partly[-1].stop) if partly else range(0)

    def _positions(self, rows: slice, keys: slice) -> tuple[Tensor, Tensor]:
        earlier = self.k - self.q
        return (
            torch.arange(rows.start + earlier, rows.stop + earlier, device=self.device),
            torch.arange(keys.start, keys.stop, device=self.device),
        )


def _hidden_by_bias(tile: Tile, seen: Tensor) -> Tile | None:
    """Mask the keys with a bias of minus infinity, because a row of them has no largest score."""
    size = tile.rows.stop - tile.rows.start, tile.keys.stop - tile.keys.start
    seen = seen.expand(*seen.shape[:2], *size)
    if tile.visible is not None:
        masked = tile.visible.new_ones(*tile.visible.shape[:3], size[1])
        masked[..., tile.columns] = tile.visible
        seen = seen & masked
    return replace(tile, visible=seen, columns=ALL) if seen.any() else None


def cut_out(x: Tensor, rows: slice, keys: slice) -> Tensor:
    """Cut a tile out of a tensor that broadcasts to (b, h, q, k); axes of length 1 stay.

    Args:
        x: a mask or a bias, four axes.
        rows: which queries.
        keys: which keys.
    """
    down = slice(None) if x.shape[-2] == 1 else rows
    across = slice(None) if x.shape[-1] == 1 else keys
    return x[:, :, down, across]


def heads(x: Tensor, times: int = 1) -> list[Tensor]:
    """Split (b, n, …) into views of its b·n heads, each ``times`` times in a row.

    Args:
        x: any tensor of at least two axes.
        times: number of query heads that share a key/value head.
    """
    return [head for row in x.unbind(0) for head in row.unbind(0) for _ in range(times)]
