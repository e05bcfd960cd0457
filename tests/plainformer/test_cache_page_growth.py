import pytest

from plainformer.cache import OutOfPages, PagePool, PageTable
from plainformer.cache.page_growth import grow


def test_copies_are_counted_before_anything_changes():
    pool = PagePool(n_layers=1, n_pages=2, page_size=4, n_kv_heads=1, width=1)
    first = PageTable(pool, pages=pool.allocate(1), length=2)
    tables = [first, first.fork(), first.fork()]
    pool.free(
        first.pages
    )  # three tables hold it now; two of them need a copy, and one page is free
    with pytest.raises(OutOfPages, match="2 pages are needed"):
        grow(tables, [3, 3, 3])
    assert [table.pages for table in tables] == [[0], [0], [0]]
    assert (pool.free_pages, pool.holders[0]) == (1, 3)


def test_what_a_table_forgets_is_free_again():
    pool = PagePool(n_layers=1, n_pages=3, page_size=2, n_kv_heads=1, width=1)
    table = PageTable(pool)
    grow([table], [6])
    table.truncate(3)
    assert (len(table.pages), pool.free_pages) == (2, 1)
    table.free()
    assert (table.pages, pool.free_pages) == ([], 3)
