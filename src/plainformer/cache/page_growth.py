"""Make room in page tables: new pages, and pages of one's own where a shared one is written."""

from collections import Counter
from collections.abc import Sequence

from plainformer.cache.page_tables import PageTable
from plainformer.cache.pages import OutOfPages


def grow(tables: Sequence[PageTable], lengths: Sequence[int]) -> None:
    """Make room in each table for its new length: in all of them, or in none.

    A table that writes into a page which others hold gets a copy first.

    Args:
        tables: different tables of one pool.
        lengths: the new length of each; one that is long enough stays as it is.

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
    """List the places of the first positions, pages in a row as one slice.

    Args:
        table: the sequence.
        length: how many positions.

    >>> from plainformer.cache.pages import PagePool
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
    """Return where new positions lie in the storage of a layer, one segment after the other.

    Args:
        tables: the sequences.
        starts: the first new position of each.
        counts: how many are new in each.
    """
    found: list[int] = []
    for table, start, count in zip(tables, starts, counts, strict=True):
        size = table.pool.page_size
        found += [table.pages[p // size] * size + p % size for p in range(start, start + count)]
    return found
