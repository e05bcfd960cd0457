"""The ring buffer shows the window and its sinks, in bounded memory and in any chunks."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer import MultiHeadAttention
from plainformer.attention import attend_heads
from plainformer.cache import Forgotten, SlidingCache
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import at_positions
from plainformer.positions import Rotary
from plainformer.sdpa import sdpa
from tests.plainformer.caches import chunks_of, sizes
from tests.plainformer.tensors import SEEDS, normal
from tests.plainformer.test_cache import CUTS, slopes

WINDOWS, SINKS, SLACK = st.integers(1, 7), st.integers(0, 3), st.integers(0, 3)


@pytest.mark.parametrize("where", ["none", "rotary", "alibi"])
@settings(max_examples=60)
@given(seed=SEEDS, cuts=CUTS, window=WINDOWS, sinks=SINKS, slack=SLACK, wide=st.booleans())
def test_any_chunks_equal_the_whole_under_its_window(where, seed, cuts, window, sinks, slack, wide):
    total = 20
    torch.manual_seed(seed)
    rotary, bias = Rotary(4) if where == "rotary" else None, slopes if where == "alibi" else None
    layer = MultiHeadAttention(d_model=16, n_heads=4, n_kv_heads=2, rotary=rotary).double()
    layer.backend = sdpa if seed % 2 else attend_heads
    x, rule = normal(2, total, 16, seed=seed), Rule(window=window, sinks=sinks)
    whole = layer(x, mask=rule, bias=bias)
    cache = SlidingCache(window=window, sinks=sinks, slack=slack, **sizes(2, 2, 4))
    asked = Rule() if wide else rule  # a mask that reaches further is narrowed
    parts = [layer(x[:, s], mask=asked, bias=bias, cache=cache) for s in chunks_of(total, cuts)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-10, atol=1e-12)


@settings(max_examples=40)
@given(
    seed=SEEDS,
    cuts=CUTS,
    window=WINDOWS,
    starts=st.lists(st.integers(0, 12), min_size=2, max_size=2),
)
def test_padding_on_either_side_is_kept_by_a_window_without_sinks(seed, cuts, window, starts):
    total, (query, key, value) = 14, (normal(2, 2, 14, 3, seed=seed + i) for i in range(3))
    rule = Rule(window=window, starts=torch.tensor(starts), lengths=torch.tensor([9, 14]))
    expected = attend_heads(query, key, value, rule)
    cache = SlidingCache(window=window, **sizes(2, 2, 3))
    for s in chunks_of(total, cuts):
        cache.append(key[:, :, s], value[:, :, s])
        torch.testing.assert_close(cache.attend(query[:, :, s], rule), expected[:, :, s])


@settings(max_examples=60)
@given(seed=SEEDS, window=WINDOWS, sinks=SINKS, slack=SLACK, cuts=CUTS,
       steps=st.integers(1, 20), back=st.integers(0, 20))  # fmt: skip
def test_what_can_be_taken_back_leaves_no_trace(seed, window, sinks, slack, cuts, steps, back):
    length, total = max(0, steps - back), 24
    query, key, value = (normal(1, 2, total, 3, seed=seed + i) for i in range(3))
    expected = attend_heads(query, key, value, Rule(window=window, sinks=sinks))
    cache = SlidingCache(window=window, sinks=sinks, slack=slack, **sizes(1, 2, 3))
    for s in chunks_of(steps, cuts):
        junk = key[:, :, s].clone()
        junk[:, :, max(0, length - s.start) :] += 1
        cache.append(junk, value[:, :, s])
    try:
        cache.truncate(length)
    except Forgotten:
        assert steps > sinks + window + slack  # something was overwritten
        assert steps - length > slack  # slack is always enough
        assert cache.length == steps
        return
    assert (
        length <= sinks
        or length - window + 1 >= steps - window - slack
        or steps <= (sinks + window + slack)
    )
    for s in chunks_of(total - length, cuts):
        s = slice(s.start + length, s.stop + length)
        cache.append(key[:, :, s], value[:, :, s])
        got = cache.attend(query[:, :, s], Rule())
        torch.testing.assert_close(got, expected[:, :, s])


def test_memory_does_not_grow_and_a_long_chunk_is_let_go_at_the_next_append():
    cache = SlidingCache(window=4, sinks=2, slack=1, **sizes(1, 2, 3))
    reserved = 2 * (2 + 4 + 1) * (3 + 3) * 8
    assert cache.nbytes == reserved
    x = normal(1, 2, 30, 3, seed=0)
    cache.append(x, x)
    assert cache.nbytes == reserved + 2 * 30 * 6 * 8
    cache.append(x[:, :, :1], x[:, :, :1])
    assert cache.nbytes == reserved
    assert cache.length == 31


def test_positions_say_where_each_key_stands():
    cache = SlidingCache(window=3, sinks=1, **sizes(1, 1, 1))
    for p in range(6):
        x = torch.full((1, 1, 1, 1), float(p)).double()
        cache.append(x, x)
    assert cache.positions().tolist() == [0, 4, 5, 3] == cache.read()[0].flatten().tolist()
    cache.truncate(6)
    assert cache.positions().tolist() == [0, 4, 5, 3]


def test_a_tensor_mask_is_read_at_the_positions_that_are_held():
    cache = SlidingCache(window=4, **sizes(1, 1, 2))
    x, query = normal(1, 1, 7, 2, seed=0), normal(1, 1, 1, 2, seed=1)
    for p in range(7):
        cache.append(x[:, :, p : p + 1], x[:, :, p : p + 1])
    mask = torch.tensor([1, 0, 1, 1, 0, 1, 1]).bool()[None]
    bias = normal(1, 7, seed=2)
    expected = attend_heads(query, x, x, mask & (torch.arange(7) > 2), bias=bias)
    torch.testing.assert_close(cache.attend(query, mask, bias=bias), expected)
    everything = attend_heads(query, x[:, :, 3:], x[:, :, 3:])
    torch.testing.assert_close(cache.attend(query), everything)


def test_a_tensor_mask_opens_no_empty_place():
    cache, x = SlidingCache(window=2, slack=3, **sizes(1, 1, 2)), normal(1, 1, 9, 2, seed=0)
    cache.append(x, x)
    cache.truncate(7)
    cache.append(x[:, :, 7:8], x[:, :, 7:8])
    got = cache.attend(x[:, :, :1], torch.ones(1, 8).bool())
    torch.testing.assert_close(got, attend_heads(x[:, :, :1], x[:, :, 6:8], x[:, :, 6:8]))


def test_at_an_empty_place_a_tensor_mask_says_nothing():
    mask, _ = at_positions(torch.ones(1, 3).bool(), None, torch.tensor([2]), torch.tensor([-1, 2]))
    assert mask.flatten().tolist() == [False, True]


def test_what_the_ring_cannot_answer_is_refused():
    x = normal(2, 1, 9, 2, seed=0)
    cache = SlidingCache(window=3, sinks=1, **sizes(2, 1, 2))
    for p in range(9):
        cache.append(x[:, :, p : p + 1], x[:, :, p : p + 1])
    with pytest.raises(ValueError, match="sinks=1 with sequences padded on the left"):
        cache.attend(x[:, :, :1], Rule(starts=torch.tensor([0, 2])))
    with pytest.raises(
        Forgotten, match="position 7: its window starts at 5, and what is held at 6"
    ):
        cache.attend(x[:, :, :2], Rule())
    with pytest.raises(Forgotten, match="position 7: its window starts at 5"):
        cache.truncate(7)
    for sizes_ in ({"window": 0}, {"window": 2, "sinks": -1}, {"window": 2, "slack": -1}):
        with pytest.raises(ValueError, match="expected"):
            SlidingCache(**sizes_, **sizes(1, 1, 2))
