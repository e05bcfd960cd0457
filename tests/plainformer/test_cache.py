"""Laws of every cache: cached equals uncached in any chunks, and bad input is never silent."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer import MultiHeadAttention, cosine, scaled_dot
from plainformer.attention import attend_heads
from plainformer.cache import CacheFull, ContiguousCache, Int8Cache, StaticCache
from plainformer.mask_rules import Rule
from plainformer.positions import Rotary
from plainformer.sdpa import sdpa
from tests.plainformer.caches import CAPACITY, EXACT, chunks_of, sizes
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal

CUTS = st.lists(st.integers(0, 100), max_size=6)


def slopes(q, k):
    """Score by distance, differently in each of four heads, like ALiBi."""
    distance = (q[..., :, None] - k[..., None, :]).abs().double()
    return -torch.tensor([0.5, 0.25, 0.1, 0.0])[:, None, None] * distance


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("where", ["none", "rotary", "alibi"])
@settings(max_examples=8)
@given(seed=SEEDS, cuts=CUTS, total=st.integers(1, CAPACITY), groups=st.sampled_from([1, 2, 4]))
def test_cached_equals_uncached_in_any_chunks(kind, where, seed, cuts, total, groups):
    torch.manual_seed(seed)
    rotary = Rotary(4) if where == "rotary" else None
    bias = slopes if where == "alibi" else None
    layer = MultiHeadAttention(d_model=16, n_heads=4, n_kv_heads=groups, rotary=rotary).double()
    x, rule = normal(2, total, 16, seed=seed), Rule(window=None if seed % 2 else 5, sinks=1)
    whole = layer(x, mask=rule, bias=bias)
    cache = EXACT[kind](2, groups, 4)
    parts = [layer(x[:, s], mask=rule, bias=bias, cache=cache) for s in chunks_of(total, cuts)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-10, atol=1e-12)
    assert cache.length == total


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("backend", [attend_heads, sdpa])
@settings(max_examples=10)
@given(seed=SEEDS, cuts=CUTS, d=AWKWARD_SIZES, e=AWKWARD_SIZES, groups=st.sampled_from([1, 2, 4]))
def test_padding_on_either_side_and_tensor_masks_are_kept(kind, backend, seed, cuts, d, e, groups):
    total = 9
    query, key = normal(3, 4, total, d, seed=seed), normal(3, groups, total, d, seed=seed + 1)
    value = normal(3, groups, total, e, seed=seed + 2)
    rule = Rule(starts=torch.tensor([0, 3, 8]), lengths=torch.tensor([4, 9, 9]))
    added = normal(1, 4, total, total, seed=seed + 3)
    mask = rule.dense(total, total)
    expected = attend_heads(query, key, value, mask, bias=added)
    by_rule, by_mask = EXACT[kind](3, groups, d, e), EXACT[kind](3, groups, d, e)
    for s in chunks_of(total, cuts):
        for cache, given_mask in ((by_rule, rule), (by_mask, mask[..., s, : s.stop])):
            cache.append(key[:, :, s], value[:, :, s])
            got = cache.attend(
                query[:, :, s], given_mask, bias=added[..., s, : s.stop], backend=backend
            )
            torch.testing.assert_close(got, expected[:, :, s], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("score", [scaled_dot, cosine])
def test_one_query_of_grouped_heads_meets_any_score_and_masks_of_its_own_head(kind, score):
    query, key, value = (
        normal(2, 4, 1, 3, seed=0),
        normal(2, 2, 5, 3, seed=1),
        normal(2, 2, 5, 2, seed=2),
    )
    cache = EXACT[kind](2, 2, 3, 2)
    cache.append(key, value)
    heads = torch.rand(2, 4, 1, 5, generator=torch.Generator().manual_seed(3)) < 0.5
    for mask in (None, heads, heads[:1, :1], heads[0, 0]):
        for bias in (
            None,
            normal(4, 1, 5, seed=4),
            normal(2, 4, 1, 5, seed=4),
            normal(1, 5, seed=4),
        ):
            expected = attend_heads(query, key, value, mask, score=score, bias=bias)
            got = cache.attend(query, mask, score=score, bias=bias)
            torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("kind", EXACT)
@settings(max_examples=15)
@given(seed=SEEDS, first=st.integers(0, 12), back=st.integers(0, 12), again=st.integers(0, 12))
def test_truncate_then_append_equals_never_having_appended(kind, seed, first, back, again):
    length = min(first, back)
    old, new = normal(2, 2, first, 3, seed=seed), normal(2, 2, again, 3, seed=seed + 1)
    once, fresh = EXACT[kind](2, 2, 3), EXACT[kind](2, 2, 3)
    once.append(old, old)
    once.truncate(length)
    once.append(new, new)
    fresh.append(torch.cat([old[:, :, :length], new], 2), torch.cat([old[:, :, :length], new], 2))
    assert once.length == fresh.length
    for mine, theirs in zip(once.read(), fresh.read(), strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("kind", EXACT)
def test_a_length_that_was_never_reached_is_refused(kind):
    cache = EXACT[kind](1, 1, 2)
    cache.append(normal(1, 1, 4, 2, seed=0), normal(1, 1, 4, 2, seed=1))
    for length in (-1, 5):
        with pytest.raises(ValueError, match=f"length={length}: expected 0 to 4"):
            cache.truncate(length)
    assert cache.length == 4


@pytest.mark.parametrize("kind", EXACT)
def test_keys_that_do_not_fit_are_refused_and_nothing_is_written(kind):
    cache = EXACT[kind](2, 2, 3)
    good = normal(2, 2, 4, 3, seed=0)
    cache.append(good, good)
    for bad in (good[:1], good[:, :1], good[..., :2]):
        with pytest.raises(ValueError, match="do not fit this cache; expected"):
            cache.append(bad, bad)
    with pytest.raises(ValueError, match="do not fit this cache"):
        cache.append(good, good[..., :2])
    torch.testing.assert_close(cache.read()[0], good)


@pytest.mark.parametrize("make", [StaticCache, Int8Cache])
def test_over_capacity_nothing_is_lost(make):
    cache = make(capacity=4, **sizes(1, 1, 2))
    old = normal(1, 1, 3, 2, seed=0)
    cache.append(old, old)
    before = cache.read()[0].clone()
    with pytest.raises(CacheFull, match="3 positions are held and 2 more do not fit"):
        cache.append(normal(1, 1, 2, 2, seed=1), normal(1, 1, 2, 2, seed=1))
    assert cache.length == 3
    assert cache.read()[0].equal(before)
    cache.append(old[:, :, :1], old[:, :, :1])
    assert cache.length == 4


@pytest.mark.parametrize("kind", [*EXACT, "int8"])
def test_more_queries_than_positions_are_refused_where_they_would_see_nothing(kind):
    cache = (
        EXACT[kind](2, 2, 4) if kind in EXACT else Int8Cache(capacity=CAPACITY, **sizes(2, 2, 4))
    )
    query, key = normal(2, 2, 5, 4, seed=1), normal(2, 2, 3, 4, seed=2)
    with pytest.raises(ValueError, match="1 queries, but 0 positions were appended"):
        cache.attend(query[:, :, :1], Rule())
    cache.append(key, key)
    for n in (4, 5):
        with pytest.raises(ValueError, match=f"{n} queries, but 3 positions were appended"):
            cache.attend(query[:, :, :n], Rule())
    assert cache.attend(query[:, :, :3], Rule()).shape == (2, 2, 3, 4)
    if kind != "wide window":  # for a memory; a window is in the same sequence
        assert cache.attend(query, Rule(causal=False)).abs().min() > 0


@pytest.mark.parametrize("kind", EXACT)
def test_an_empty_batch_and_an_empty_chunk_work(kind):
    cache = EXACT[kind](0, 2, 3)
    cache.append(torch.zeros(0, 2, 4, 3).double(), torch.zeros(0, 2, 4, 3).double())
    assert cache.attend(torch.zeros(0, 4, 4, 3).double(), Rule()).shape == (0, 4, 4, 3)
    cache = EXACT[kind](2, 2, 3)
    cache.append(*[normal(2, 2, 3, 3, seed=0)] * 2)
    cache.append(*[normal(2, 2, 0, 3, seed=0)] * 2)
    assert cache.length == 3


def test_bytes_equal_the_formula():
    b, g, d, e = 2, 3, 4, 5
    for kind, places in (("static", CAPACITY), ("wide window", CAPACITY), ("contiguous", 7)):
        cache = EXACT[kind](b, g, d, e)
        cache.append(normal(b, g, 7, d, seed=0), normal(b, g, 7, e, seed=0))
        assert cache.nbytes == b * g * places * (d + e) * 8
    paged = EXACT["paged"](b, g, d, e)
    paged.append(normal(b, g, 7, d, seed=0), normal(b, g, 7, e, seed=0))
    assert paged.nbytes == b * -(-7 // 3) * 3 * g * (d + e) * 8


def test_values_that_are_part_of_the_keys_are_stored_once():
    cache = StaticCache(capacity=5, **sizes(1, 1, 4, 3), value_in_key=True)
    key = normal(1, 1, 2, 4, seed=0)
    cache.append(key, key[..., :3])
    assert cache.nbytes == 5 * 4 * 8
    assert cache.read()[1].equal(key[..., :3])
    with pytest.raises(ValueError, match="value_width=5 does not fit in keys of width=4"):
        StaticCache(capacity=5, **sizes(1, 1, 4, 5), value_in_key=True)


def test_an_empty_cache_and_a_size_of_zero_are_refused():
    with pytest.raises(ValueError, match="the cache is empty"):
        ContiguousCache().read()
    with pytest.raises(ValueError, match="size=0: expected at least 1"):
        StaticCache(capacity=0, **sizes(1, 1, 4))


def test_a_static_cache_keeps_no_graph():
    cache = StaticCache(capacity=2, **sizes(1, 1, 2))
    key = normal(1, 1, 1, 2, seed=0).requires_grad_()
    cache.append(key, key)
    assert not cache.read()[0].requires_grad
