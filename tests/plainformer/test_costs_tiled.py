"""Bytes of tiled attention: compared with a simulation that moves every block, and the bounds."""

import pytest

from plainformer.costs import (
    attention_steps,
    chip_numbers,
    fused_attention,
    tiled_attention,
    tiled_backward,
    visited,
)
from plainformer.mask_rules import Rule

RULES = [None, Rule(), Rule(window=5), Rule(causal=False, window=3)]
SIZES = [(7, 7, 3, 2), (4, 11, 3, 2), (1, 9, 4, 4), (11, 11, 5, 1)]


def blocks(n, step):
    return [range(i, min(i + step, n)) for i in range(0, n, step)]


def carried(q, k, d, e, height, width, rule, kept, itemsize):
    """Visit the tiles as in the papers' listings, and add up the loads and stores."""
    moved = 0

    def matrix(rows, columns):
        nonlocal moved
        moved += len(rows) * columns * itemsize

    def statistic(rows):
        nonlocal moved
        moved += len(rows) * 4

    def seen(rows, columns):
        if rule is None:
            return True
        mask = rule.dense(q, k)[0, 0, rows.start : rows.stop, columns.start : columns.stop]
        return bool(mask.any())

    if kept == "queries":
        for rows in blocks(q, height):
            matrix(rows, d)
            for columns in blocks(k, width):
                if seen(rows, columns):
                    matrix(columns, d)
                    matrix(columns, e)
            matrix(rows, e)
            statistic(rows)
        return moved
    matrix(range(q), e)
    statistic(range(q))
    statistic(range(q))
    for columns in blocks(k, width):
        matrix(columns, d + e)
        for rows in blocks(q, height):
            if seen(rows, columns):
                matrix(rows, d)
                for _ in ("read", "written"):
                    matrix(rows, e)
                    statistic(rows)
                    statistic(rows)
    return moved


@pytest.mark.parametrize("kept", ["queries", "keys"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sizes", SIZES)
def test_forward_moves_what_the_listings_load_and_store(sizes, rule, kept):
    for height, width in ((1, 1), (2, 3), (4, 2), (20, 20)):
        got = tiled_attention(*sizes, height=height, width=width, rule=rule, kept=kept, itemsize=2)
        assert got.nbytes == carried(*sizes, height, width, rule, kept, 2)


def test_with_all_keys_on_the_chip_only_the_log_sum_exp_is_above_the_floor():
    floor = fused_attention(64, 64, 16, itemsize=2)
    got = tiled_attention(64, 64, 16, height=64, width=8)
    assert got.nbytes == floor.nbytes + 64 * 4
    assert got.flops == 2 * 64 * 64 * 32


def test_the_width_of_a_tile_moves_nothing_and_its_height_divides():
    counts = {w: tiled_attention(512, 512, 64, height=64, width=w).nbytes for w in (8, 64, 256)}
    assert len(set(counts.values())) == 1
    low, high = (tiled_attention(512, 512, 64, height=h, width=64).nbytes for h in (32, 64))
    ends = 512 * 128 * 2 + 512 * 4
    assert low - ends == 2 * (high - ends)


def test_plain_attention_moves_more_from_a_few_hundred_keys_on():
    plain = sum(step.nbytes for step in attention_steps(1024, 1024, 64, itemsize=2).values())
    assert tiled_attention(1024, 1024, 64, height=128, width=64).nbytes < plain / 5


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sizes", SIZES)
def test_backward_moves_what_the_listing_loads_and_stores(sizes, rule):
    q, k, d, e = sizes
    for height, width in ((1, 1), (2, 3), (20, 20)):
        tiles = visited(q, k, height=height, width=width, rule=rule)
        prepared = 2 * q * e * 2 + q * 4 + q * d * 2  # D, and zeros for the queries' gradient
        inside = sum(rows * ((d + e + 2 * d) * 2 + 2 * 4) for rows, _ in tiles)
        got = tiled_backward(q, k, d, e, height=height, width=width, rule=rule)
        assert got.nbytes == prepared + 2 * k * (d + e) * 2 + inside
        pairs = sum(rows * columns for rows, columns in tiles)
        assert got.flops == pairs * 2 * (3 * d + 2 * e)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("q", "k"), [(7, 7), (4, 11), (11, 11), (5, 3)])
def test_visited_are_the_tiles_of_the_dense_mask_that_hold_a_true(q, k, rule):
    if rule is None:
        return
    dense = rule.dense(q, k)[0, 0]
    for height, width in ((1, 1), (2, 3), (3, 2), (20, 20)):
        tiles = [
            (len(rows), len(columns))
            for rows in blocks(q, height)
            for columns in blocks(k, width)
            if dense[rows.start : rows.stop, columns.start : columns.stop].any()
        ]
        assert visited(q, k, height=height, width=width, rule=rule) == tiles


def test_what_a_tile_needs_on_the_chip():
    inputs, scores, statistics = (2 + 3) * (4 + 5), 2 * 3, 2 * 2
    assert chip_numbers(2, 3, 4, 5) == inputs + scores + statistics
    gradients = 2 * 4 + 3 * (4 + 5)  # for queries, keys and values; the output's is above
    assert chip_numbers(2, 3, 4, 5, backward=True) == inputs + gradients + 2 * scores + statistics


@pytest.mark.parametrize("name", ["q", "k", "d", "height", "width"])
def test_what_cannot_be_is_refused_by_name(name):
    sizes = {"q": 4, "k": 4, "d": 2, "height": 2, "width": 2} | {name: 0}
    with pytest.raises(ValueError, match=f"{name}=0"):
        tiled_attention(**sizes)


def test_what_stays_on_the_chip_is_queries_or_keys():
    unchecked = tiled_attention.__wrapped__  # without the tests' types, as a reader calls it
    with pytest.raises(ValueError, match=r"kept=.rows.*queries"):
        unchecked(4, 4, 2, height=2, width=2, kept="rows")
