"""How the work is cut: queries and keys into tiles, a tile into its heads.

Nothing here computes attention. A tile in which nothing is visible is not visited at all; in one
that is partly visible, the mask is written out for the columns that need it and for no others.
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
    """Show one head its part of a tile: views, each made once.

    Attributes:
        key: (keys, d).
        value: (keys, e).
        bias: (rows, keys), added to the scores, in powers of two; or None.
        visible: (rows, columns), 1 where a query may look, 0 where not; None where all is visible.
        additive: (rows, columns), 0 where a query may look, -inf where not; None unless asked for.
    """

    key: Tensor
    value: Tensor
    bias: Tensor | None
    visible: Tensor | None
    additive: Tensor | None


@dataclass(frozen=True, eq=False)
class Tile:
    """Describe one block of keys as one block of queries sees it, in all heads.

    Args:
        rows: which queries, counted from 0.
        keys: which keys.
        visible: True = may look, for the ``columns`` of the tile; None where all is visible.
        columns: the part of the tile that ``visible`` speaks of.
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
        """Return what each of the b·h query heads sees of this tile.

        Half precision is widened to float32. What all heads share is made once.

        Args:
            key: (b, g, k, d), of all positions.
            value: (b, g, k, e).
            h: number of query heads; g divides it.
            additive: whether the mask is wanted in its additive form, too.
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
    """Visit the tiles of q queries, the last of k positions, against k keys.

    Args:
        q: number of queries.
        k: number of keys.
        height: queries in a tile.
        width: keys in a tile.
        mask: True = may look, four axes that broadcast to (b, h, q, k); or a rule.
        bias: added to the scores, four axes that broadcast; or a function of positions.
        device: where masks are made.
        heads: the query heads that are looked at, of those that the bias is made for.
        written: the mask that was written out last, by the distance and size of its tile.
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
        """Return the same tiles as some of the query heads see them.

        Args:
            heads: which query heads.
        """
        mask = self.mask
        if isinstance(mask, Tensor) and mask.shape[1] > 1:
            mask = mask[:, heads]
        return replace(self, mask=mask, heads=heads, written={})

    def blocks(self) -> Iterator[slice]:
        """Go through the blocks of queries, the last one perhaps smaller."""
        for start in range(0, self.q, self.height):
            yield slice(start, min(start + self.height, self.q))

    def visit(self, rows: slice) -> Iterator[Tile]:
        """Go through the tiles of a block of queries in which something is visible.

        The first ends where the block's own positions end, and the others follow to the left:
        with a causal mask, only the first is cut by the diagonal. What lies to the right of the
        block comes last.

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
        """Return what is added to the scores of a tile, four axes.

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
        """Describe a tile, or return None where nothing in it is visible."""
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
        """Write out the mask of a rule. Where only distances count, tiles alike share theirs."""
        alike = (rows.start - keys.start, rows.stop - rows.start, keys.stop - keys.start)
        if rule.as_band() is None or alike not in self.written:
            self.written.clear()
            mask = rule.allows(*self._positions(rows, keys))
            self.written[alike] = mask if mask.shape[1] == 1 else mask[:, self.heads]
        return self.written[alike]

    def _partly_hidden(self, rule: Rule, rows: slice, keys: slice) -> range | None:
        """Find the keys from the first to the last that some of the queries do not see.

        They are looked for in steps as wide as the block is high. Empty where all is visible,
        None where nothing is.
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
    """Hide the keys whose bias is minus infinity: a row of nothing else has no largest score."""
    size = tile.rows.stop - tile.rows.start, tile.keys.stop - tile.keys.start
    seen = seen.expand(*seen.shape[:2], *size)
    if tile.visible is not None:
        masked = tile.visible.new_ones(*tile.visible.shape[:3], size[1])
        masked[..., tile.columns] = tile.visible
        seen = seen & masked
    return replace(tile, visible=seen, columns=ALL) if seen.any() else None


def cut_out(x: Tensor, rows: slice, keys: slice) -> Tensor:
    """Cut a tile out of what broadcasts to (b, h, q, k); axes of length 1 stay.

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
        times: how many query heads share a key/value head.
    """
    return [head for row in x.unbind(0) for head in row.unbind(0) for _ in range(times)]
