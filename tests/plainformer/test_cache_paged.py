"""Sequences of different lengths, in a batch or packed in a row, give the same results as alone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.attention import attend_heads
from plainformer.cache import OutOfPages, PackedPagedCache, PagedCache, PagePool, PageTable
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.one_stack import Decoder
from tests.plainformer.tensors import SEEDS, normal
from tests.plainformer.test_cache import slopes


def pool_of(n_layers: int = 1, n_pages: int = 40, g: int = 2, d: int = 4) -> PagePool:
    pool = PagePool(n_layers=n_layers, n_pages=n_pages, page_size=3, n_kv_heads=g, width=d,
                    dtype=torch.float64)  # fmt: skip
    taken = pool.allocate(n_pages)
    pool.free(taken[::2])  # scattered
    return pool


def test_a_batch_of_different_lengths_equals_each_sequence_alone():
    pool = pool_of()
    lengths, tables = [2, 7, 4], [PageTable(pool) for _ in range(3)]
    rows = [normal(1, 2, n + 2, 4, seed=n) for n in lengths]
    for table, row, n in zip(tables, rows, lengths, strict=True):
        PagedCache(pool, 0, [table]).append(row[:, :, :n], row[:, :, :n])
    cache, query = PagedCache(pool, 0, tables), normal(3, 4, 2, 4, seed=9)
    new = torch.cat([row[:, :, n:] for row, n in zip(rows, lengths, strict=True)])
    cache.append(new, new)
    rule = Rule(window=4, sinks=1)
    got = cache.attend(query, rule, bias=slopes)
    for i, row in enumerate(rows):
        expected = attend_heads(query[i : i + 1], row, row, rule, bias=slopes)
        torch.testing.assert_close(got[i : i + 1], expected)
    key, _ = cache.read()
    positions = cache.positions()
    assert (cache.length, key.shape[2]) == (9, 9)
    assert (positions >= 0).sum(-1).tolist() == [4, 9, 6]
    assert not key.transpose(1, 2)[positions < 0].any()
    cache.truncate(5)
    assert [table.length for table in tables] == [4, 5, 5]


def three_of_five() -> PagedCache:
    pool = pool_of()
    cache, rows = (
        PagedCache(pool, 0, [PageTable(pool) for _ in range(3)]),
        normal(3, 2, 5, 4, seed=0),
    )
    cache.append(rows, rows)
    return cache


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("name", ["starts", "lengths"])
def test_one_start_or_length_is_that_of_every_sequence(name, n):
    cache, query = three_of_five(), normal(3, 4, n, 4, seed=1)
    got = cache.attend(query, Rule(**{name: torch.tensor([3])}))
    expected = cache.attend(query, Rule(**{name: torch.tensor([3, 3, 3])}))
    torch.testing.assert_close(got, expected)
    assert not torch.allclose(got, cache.attend(query))


@pytest.mark.parametrize("b", [2, 4])
def test_a_mask_or_a_bias_of_other_sequences_or_positions_is_refused(b):
    cache, query, ends = three_of_five(), normal(3, 4, 1, 4, seed=1), torch.full((b,), 3)
    for rule in (Rule(starts=ends), Rule(lengths=ends)):
        with pytest.raises(
            ValueError, match=f"of {b} sequences, but there are 3: expected 3, or 1"
        ):
            cache.attend(query, rule)
    for shape in ((b, 1, 1, 5), (3, 1, 1, 2 * b)):
        with pytest.raises(ValueError, match=r"mask of shape .* does not broadcast to \(b=3, h, n"):
            cache.attend(query, torch.ones(shape, dtype=torch.bool))
        with pytest.raises(ValueError, match=r"bias of shape .* does not broadcast to \(b=3, h, n"):
            cache.attend(query, bias=torch.ones(shape))


@settings(max_examples=20)
@given(
    seed=SEEDS,
    steps=st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=4),
    positions=st.sampled_from(["rotary", "none"]),
)
def test_a_packed_step_equals_each_sequence_alone(seed, steps, positions):
    torch.manual_seed(seed)
    config = Config(vocabulary=11, d_model=16, n_layers=2, n_heads=4, n_kv_heads=2,
                    positions=positions, context=24, window=None if seed % 2 else 5)  # fmt: skip
    model, pool = Decoder(config).double(), pool_of(2)
    tables, rows = [PageTable(pool) for _ in range(3)], torch.randint(0, 11, (3, 24))
    for step in steps:
        chosen = [i for i, n in enumerate(step) if n]
        if not chosen:
            continue
        starts = [tables[i].length for i in chosen]
        parts = [rows[i, a : a + step[i]] for i, a in zip(chosen, starts, strict=True)]
        caches = [
            PackedPagedCache(pool, layer, [tables[i] for i in chosen], [step[i] for i in chosen])
            for layer in range(2)
        ]
        where = caches[0].where()
        logits = model(torch.cat(parts)[None], positions=where, caches=caches)
        for i, part in zip(chosen, logits.split([step[i] for i in chosen], dim=1), strict=True):
            end = tables[i].length
            torch.testing.assert_close(part, model(rows[i : i + 1, :end])[:, end - step[i] :])


def test_a_packed_row_knows_its_context_its_positions_and_its_keys():
    pool = pool_of()
    first, second = PageTable(pool), PageTable(pool)
    x = normal(1, 2, 5, 4, seed=0)
    PagedCache(pool, 0, [first]).append(x, x)
    cache = PackedPagedCache(pool, 0, [first, second], [1, 3])
    assert cache.length + 4 == 6
    assert cache.where().tolist() == [5, 0, 1, 2]
    assert cache.read()[0].equal(x)
    new = normal(1, 2, 4, 4, seed=1)
    cache.append(new, new)
    assert cache.positions().tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2]
    assert cache.read()[0].equal(torch.cat([x, new], 2))
    assert cache.nbytes == (2 + 1) * 3 * 2 * (4 + 4) * 8


def test_a_packed_step_that_runs_out_of_pages_changes_nothing():
    pool = pool_of(n_pages=4)  # two are free
    tables = [PageTable(pool), PageTable(pool)]
    cache = PackedPagedCache(pool, 0, tables, [3, 4])
    with pytest.raises(OutOfPages, match=r"3 pages are needed .* 2 of 4 are free"):
        cache.append(*[normal(1, 2, 7, 4, seed=0)] * 2)
    assert ([table.pages for table in tables], pool.free_pages) == ([[], []], 2)


def test_what_a_packed_row_cannot_do_is_refused():
    pool = pool_of()
    x, table = normal(1, 2, 2, 4, seed=0), PageTable(pool)
    for segments in ([], [0], [1, 1]):
        with pytest.raises(ValueError, match="expected one table for each segment"):
            PackedPagedCache(pool, 0, [table], segments)
    cache = PackedPagedCache(pool, 0, [table], [2])
    with pytest.raises(ValueError, match="append first, then attend with"):
        cache.attend(x, Rule())
    with pytest.raises(ValueError, match="1 tokens for segments"):
        cache.append(x[:, :, :1], x[:, :, :1])
    cache.append(x, x)
    with pytest.raises(ValueError, match="make new caches for the next step"):
        cache.append(x, x)
    for mask in (Rule(starts=torch.tensor([1])), torch.ones(2, 2).bool()):
        with pytest.raises(ValueError, match="a packed row takes a Rule without starts"):
            cache.attend(x, mask)
    with pytest.raises(ValueError, match="truncate the page tables"):
        cache.truncate(0)
