"""Tiles: each visible pair is visited once, hidden tiles never, and masks used only if needed."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.flash.tiles import Tiles
from plainformer.mask_rules import Rule
from tests.plainformer.tensors import SEEDS, coins, normal

CPU = torch.device("cpu")


def cut(q, k, mask=None, bias=None, *, height=3, width=4):
    return Tiles(q=q, k=k, height=height, width=width, mask=mask, bias=bias, device=CPU)


def drawn(tiles, b, h):
    """Count how often each pair is visible in a tile that is visited."""
    visits = torch.zeros(b, h, tiles.q, tiles.k, dtype=torch.int64)
    for rows in tiles.blocks():
        for tile in tiles.visit(rows):
            visible = torch.ones(b, h, tiles.q, tiles.k, dtype=torch.bool)[:, :, rows, tile.keys]
            if tile.visible is not None:
                visible[..., tile.columns] &= tile.visible
            visits[:, :, rows, tile.keys] += visible
    return visits


@given(
    seed=SEEDS,
    q=st.integers(1, 13),
    k=st.integers(1, 13),
    height=st.integers(1, 5),
    width=st.integers(1, 5),
    causal=st.booleans(),
    window=st.none() | st.integers(1, 6),
    sinks=st.integers(0, 2),
    prefix=st.integers(0, 5),
)
def test_every_visible_pair_is_visited_once(
    seed, q, k, height, width, causal, window, sinks, prefix
):
    rule = Rule(causal=causal, window=window, sinks=sinks, prefix=prefix)
    written = coins(2, 3, q, k, seed=seed)
    for mask, expected in [
        (rule, rule.dense(q, k).expand(2, 3, -1, -1)),
        (written, written),
        (None, torch.ones(2, 3, q, k)),
    ]:
        visits = drawn(cut(q, k, mask, height=height, width=width), 2, 3)
        assert torch.equal(visits, expected.long())


@pytest.mark.parametrize(
    "rule",
    [
        Rule(prefix=2),
        Rule(window=2, sinks=3),
        Rule(starts=torch.tensor([0, 2])),
        Rule(lengths=torch.tensor([6, 3])),
    ],
)
def test_tiles_alike_in_distance_share_no_mask_where_places_count(rule):
    tiles = cut(8, 8, rule, height=4, width=4)
    assert torch.equal(drawn(tiles, 2, 1), rule.dense(8, 8).expand(2, -1, -1, -1).long())


def test_a_causal_mask_visits_half_of_the_tiles_and_masks_the_diagonal_only():
    tiles = cut(64, 64, Rule(), height=8, width=16)
    found = [tile for rows in tiles.blocks() for tile in tiles.visit(rows)]
    assert len(found) == 2 * (1 + 2 + 3 + 4)
    masked = [tile for tile in found if tile.visible is not None]
    assert len(masked) == 8
    assert all(tile.visible.shape == (1, 1, 8, 8) for tile in masked)
    assert all(tile.keys.stop == tile.rows.stop for tile in masked)


def test_a_window_visits_as_many_tiles_wherever_the_query_stands():
    tiles = cut(640, 640, Rule(window=16), height=16, width=16)
    counts = [len(list(tiles.visit(rows))) for rows in tiles.blocks()]
    assert counts == [1] + [2] * 39


def test_heads_see_their_own_part_of_masks_and_biases():
    mask, bias = coins(2, 4, 5, 6, seed=0), normal(1, 4, 5, 6, seed=1)
    whole = cut(5, 6, mask, bias, height=5, width=6)
    part = whole.of_heads(slice(1, 3))
    (tile,) = part.visit(slice(0, 5))
    assert torch.equal(tile.visible, mask[:, 1:3])
    assert torch.equal(tile.bias, bias[:, 1:3])
    shared = cut(5, 6, mask[:, :1], lambda q, k: bias[0]).of_heads(slice(2, 4))
    assert torch.equal(shared.bias_of(slice(0, 3), slice(0, 6)), bias[:, 2:4])
    assert shared.mask.shape[1] == 1


@pytest.mark.parametrize("shape", [(1, 1, 1, 6), (2, 1, 5, 1), (1, 1, 1, 1)])
def test_axes_that_broadcast_stay_short_in_a_tile(shape):
    bias = normal(*shape, seed=0)
    part = cut(5, 6, None, bias).bias_of(slice(1, 3), slice(2, 6))
    assert part.shape == (shape[0], 1, min(shape[2], 2), min(shape[3], 4))
