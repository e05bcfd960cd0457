"""Formulas of arithmetic and traffic equal counts of the individual operations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.costs import (
    Count,
    attention_steps,
    fused_attention,
    matmul,
    score_bytes,
    softmax,
    visible_pairs,
)
from plainformer.mask_rules import Rule

SIZE = st.integers(1, 9)


@given(SIZE, SIZE, SIZE, SIZE)
def test_a_product_is_counted_as_three_loops_do_it(rows, inner, columns, batch):
    flops = 0
    for _ in range(batch * rows * columns):
        for _ in range(inner):
            flops += 2  # a multiplication and an addition
    counted = matmul(rows, inner, columns, batch=batch, itemsize=2)
    numbers = rows * inner + inner * columns + rows * columns
    assert counted == Count(flops, 2 * batch * numbers)


@given(SIZE, SIZE)
def test_softmax_is_counted_as_five_loops_do_it(rows, k):
    flops = 0
    for _ in range(rows):
        flops += sum(1 for _ in range(1, k))  # comparisons
        flops += k  # subtractions
        flops += k  # exponentials
        flops += sum(1 for _ in range(1, k))  # additions
        flops += k  # divisions
    assert softmax(rows, k) == Count(flops, 4 * rows * 2 * k)


@given(SIZE, SIZE, st.booleans(), st.none() | SIZE)
def test_visible_pairs_are_those_of_the_mask(q, k, causal, window):
    if not causal:
        window = None
    mask = Rule(causal=causal, window=window).dense(q, k)
    assert visible_pairs(q, k, causal=causal, window=window) == int(mask.sum())


@pytest.mark.parametrize("k", [1, 2, 7, 1024, 131_072])
def test_a_causal_square_has_k_times_k_plus_1_halves(k):
    assert 2 * visible_pairs(k, k) == k * (k + 1)


@given(SIZE, SIZE, st.integers(0, 9))
def test_chunks_of_a_prompt_see_together_what_the_whole_sees(first, second, earlier):
    k = earlier + first + second
    parts = visible_pairs(first, earlier + first) + visible_pairs(second, k)
    assert parts == visible_pairs(first + second, k)


def test_the_steps_of_attention_by_hand():
    # Two queries, three keys, d = 4, e = 5; one head, four bytes per number.
    steps = attention_steps(2, 3, 4, 5)
    assert steps["scores"] == Count(2 * 2 * 3 * 4, 4 * (8 + 12 + 6))
    assert steps["scale"] == Count(6, 4 * 12)
    assert steps["softmax"] == Count(2 * 13, 4 * 12)
    assert steps["average"] == Count(2 * 2 * 3 * 5, 4 * (6 + 15 + 10))


@given(SIZE, SIZE, SIZE, SIZE, st.integers(1, 3), st.integers(1, 3), SIZE)
def test_fused_attention_computes_the_same_and_moves_less(q, k, d, e, g, group, batch):
    sizes = {"heads": g * group, "kv_heads": g, "batch": batch}
    steps = sum(attention_steps(q, k, d, e, **sizes).values(), Count())
    fused = fused_attention(q, k, d, e, **sizes)
    assert fused.flops == steps.flops
    scores = batch * g * group * q * k
    assert steps.nbytes - fused.nbytes == 6 * 4 * scores  # written and read three times


def test_causal_fused_attention_by_hand():
    # Three positions see 1 + 2 + 3 keys; a row of n takes 2·n·(d + e) + n + 5·n − 2.
    rows = [2 * n * (4 + 5) + n + 5 * n - 2 for n in (1, 2, 3)]
    assert fused_attention(3, 3, 4, 5, causal=True).flops == sum(rows)


@given(SIZE, SIZE, st.integers(1, 4), st.integers(1, 4))
def test_groups_share_their_bytes_and_not_their_arithmetic(k, d, g, group):
    many = fused_attention(1, k, d, heads=g * group)
    few = fused_attention(1, k, d, heads=g * group, kv_heads=g)
    assert few.flops == many.flops
    assert many.nbytes - few.nbytes == 4 * 2 * (g * group - g) * k * d


@given(st.integers(1, 500))
def test_more_keys_are_more_of_everything(k):
    before, after = (fused_attention(k, n, 8) for n in (k, k + 1))
    assert after.flops > before.flops
    assert after.nbytes > before.nbytes


def test_a_decode_step_of_attention_has_the_intensity_of_its_group():
    # 4·k·d·h FLOPs for 2·g·k·d numbers: h / g FLOPs per byte in half precision, and a little more.
    for g in (1, 2, 8):
        count = fused_attention(1, 100_000, 128, heads=8, kv_heads=g, itemsize=2)
        assert count.intensity == pytest.approx(8 / g, rel=0.03)


def test_bytes_of_the_score_matrix():
    sizes = [score_bytes(n, n, heads=32) for n in (1024, 8192, 131_072)]
    assert sizes == [2**26, 2**32, 2**40]  # 64 MiB, 4 GiB, 1 TiB


def test_counts_add_and_multiply_and_give_their_intensity():
    both = Count(6, 2) + 2 * Count(1, 1)
    assert both == Count(8, 4)
    assert both.intensity == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: matmul(0, 2, 3), "rows=0: expected a whole number of at least 1"),
        (lambda: matmul(2, 3, 4, itemsize=0), "itemsize=0"),
        (lambda: softmax(2, 0), "keys=0"),
        (lambda: visible_pairs(True, 2), "q=True"),
        (lambda: visible_pairs(2, 2, window=0), "window=0"),
        (lambda: visible_pairs(2, 2, causal=False, window=1), "causal=False, window=1"),
        (lambda: attention_steps(1, 2, 3, heads=6, kv_heads=4), "not divisible by kv_heads=4"),
        (lambda: fused_attention(3, 2, 4, causal=True), "q is at most k"),
        (lambda: score_bytes(1, 2, heads=-1), "heads=-1"),
        (lambda: Count(-1, 0), "flops=-1"),
        (lambda: Count(1, 0).intensity, "nothing is moved"),
    ],
)
def test_sizes_that_cannot_be_are_refused_by_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
