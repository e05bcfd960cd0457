"""The int8 cache: its error and size, and equality with attention on the decoded numbers."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer import cosine, scaled_dot
from plainformer.attention import attend_heads
from plainformer.cache import Fp8Cache, Int8Cache, quantised
from plainformer.mask_rules import Rule
from plainformer.sdpa import sdpa
from tests.plainformer.caches import chunks_of, sizes
from tests.plainformer.tensors import SEEDS, normal
from tests.plainformer.test_cache import CUTS, slopes

KINDS = [Int8Cache, Fp8Cache]


@given(seed=SEEDS, power=st.integers(-44, 37))
def test_int8_is_off_by_at_most_half_a_scale(seed, power):
    x = normal(2, 2, 5, 7, seed=seed) * 10.0**power
    cache = Int8Cache(capacity=5, **sizes(2, 2, 7))
    cache.append(x, -x)
    scale = (x.abs().amax(-1, keepdim=True) / 127).clamp_min(torch.finfo(torch.float32).tiny)
    key, value = cache.read()
    assert ((key - x).abs() <= scale / 2 * (1 + 1e-4)).all()
    assert ((value + x).abs() <= scale / 2 * (1 + 1e-4)).all()


@given(seed=SEEDS, power=st.integers(-30, 35))
def test_fp8_is_off_by_at_most_a_sixteenth_of_each_number(seed, power):
    x = normal(2, 2, 5, 7, seed=seed) * 10.0**power
    cache = Fp8Cache(capacity=5, **sizes(2, 2, 7))
    cache.append(x, -x)
    scale = x.abs().amax(-1, keepdim=True) / 448
    for held, true in zip(cache.read(), (x, -x), strict=True):
        assert ((held - true).abs() <= (true.abs() / 16).maximum(scale * 2**-10) * (1 + 1e-4)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", [scaled_dot, cosine])
@pytest.mark.parametrize("backend", [attend_heads, sdpa])
@settings(max_examples=12)
@given(
    seed=SEEDS, cuts=CUTS, groups=st.sampled_from([1, 2, 4]), piece=st.sampled_from([1, 60, 9999])
)
def test_it_attends_exactly_to_what_it_reads_back(kind, score, backend, seed, cuts, groups, piece):
    if score is cosine and backend is sdpa:
        return
    quantised.PIECE, before = piece, quantised.PIECE
    query, key = normal(2, 4, 9, 6, seed=seed), normal(2, groups, 9, 6, seed=seed + 1)
    value = normal(2, groups, 9, 5, seed=seed + 2)
    cache = kind(capacity=9, **sizes(2, groups, 6, 5))
    rule = Rule(window=4, sinks=1, starts=torch.tensor([0, 2]) if seed % 2 else None)
    bias = slopes if seed % 3 else None
    for s in chunks_of(9, [*cuts, 8]):
        cache.append(key[:, :, s], value[:, :, s])
        got = cache.attend(query[:, :, s], rule, score=score, bias=bias, backend=backend)
        expected = attend_heads(query[:, :, s], *cache.read(), rule, score=score, bias=bias)
        torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
    quantised.PIECE = before
    cache.truncate(5)
    torch.testing.assert_close(
        cache.attend(query[:, :, :1]), attend_heads(query[:, :, :1], *cache.read())
    )


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_equal_the_formula_and_are_at_most_28_percent_of_float32(kind):
    cache = kind(batch=2, capacity=10, n_kv_heads=3, width=64)
    assert cache.nbytes == 2 * 3 * 10 * (64 + 64 + 8)
    assert cache.nbytes <= 0.28 * 2 * 3 * 10 * 128 * 4
    shared = kind(batch=2, capacity=10, n_kv_heads=3, width=64, value_width=60, value_in_key=True)
    assert shared.nbytes == 2 * 3 * 10 * (64 + 4)
    key = normal(2, 3, 4, 64, seed=0, dtype=torch.float32)
    shared.append(key, key[..., :60])
    assert shared.read()[1].equal(shared.read()[0][..., :60])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_what_no_scale_can_hold_is_refused_and_nothing_is_written(kind, bad):
    cache = kind(batch=1, capacity=3, n_kv_heads=1, width=2)
    x = torch.ones(1, 1, 1, 2)
    with pytest.raises(ValueError, match="hold NaN or infinity"):
        cache.append(x, x * bad)
    assert cache.length == 0
    assert not cache.key.float().any()


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_stay_zeros_and_an_empty_batch_works(kind):
    cache = kind(batch=1, capacity=3, n_kv_heads=1, width=2)
    cache.append(torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 1, 2))
    assert not cache.read()[0].any()
    empty = kind(batch=0, capacity=3, n_kv_heads=1, width=2)
    empty.append(torch.zeros(0, 1, 1, 2), torch.zeros(0, 1, 1, 2))
    assert empty.attend(torch.zeros(0, 2, 1, 2)).shape == (0, 2, 1, 2)


def test_without_the_type_fp8_is_refused_by_name(monkeypatch):
    monkeypatch.delattr(torch, "float8_e4m3fn")
    with pytest.raises(NotImplementedError, match="no float8_e4m3fn: use Int8Cache"):
        Fp8Cache(batch=1, capacity=3, n_kv_heads=1, width=2)


HALVES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", HALVES)
@given(seed=SEEDS, power=st.integers(-7, 4))
def test_a_scale_is_as_exact_in_half_precision(dtype, seed, power):
    x = (normal(1, 2, 3, 7, seed=seed).clamp(-6, 6) * 10.0**power).to(dtype)
    for kind in KINDS:
        cache = kind(capacity=3, **sizes(1, 2, 7))
        cache.append(x, -x)
        most = x.double().abs().amax(-1, keepdim=True)
        for held, true in zip(cache.read(), (x.double(), -x.double()), strict=True):
            off = (held - true).abs()
            if kind is Int8Cache:
                assert (off <= most / 254 * (1 + 1e-4)).all()
            else:
                assert (off <= (true.abs() / 16).maximum(most / 448 / 1024) * (1 + 1e-4)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", HALVES[:3])
def test_the_largest_numbers_of_a_type_come_back_finite(kind, dtype):
    x = torch.full((1, 2, 3, 4), torch.finfo(dtype).max, dtype=dtype)
    cache = kind(capacity=3, **{**sizes(1, 2, 4), "dtype": dtype})
    cache.append(x, -x)
    for held, true in zip(cache.read(), (x, -x), strict=True):
        assert ((held.double() - true.double()).abs() <= true.double().abs() * 1e-5).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("small", [6e-5, 1e-4, 7e-4, 1.5e-3])
def test_small_constant_keys_in_float16_keep_their_sign(kind, small):
    x = torch.full((1, 1, 2, 8), small, dtype=torch.float16)
    cache = kind(capacity=2, **{**sizes(1, 1, 8), "dtype": torch.float16})
    cache.append(x, x)
    assert torch.allclose(cache.read()[0], x, rtol=2e-3)
    one = cache.attend(torch.ones(1, 1, 1, 8, dtype=torch.float16))
    assert torch.allclose(one, x[:, :, :1], rtol=2e-3)
