"""Memory in pages: a pool of free pages, and tables with which sequences grow and share."""

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from plainformer.cache.base import check_length, check_sizes
from plainformer.cache.static import bytes_of, reserve


class OutOfPages(ValueError):  # noqa: N818
    """More pages are needed than are free; nothing was changed."""


class PagePool:
    """The keys and values of all layers, in pages of ``page_size`` positions.

    A page id is valid for every layer. A page may belong to several sequences; it is free again
    when the last of them releases it.

    Args:
        n_layers: layers that share the pool.
        n_pages: total number of pages.
        page_size: positions in a page.
        n_kv_heads: key/value heads g.
        width: width d of keys.
        value_width: width e of values; d when left out.
        value_in_key: the values are the first e numbers of the keys, and are not stored again.
        dtype: dtype of keys and values.
        device: device of keys and values.

    Raises:
        ValueError: a size is below 1.

    Cost: n_layers·n_pages·page_size·g·(d + e) numbers.

    Ref: Kwon et al. 2023, section 4.
    """

    def __init__(
        self,
        *,
        n_layers: int,
        n_pages: int,
        page_size: int,
        n_kv_heads: int,
        width: int,
        value_width: int | None = None,
        value_in_key: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        check_sizes(n_layers=n_layers, n_pages=n_pages, page_size=page_size)
        value_width = width if value_width is None else value_width
        self.sizes = n_kv_heads, width, value_width
        self.page_size, self.n_pages, self.value_in_key = page_size, n_pages, value_in_key
        # A layer is (g, places, width), so that adjacent pages are one slice of each head.
        self.layers = [
            reserve((n_kv_heads, n_pages * page_size), width, value_width, value_in_key, dtype,
                    device)
            for _ in range(n_layers)
        ]  # fmt: skip
        # Views of single pages, (g, d, page_size) and (g, page_size, e), made at their first use.
        self._views: list[dict[int, tuple[Tensor, Tensor]]] = [{} for _ in range(n_layers)]
        self.holders = [0] * n_pages  # number of tables that hold each page
        self._free = list(range(n_pages))  # a heap: low pages first, for long runs

    @property
    def free_pages(self) -> int:
        """The number of pages without a holder."""
        return len(self._free)

    @property
    def nbytes(self) -> int:
        """Bytes of all pages: n_layers·n_pages·page_size·g·(d + e) times a number's size."""
        return sum(bytes_of(key, value, self.value_in_key) for key, value in self.layers)

    @property
    def page_bytes(self) -> int:
        """Bytes of one page in one layer: page_size·g·(d + e) times a number's size."""
        key, value = self.layers[0]
        return bytes_of(key, value, self.value_in_key) // self.n_pages

    def slices(self, layer: int, place: slice) -> tuple[Tensor, Tensor]:
        """Return transposed keys (g, d, n) and values (g, n, e) of ``layer`` at ``place``."""
        size, n = self.page_size, place.stop - place.start
        page = place.start // size if n == size else -1
        if page in self._views[layer]:
            return self._views[layer][page]
        key, value = (stored.narrow(1, place.start, n) for stored in self.layers[layer])
        if page >= 0:
            self._views[layer][page] = key.transpose(1, 2), value
        return key.transpose(1, 2), value

    def allocate(self, n: int) -> list[int]:
        """Return ``n`` free pages, with one holder each.

        Raises:
            OutOfPages: fewer are free; nothing was changed.
            ValueError: ``n`` is negative.
        """
        if n < 0:
            raise ValueError(f"n={n}: expected 0 pages or more")
        if n > len(self._free):
            raise OutOfPages(
                f"{n} pages are needed and {len(self._free)} of {self.n_pages} are free: free a "
                "sequence, or make the pool larger. Nothing was changed."
            )
        pages = [heapq.heappop(self._free) for _ in range(n)]
        for page in pages:
            self.holders[page] = 1
        return pages

    def reset(self, dtype: torch.dtype | None = None, device: torch.device | None = None) -> None:
        """Free all pages, whatever their holders; existing tables must not be used any more.

        With another ``dtype`` or ``device`` than the current one, new memory is allocated.
        """
        self.holders, self._free = [0] * self.n_pages, list(range(self.n_pages))
        self._views = [{} for _ in self.layers]
        key, (g, d, e) = self.layers[0][0], self.sizes
        kind, where, size = dtype or key.dtype, device or key.device, self.n_pages * self.page_size
        if (key.dtype, key.device) != (kind, where):
            self.layers = [
                reserve((g, size), d, e, self.value_in_key, kind, where) for _ in self.layers
            ]

    def share(self, pages: Iterable[int]) -> None:
        """Add one holder to each of ``pages``.

        Raises:
            ValueError: one of them has no holder.
        """
        pages = list(pages)
        self._check_held(pages)
        for page in pages:
            self.holders[page] += 1

    def free(self, pages: Iterable[int]) -> None:
        """Remove one holder from each of ``pages``; those without any are free again.

        Raises:
            ValueError: one of them has no holder; nothing was changed.
        """
        pages = list(pages)
        self._check_held(pages)
        for page in pages:
            self.holders[page] -= 1
            if self.holders[page] == 0:
                heapq.heappush(self._free, page)
                for views in self._views:
                    views.pop(page, None)

    def copy(self, page: int) -> int:
        """Return a new page with a copy of ``page`` in every layer, and release ``page``.

        Raises:
            OutOfPages: no page is free.
        """
        (own,) = self.allocate(1)
        size = self.page_size
        for layer in self.layers:
            for stored in layer:
                source = stored.narrow(1, page * size, size)
                stored.narrow(1, own * size, size).copy_(source)
        self.free([page])
        return own

    def _check_held(self, pages: list[int]) -> None:
        for page, times in Counter(pages).items():
            if not 0 <= page < self.n_pages or self.holders[page] < times:
                raise ValueError(f"page {page} is not held {times} times: it cannot be let go")


class PageTable:
    """The pages of the positions of one sequence.

    Args:
        pool: the pool of the pages.
        pages: pages that hold its first positions already, such as a cached prefix; the table
            becomes one more holder of them.
        length: number of positions in them.

    Raises:
        ValueError: the number of pages does not match the length, or one of them has no holder.

    Ref: Kwon et al. 2023, sections 4.2 and 4.3 (block tables), 4.4 (copy-on-write).
    """

    def __init__(self, pool: PagePool, *, pages: Sequence[int] = (), length: int = 0) -> None:
        if length < 0 or len(pages) != -(-length // pool.page_size):
            raise ValueError(
                f"{len(pages)} pages for length={length}: expected "
                f"{-(-max(length, 0) // pool.page_size)} pages of {pool.page_size} positions"
            )
        pool.share(pages)
        self.pool, self.pages, self.length = pool, list(pages), length

    def fork(self, length: int | None = None) -> "PageTable":
        """Return a table that shares the pages of the first ``length`` positions; all, if None.

        Raises:
            ValueError: the table is shorter.
        """
        length = self.length if length is None else length
        check_length(length, self.length)
        kept = -(-length // self.pool.page_size)
        return PageTable(self.pool, pages=self.pages[:kept], length=length)

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on, and release pages that are not needed.

        Raises:
            ValueError: the table is shorter.
        """
        check_length(length, self.length)
        kept = -(-length // self.pool.page_size)
        self.pool.free(self.pages[kept:])
        self.pages, self.length = self.pages[:kept], length

    def free(self) -> None:
        """Release every page."""
        self.truncate(0)


def grow(tables: Sequence[PageTable], lengths: Sequence[int]) -> None:
    """Reserve pages in each table for its new length: in all of them, or in none.

    If a table would write to a page with other holders, it gets a copy first.

    Args:
        tables: different tables of one pool.
        lengths: the new length of each; a table that is long enough does not change.

    Raises:
        OutOfPages: the pool has too few free pages; nothing was changed.

    Ref: Kwon et al. 2023, section 4.4 (copy-on-write).
    """
    growing = [(t, n) for t, n in zip(tables, lengths, strict=True) if n > t.length]
    if not growing:
        return
    pool = growing[0][0].pool
    size = pool.page_size
    new = sum(-(-n // size) - len(t.pages) for t, n in growing)
    written = Counter(t.pages[-1] for t, _ in growing if t.length % size)
    copies = sum(min(n, pool.holders[page] - 1) for page, n in written.items())
    if new + copies > pool.free_pages:
        raise OutOfPages(
            f"{new + copies} pages are needed ({copies} of them copies of shared ones) and "
            f"{pool.free_pages} of {pool.n_pages} are free: free a sequence, or make the pool "
            "larger. Nothing was changed."
        )
    for table, length in growing:
        if table.length % size and pool.holders[table.pages[-1]] > 1:
            table.pages[-1] = pool.copy(table.pages[-1])
        table.pages += pool.allocate(-(-length // size) - len(table.pages))
        table.length = length


def runs(table: PageTable, length: int) -> list[slice]:
    """List the places of the first positions, with adjacent pages as one slice.

    Args:
        table: the sequence.
        length: number of positions.

    >>> pool = PagePool(n_layers=1, n_pages=4, page_size=2, n_kv_heads=1, width=1)
    >>> runs(PageTable(pool, pages=pool.allocate(3), length=5), 5)
    [slice(0, 5, None)]
    """
    size = table.pool.page_size
    found: list[slice] = []
    for i in range(-(-length // size)):
        start = table.pages[i] * size
        stop = start + min(size, length - i * size)
        if found and found[-1].stop == start:
            found[-1] = slice(found[-1].start, stop)
        else:
            found.append(slice(start, stop))
    return found


def places(tables: Sequence[PageTable], starts: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Return the places of new positions in the storage of a layer, one segment after another.

    Args:
        tables: the sequences.
        starts: the first new position of each.
        counts: number of new positions of each.
    """
    found: list[int] = []
    for table, start, count in zip(tables, starts, counts, strict=True):
        size = table.pool.page_size
        found += [table.pages[p // size] * size + p % size for p in range(start, start + count)]
    return found
