"""A cache in pages, with one table for each sequence, read without copying."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias
from plainformer.cache.base import LayerCache, check_fit, check_length
from plainformer.cache.grouped import as_wide_as, attend_grouped
from plainformer.cache.pages import PagePool, PageTable, grow, places, runs
from plainformer.cache.parts import check_whole, part_of
from plainformer.exact import exact
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import joined, one_row, written_out
from plainformer.scores import Score, dot, scaled_dot
from plainformer.sdpa import scale_of
from plainformer.softmax import softmax


class PagedCache(LayerCache):
    """Store one layer's keys and values of a batch in pages; the sequences may differ in length.

    The tables are shared by all layers: the first layer that appends reserves pages for all of
    them. Truncate every layer before the next append. A mask or a bias that is a tensor has
    ``length`` columns; a shorter sequence uses the first of them.

    Args:
        pool: the pool of the pages.
        layer: index of the layer.
        tables: one for each sequence, all of ``pool``.

    Raises:
        ValueError: there is no such layer, or a table is given twice or belongs to another pool.

    Cost: whole pages: fewer than ``page_size`` places are unused at each sequence's end.

    Ref: Kwon et al. 2023, section 4.
    """

    def __init__(self, pool: PagePool, layer: int, tables: Sequence[PageTable]) -> None:
        check_tables(pool, layer, tables)
        self.pool, self.layer, self.tables = pool, layer, list(tables)
        self.lengths = [table.length for table in tables]
        self.length = max(self.lengths, default=0)

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Write the next n positions of each sequence into its pages.

        Raises:
            OutOfPages: the pool has too few; nothing was written.
            ValueError: batch, heads or widths differ from the cache's.
        """
        check_fit(key, value, len(self.tables), *self.pool.sizes)
        n = key.shape[-2]
        lengths = [length + n for length in self.lengths]
        grow(self.tables, lengths)
        where = places(self.tables, self.lengths, [n] * len(self.tables))
        rows = (key.transpose(0, 1).flatten(1, 2), value.transpose(0, 1).flatten(1, 2))
        write(self.pool, self.layer, where, *rows)
        self.lengths, self.length = lengths, self.length + n

    def read(self) -> tuple[Tensor, Tensor]:
        """Gather keys and values, with shorter sequences padded with zeros."""
        pairs = [
            gathered(table, self.layer, length)
            for table, length in zip(self.tables, self.lengths, strict=True)
        ]
        g, d, e = self.pool.sizes
        key, value = self.pool.layers[self.layer]
        keys = key.new_zeros(len(pairs), g, self.length, d)
        values = value.new_zeros(len(pairs), g, self.length, e)
        for i, (k, v) in enumerate(pairs):
            keys[i, :, : k.shape[1]], values[i, :, : v.shape[1]] = k, v
        return keys, values

    def positions(self, device: torch.device | None = None) -> Tensor | None:
        """Return (b, k) positions, -1 after a sequence's end; None if all lengths are equal.

        Args:
            device: device of the result.
        """
        if len(set(self.lengths)) <= 1:
            return None
        ends = torch.tensor(self.lengths, device=device)[:, None]
        places = torch.arange(self.length, device=device)
        return torch.where(places < ends, places, -1)

    def _attend(
        self,
        query: Tensor,
        mask: Tensor | Rule | None,
        *,
        score: Score,
        bias: Tensor | Bias | None,
        backend: Attend,
    ) -> Tensor:
        """Attend sequence by sequence, each with its part of the mask and the bias."""
        outs = []
        for i, (seen, added) in enumerate(self._each(mask, bias)):
            one = query[i : i + 1], self.tables[i], self.layer, self.lengths[i], seen
            outs.append(attend_pages(*one, score=score, bias=added, backend=backend))
        if not outs:
            return query.new_zeros(*query.shape[:-1], self.pool.sizes[2])
        return outs[0] if len(outs) == 1 else torch.cat(outs)

    def laid_out(
        self, query: Tensor, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> tuple[Tensor, Tensor, Tensor | Rule | None, Tensor | Bias | None]:
        """Return the inputs for attention of ``query``: ``mask`` and ``bias`` include padding."""
        keys, values = self.read()
        if len(set(self.lengths)) <= 1:
            return keys, values, mask, bias
        rows = [
            one_row(seen, added, query.shape[-2], n, after=self.length - n, device=query.device)
            for (seen, added), n in zip(self._each(mask, bias), self.lengths, strict=True)
        ]
        return keys, values, *joined(rows, dim=0)

    def _each(
        self, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> list[tuple[Tensor | Rule | None, Tensor | Bias | None]]:
        """Return the mask and the bias of each sequence alone."""
        b = len(self.tables)
        check_whole("mask", mask, b, self.length)
        check_whole("bias", bias, b, self.length)
        rules = mask.each(b) if isinstance(mask, Rule) else None
        return [
            (rules[i] if rules else part_of(mask, i, length), part_of(bias, i, length))
            for i, length in enumerate(self.lengths)
        ]

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on, in each sequence that is longer.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """
        check_length(length, self.length)
        self._shorten([min(length, held) for held in self.lengths])

    def drop_last(self, n: int) -> None:
        """Drop the last ``n`` positions of each sequence, whose lengths may differ.

        Raises:
            ValueError: a sequence is shorter.
        """
        check_length(min(self.lengths, default=0) - n, self.length)
        self._shorten([held - n for held in self.lengths])

    def _shorten(self, lengths: list[int]) -> None:
        self.lengths, self.length = lengths, max(lengths, default=0)
        for table, held in zip(self.tables, lengths, strict=True):
            table.truncate(min(held, table.length))

    @property
    def nbytes(self) -> int:
        """Bytes of this layer's pages in the tables, with a shared page counted once."""
        pages = {page for table in self.tables for page in table.pages}
        return self.pool.page_bytes * len(pages)


def attend_pages(
    query: Float[Tensor, "1 h n d"],
    table: PageTable,
    layer: int,
    length: int,
    mask: Tensor | Rule | None,
    *,
    score: Score,
    bias: Tensor | Bias | None,
    backend: Attend,
) -> Float[Tensor, "1 h n e"]:
    """Attend from the last n of ``length`` positions of a sequence to its pages.

    Adjacent pages are one slice, and cost no more than a static cache. If they are not adjacent,
    one query is computed slice by slice: its scores first, one softmax over all of them, then the
    weighted values. For more queries the keys are gathered once, because the products cost more
    than that.

    Args:
        query: the queries of one sequence.
        table: its pages.
        layer: index of the layer.
        length: number of positions of the table to use.
        mask: a rule, or a mask of all positions.
        score: how a query and a key are compared.
        bias: added to the scores, or a function of positions that makes it.
        backend: the function that computes attention, except slice by slice.

    Raises:
        ValueError: the mask is invalid, or g does not divide h.

    Cost: h·n·k·(d + e) multiplications; for one query no key is copied.

    Ref: Kwon et al. 2023, equation 4; Milakov & Gimelshein 2018 (softmax over parts).
    """
    h, n, g = query.shape[1], query.shape[2], table.pool.sizes[0]
    slices = runs(table, length)
    if n != 1 or len(slices) <= 1:
        key, value = as_wide_as(query, *gathered(table, layer, length))
        return attend_grouped(
            query, key[None], value[None], mask, score=score, bias=bias, backend=backend
        )
    check_divides("n_heads", h, "the number of key/value heads", g)
    rows = query.reshape(g, h // g, query.shape[-1])
    visits, as_asked = [table.pool.slices(layer, s) for s in slices], exact(query.device)
    if score is scaled_dot or score is dot:  # scale the query once, then plain products
        wide = torch.promote_types(query.dtype, torch.float32)  # scores may exceed float16
        rows = rows.to(wide) * scale_of(score, query.shape[-1])
        keys = _all_of([key for key, _ in visits], wide)
        with as_asked:
            scores = torch.cat([torch.bmm(rows, key) for key in keys], dim=-1)
    else:
        scores = torch.cat([score(rows, key.transpose(1, 2)) for key, _ in visits], dim=-1)
    if isinstance(mask, Rule) and mask.sees(range(length - 1, length), range(length)):
        mask = None
    mask, bias = written_out(mask, bias, 1, length, query.device)
    if mask is None and bias is None:
        weights = torch.softmax(scores, dim=-1)
    else:  # a mask and a bias may mask every key
        added = scores.view(1, h, 1, length) + (0 if bias is None else bias)
        weights = softmax(added, mask).view(scores.shape)
    sizes = [s.stop - s.start for s in slices]
    parts = torch.split(weights.to(query.dtype), sizes, dim=-1)  # a bias may be wider
    values = _all_of([value for _, value in visits], query.dtype)
    with as_asked:
        out = torch.bmm(parts[0], values[0])
        for part, value in zip(parts[1:], values[1:], strict=True):
            out.baddbmm_(part, value)
    return out.view(1, h, 1, out.shape[-1])


def gathered(table: PageTable, layer: int, length: int) -> tuple[Tensor, Tensor]:
    """Return keys (g, k, d) and values (g, k, e) in order, as a view if the pages are adjacent.

    Args:
        table: the sequence.
        layer: index of the layer.
        length: number of positions.
    """
    keys, values = table.pool.layers[layer]
    slices = runs(table, length) or [slice(0, 0)]
    if len(slices) == 1:
        return keys[:, slices[0]], values[:, slices[0]]
    return (
        torch.cat([keys[:, s] for s in slices], dim=1),
        torch.cat([values[:, s] for s in slices], dim=1),
    )


def check_tables(pool: PagePool, layer: int, tables: Sequence[PageTable]) -> None:
    """Refuse a layer that a pool does not have, and tables of other pools.

    Args:
        pool: the pool.
        layer: the layer.
        tables: the tables.

    Raises:
        ValueError: names the invalid argument.
    """
    if not 0 <= layer < len(pool.layers):
        raise ValueError(f"layer={layer}: the pool has layers 0 to {len(pool.layers) - 1}")
    if any(table.pool is not pool for table in tables):
        raise ValueError("a table is of another pool: make it with PageTable(pool)")
    if len({id(table) for table in tables}) < len(tables):
        raise ValueError("a table is given twice: each sequence has its own; fork() makes another")


def write(pool: PagePool, layer: int, where: list[int], key: Tensor, value: Tensor) -> None:
    """Write rows of keys and values into their places.

    Args:
        pool: the pool.
        layer: the layer.
        where: n places.
        key: (g, n, d).
        value: (g, n, e).
    """
    pairs = list(zip(pool.layers[layer], (key.detach(), value.detach()), strict=True))
    for held, new in pairs[: 1 if pool.value_in_key else 2]:
        if len(where) == 1:
            held.narrow(1, where[0], 1).copy_(new)
        else:
            index = torch.tensor(where, dtype=torch.long, device=held.device)
            held.index_copy_(1, index, new.to(held.dtype))


def _all_of(tensors: list[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """Return tensors of one dtype in another; the dtype is compared once for all pages."""
    return tensors if tensors[0].dtype == dtype else [each.to(dtype) for each in tensors]
