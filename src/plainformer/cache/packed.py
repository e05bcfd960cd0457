"""One step of many sequences in one row, in which each segment attends to its own pages."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias, attend_heads, is_headwise
from plainformer.cache.base import LayerCache, check_fit
from plainformer.cache.paged import attend_pages, check_tables, gathered, write
from plainformer.cache.pages import PagePool, PageTable, grow, places
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import joined, one_row
from plainformer.scores import Score, scaled_dot


class PackedPagedCache(LayerCache):
    """Compute one step whose row of tokens consists of segments of different sequences.

    The model's input is tokens (1, total): one token of a sequence in generation, hundreds of one
    in prefill, in any mix. Make one such cache for each layer, all of them before the step; give
    the model the true positions, :meth:`where`.

    Attributes:
        length: such that ``length + total`` is the end of the longest sequence, so that a model
            checks its context as for one sequence. It may be negative before the step.

    Args:
        pool: the pool of the pages.
        layer: index of the layer.
        tables: the sequence of each segment, all different.
        segments: number of tokens of each in the row.

    Raises:
        ValueError: the numbers of tables and segments differ, or a segment is below 1.

    Cost: the cost of each segment's attention; nothing is computed between segments.

    Ref: Yu et al. 2022 (Orca), section 3 (selective batching); Kwon et al. 2023, section 4.3.
    """

    def __init__(
        self,
        pool: PagePool,
        layer: int,
        tables: Sequence[PageTable],
        segments: Sequence[int],
    ) -> None:
        check_tables(pool, layer, tables)
        if len(tables) != len(segments) or not tables or min(segments) < 1:
            raise ValueError(
                f"{len(tables)} tables and segments={list(segments)}: expected one table for each "
                "segment, and at least one token in each"
            )
        self.pool, self.layer = pool, layer
        self.tables, self.segments = list(tables), list(segments)
        self.starts = [table.length for table in tables]
        self.ends = [start + n for start, n in zip(self.starts, segments, strict=True)]
        self.total = sum(segments)
        self.length = max(self.ends) - self.total

    @property
    def lengths(self) -> list[int]:
        """The number of positions of each sequence, before the step or including it."""
        return self.ends if self.length == max(self.ends) else self.starts

    def where(self) -> Tensor:
        """Return the position (total,) of each token in its own sequence."""
        parts = [
            torch.arange(a, b, device="cpu") for a, b in zip(self.starts, self.ends, strict=True)
        ]
        return torch.cat(parts).to(self.pool.layers[0][0].device)

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Write each segment into the pages of its sequence; this can be done once.

        Raises:
            OutOfPages: the pool has too few; nothing was written, and no table has changed.
            ValueError: the row is not (1, g, total, ·), or the step was done already.
        """
        check_fit(key, value, 1, *self.pool.sizes)
        if key.shape[-2] != self.total or self.length == max(self.ends):
            raise ValueError(
                f"{key.shape[-2]} tokens for segments={self.segments}: expected {self.total}, "
                "once; make new caches for the next step"
            )
        grow(self.tables, self.ends)
        where = places(self.tables, self.starts, self.segments)
        write(self.pool, self.layer, where, key[0], value[0])
        self.length = max(self.ends)

    def read(self) -> tuple[Tensor, Tensor]:
        """Gather the keys and values of all segments' sequences, concatenated."""
        pairs = [gathered(t, self.layer, n) for t, n in zip(self.tables, self.lengths, strict=True)]
        return torch.cat([k for k, _ in pairs], 1)[None], torch.cat([v for _, v in pairs], 1)[None]

    def positions(self, device: torch.device | None = None) -> Tensor:
        """Return the position of each key of :meth:`read` in its own sequence.

        Args:
            device: device of the result.
        """
        return torch.cat([torch.arange(n, device=device) for n in self.lengths])

    def attend(
        self,
        query: Float[Tensor, "b h n d"],
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
        backend: Attend = attend_heads,
    ) -> Float[Tensor, "b h n e"]:
        """Attend from each segment to its own pages.

        Args:
            query: (1, h, total, d), the queries of all segments.
            mask: a rule, applied in each sequence; None lets each segment attend to all of its
                sequence.
            score: how a query and a key are compared.
            bias: a function of positions, or None.
            backend: the function that computes attention for segments of several tokens.

        Raises:
            ValueError: a mask or a bias is a tensor, or the rule has starts or lengths: a packed
                row has no padding; or the queries are not those of the step.
        """
        if isinstance(mask, Rule) and mask.varying:
            raise ValueError(
                f"mask has {sorted(mask.varying)}: a packed row takes a Rule without starts and "
                "lengths, or any field that differs between sequences: it has no padding"
            )
        if isinstance(mask, Tensor) or isinstance(bias, Tensor):
            raise ValueError(
                "a packed row takes a Rule without starts and lengths, and a bias that is a "
                "function of positions: columns of a tensor belong to no one sequence"
            )
        if query.shape[0] != 1 or query.shape[-2] != self.total or self.length != max(self.ends):
            raise ValueError(
                f"queries {tuple(query.shape)} for segments={self.segments}: append first, then "
                f"attend with (1, h, {self.total}, d)"
            )
        if not is_headwise(backend):
            return self._attend_whole(query, mask, score=score, bias=bias, backend=backend)
        outs = [
            attend_pages(part, table, self.layer, end, mask, score=score, bias=bias,
                         backend=backend)
            for part, table, end in zip(
                torch.split(query, self.segments, dim=2), self.tables, self.ends, strict=True
            )
        ]  # fmt: skip
        return torch.cat(outs, dim=2)

    def laid_out(
        self, query: Tensor, mask: Tensor | Rule | None, bias: Tensor | Bias | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Return the keys of all sequences in a row; each segment of ``query`` attends to its own.

        ``mask`` and ``bias`` are those of :meth:`attend`.
        """
        rows, before, total = [], 0, sum(self.ends)
        for count, n in zip(self.segments, self.ends, strict=True):
            after = total - before - n
            rows.append(one_row(mask, bias, count, n, before=before, after=after,
                                device=query.device))  # fmt: skip
            before += n
        return *self.read(), *joined(rows, dim=2)

    def truncate(self, length: int) -> None:
        """Refuse to truncate to ``length``, because it is not clear for which sequence of the row.

        Raises:
            ValueError: always; truncate the tables between steps instead.
        """
        raise ValueError(f"length={length}: truncate the page tables, each to its own length")

    @property
    def nbytes(self) -> int:
        """Bytes of this layer's pages in the tables, with a shared page counted once."""
        pages = {page for table in self.tables for page in table.pages}
        return self.pool.page_bytes * len(pages)
