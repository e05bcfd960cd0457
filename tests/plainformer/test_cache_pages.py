"""Pages: after any operations on tables, each sequence reads its own data, and no page is lost."""

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from plainformer.cache import OutOfPages, PagedCache, PagePool, PageTable
from plainformer.cache.pages import grow, runs
from tests.plainformer.tensors import normal

LAYERS, PAGES, SIZE = 2, 8, 3


def pool_of(n_pages: int = PAGES, **more) -> PagePool:
    size = {"n_layers": LAYERS, "page_size": SIZE, "n_kv_heads": 1, "width": 1, **more}
    return PagePool(n_pages=n_pages, dtype=torch.float64, **size)


class Tables(RuleBasedStateMachine):
    """Any sequence of steps, compared with lists of numbers in a dictionary."""

    @initialize()
    def start(self):
        self.pool, self.tables, self.model, self.count = pool_of(), {}, {}, 0

    @rule()
    def make(self):
        self.tables[self.count], self.model[self.count] = PageTable(self.pool), []
        self.count += 1

    def pick(self, data):
        return data.draw(st.sampled_from(sorted(self.model)))

    @precondition(lambda self: self.model)
    @rule(data=st.data(), n=st.integers(0, 7))
    def append(self, data, n):
        names = sorted({self.pick(data) for _ in range(2)})
        tables = [self.tables[name] for name in names]
        before = [(list(t.pages), t.length) for t in tables], self.pool.free_pages
        new = normal(len(names), 1, n, 1, seed=self.count)
        caches = [PagedCache(self.pool, layer, tables) for layer in range(LAYERS)]
        try:
            for layer, cache in enumerate(caches):
                cache.append(new + layer, -new - layer)
        except OutOfPages:
            assert ([(list(t.pages), t.length) for t in tables], self.pool.free_pages) == before
            return
        self.count += 1
        for name, values in zip(names, new[:, 0, :, 0].tolist(), strict=True):
            self.model[name] = self.model[name] + values

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def fork(self, data):
        name = self.pick(data)
        length = data.draw(st.integers(0, len(self.model[name])))
        self.tables[self.count] = self.tables[name].fork(length)
        self.model[self.count] = self.model[name][:length]
        self.count += 1

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def truncate(self, data):
        name = self.pick(data)
        length = data.draw(st.integers(0, len(self.model[name])))
        self.tables[name].truncate(length)
        self.model[name] = self.model[name][:length]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def free(self, data):
        name = self.pick(data)
        self.tables.pop(name).free()
        del self.model[name]

    @invariant()
    def each_sequence_reads_what_it_wrote(self):
        for name, values in getattr(self, "model", {}).items():
            for layer in range(LAYERS):
                key, value = PagedCache(self.pool, layer, [self.tables[name]]).read()
                expected = torch.tensor(values, dtype=torch.float64) + layer
                torch.testing.assert_close(key.flatten(), expected)
                torch.testing.assert_close(value.flatten(), -expected)

    @invariant()
    def pages_are_held_as_often_as_tables_say(self):
        if not hasattr(self, "pool"):
            return
        held = [0] * PAGES
        for table in self.tables.values():
            assert len(table.pages) == -(-table.length // SIZE)
            for page in table.pages:
                held[page] += 1
        assert held == self.pool.holders
        assert self.pool.free_pages == held.count(0)


TestTables = Tables.TestCase
TestTables.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_a_fork_shares_pages_until_one_of_the_two_writes():
    pool = pool_of()
    first = PageTable(pool)
    cache = PagedCache(pool, 0, [first])
    x = normal(1, 1, 5, 1, seed=0)
    cache.append(x, x)
    second = first.fork()
    assert (second.pages, pool.free_pages) == (first.pages, PAGES - 2)
    PagedCache(pool, 0, [second]).append(x[:, :, :1], x[:, :, :1])
    assert second.pages[0] == first.pages[0]
    assert second.pages[1] != first.pages[1]
    assert pool.free_pages == PAGES - 3
    assert cache.read()[0].equal(x)


def test_two_writers_of_one_page_need_one_copy_and_the_last_page_is_enough():
    pool = pool_of(n_pages=2)
    first = PageTable(pool)
    grow([first], [1])
    second = first.fork()
    grow([first, second], [2, 2])
    assert pool.free_pages == 0
    assert first.pages != second.pages


def test_a_prefix_that_was_kept_serves_a_new_table():
    pool = pool_of()
    first = PageTable(pool)
    x = normal(1, 1, 6, 1, seed=0)
    PagedCache(pool, 0, [first]).append(x, x)
    kept = list(first.pages)
    pool.share(kept)
    first.free()
    assert pool.free_pages == PAGES - 2
    again = PageTable(pool, pages=kept, length=6)
    assert PagedCache(pool, 0, [again]).read()[0].equal(x)
    pool.free(kept)
    again.free()
    assert pool.free_pages == PAGES


def test_low_pages_come_first_and_pages_in_a_row_are_one_slice():
    pool = pool_of()
    pages = pool.allocate(4)
    assert pages == [0, 1, 2, 3]
    pool.free([2, 0])
    assert pool.allocate(1) == [0]
    table = PageTable(pool, pages=[3, 0, 1], length=8)
    assert runs(table, 8) == [slice(9, 12), slice(0, 5)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda p: p.free([0]), "page 0 is not held 1 times"),
        (lambda p: p.share([9]), "page 9 is not held"),
        (lambda p: p.allocate(-1), "n=-1"),
        (lambda p: p.free(p.allocate(1) * 2), "page 0 is not held 2 times"),
        (lambda p: PageTable(p, pages=[], length=2), "0 pages for length=2: expected 1 pages"),
        (lambda p: PageTable(p).fork(1), "length=1: expected 0 to 0"),
        (lambda p: PagedCache(p, 2, []), "layer=2: the pool has layers 0 to 1"),
        (lambda p: PagedCache(p, 0, [PageTable(p)] * 2), "a table is given twice"),
        (lambda p: PagedCache(p, 0, [PageTable(pool_of())]), "a table is of another pool"),
        (lambda p: pool_of(n_pages=0), "n_pages=0: expected at least 1"),
    ],
)
def test_what_cannot_be_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(pool_of())


def test_bytes_of_a_pool_equal_the_formula():
    pool = pool_of(n_kv_heads=2, width=5, value_width=4)
    assert pool.nbytes == LAYERS * PAGES * SIZE * 2 * (5 + 4) * 8
    pool = pool_of(width=5, value_width=4, value_in_key=True)
    assert pool.nbytes == LAYERS * PAGES * SIZE * 5 * 8


def test_copies_are_counted_before_anything_changes():
    pool = PagePool(n_layers=1, n_pages=2, page_size=4, n_kv_heads=1, width=1)
    first = PageTable(pool, pages=pool.allocate(1), length=2)
    tables = [first, first.fork(), first.fork()]
    pool.free(first.pages)  # three tables use it now; two of them need a copy, and one page is free
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
