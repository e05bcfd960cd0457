"""Cut the square of queries and keys into tiles, and say what is visible in each.

Nothing here computes attention. A tile in which nothing is visible is not visited at all; in one
that is partly visible, the mask is written out for the columns that need it and for no others.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from plainformer.attention import Bias
from plainformer.mask_rules import Rule

ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Tile:
    """Describe one block of keys as one block of queries sees it.

    Args:
        rows: which queries, counted from 0.
        keys: which keys.
        hidden: True = may not look, for the ``columns`` of the tile; None where all is visible.
        columns: the part of the tile that ``hidden`` speaks of.
        bias: added to the scores of the tile.
    """

    rows: slice
    keys: slice
    hidden: Tensor | None
    columns: slice
    bias: Tensor | None


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
            made = part(self.bias, rows, keys)
        else:
            made = self.bias(*self._positions(rows, keys))
            made = made[(None,) * (4 - made.ndim)]
        return made if made.shape[1] == 1 else made[:, self.heads]

    def _tile(self, rows: slice, keys: slice) -> Tile | None:
        """Describe a tile, or return None where nothing in it is visible."""
        hidden, columns = None, ALL
        if isinstance(self.mask, Rule):
            torn = self._torn(self.mask, rows, keys)
            if torn is None:
                return None
            if torn:
                columns = slice(torn.start - keys.start, torn.stop - keys.start)
                these = slice(torn.start, torn.stop)
                hidden = self._hidden(self.mask, rows, these)
        elif self.mask is not None:
            seen = part(self.mask, rows, keys)
            if not seen.any():
                return None
            if not seen.all():
                size = (rows.stop - rows.start, keys.stop - keys.start)
                hidden = ~seen.expand(-1, -1, *size)
        return Tile(rows, keys, hidden, columns, self.bias_of(rows, keys))

    def _hidden(self, rule: Rule, rows: slice, keys: slice) -> Tensor:
        """Write out the mask of a rule. Where only distances count, tiles alike share theirs."""
        distances = rule.starts is rule.lengths is None and not rule.prefix and not rule.sinks
        alike = (rows.start - keys.start, rows.stop - rows.start, keys.stop - keys.start)
        if not distances or alike not in self.written:
            self.written.clear()
            self.written[alike] = ~rule.allows(*self._positions(rows, keys))
        return self.written[alike]

    def _torn(self, rule: Rule, rows: slice, keys: slice) -> range | None:
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
        torn = [p for p in parts if rule.sees(queries, p) is not True]
        return range(torn[0].start, torn[-1].stop) if torn else range(0)

    def _positions(self, rows: slice, keys: slice) -> tuple[Tensor, Tensor]:
        earlier = self.k - self.q
        return (
            torch.arange(rows.start + earlier, rows.stop + earlier, device=self.device),
            torch.arange(keys.start, keys.stop, device=self.device),
        )


def part(x: Tensor, rows: slice, keys: slice) -> Tensor:
    """Cut a tile out of what broadcasts to (b, h, q, k); axes of length 1 stay.

    Args:
        x: a mask or a bias, four axes.
        rows: which queries.
        keys: which keys.
    """
    down = slice(None) if x.shape[-2] == 1 else rows
    across = slice(None) if x.shape[-1] == 1 else keys
    return x[:, :, down, across]
