"""Masks: polarity, alignment, shapes, errors."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer import masks

LENGTHS = st.integers(0, 8)


@given(q=LENGTHS, k=LENGTHS)
def test_causal_shows_own_and_earlier_positions_aligned_bottom_right(q, k):
    mask = masks.causal(q, k)
    assert mask.shape == (q, k)
    for i in range(q):
        for j in range(k):
            assert mask[i, j] == (j <= i + k - q)


def test_causal_of_one_length_is_square_and_shows_the_own_position():
    assert masks.causal(4).equal(torch.ones(4, 4).tril().bool())


def test_last_query_of_a_causal_mask_sees_every_key():
    for q, k in [(1, 1), (1, 5), (3, 5), (5, 3)]:
        assert masks.causal(q, k)[-1].all()


@given(q=LENGTHS, k=LENGTHS, window=st.integers(1, 9))
def test_sliding_window_shows_the_last_positions_only(q, k, window):
    mask = masks.sliding_window(q, k, window=window)
    for i in range(q):
        for j in range(k):
            at = i + k - q
            assert mask[i, j] == (at - window < j <= at)


def test_a_window_as_long_as_the_keys_is_causal():
    assert masks.sliding_window(3, 5, window=5).equal(masks.causal(3, 5))


@given(q=LENGTHS, k=LENGTHS, data=st.data())
def test_prefix_is_open_to_all_and_the_rest_causal(q, k, data):
    p = data.draw(st.integers(0, k))
    mask = masks.prefix(q, k, prefix=p)
    for i in range(q):
        for j in range(k):
            assert mask[i, j] == (j < p or j <= i + k - q)


@given(lengths=st.lists(st.integers(0, 6), min_size=0, max_size=4))
def test_padding_shows_exactly_the_real_tokens(lengths):
    mask = masks.padding(torch.tensor(lengths, dtype=torch.int64), k=6)
    assert mask.shape == (len(lengths), 1, 1, 6)
    for row, n in zip(mask[:, 0, 0], lengths, strict=True):
        assert row.tolist() == [True] * n + [False] * (6 - n)


def test_padding_on_the_left_is_the_flipped_mask():
    left = masks.padding(torch.tensor([2, 3]), k=3).flip(-1)
    assert left[:, 0, 0].tolist() == [[False, True, True], [True, True, True]]


def test_combine_allows_only_what_every_mask_allows():
    causal, pad = masks.causal(3), masks.padding(torch.tensor([1, 3]), k=3)
    both = masks.combine(causal, None, pad)
    assert both.shape == (2, 1, 3, 3)
    assert both.equal(causal & pad)
    assert masks.combine(None, None) is None
    assert masks.combine() is None


def test_additive_is_zero_where_allowed_and_minus_infinity_elsewhere():
    added = masks.additive(masks.causal(2), torch.float16)
    assert added.dtype == torch.float16
    assert added.tolist() == [[0.0, -torch.inf], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: masks.causal(-1), "q=-1"),
        (lambda: masks.causal(2, -3), "k=-3"),
        (lambda: masks.sliding_window(2, window=0), "window=0"),
        (lambda: masks.prefix(2, prefix=3), "prefix=3 is outside 0..2"),
        (lambda: masks.prefix(2, prefix=-1), "prefix=-1"),
        (lambda: masks.padding(torch.tensor([2, 9]), k=4), "contains 9, which is outside 0..4"),
        (lambda: masks.padding(torch.tensor([-1]), k=4), "contains -1"),
    ],
)
def test_impossible_numbers_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_masks_are_made_on_the_device_asked_for():
    for mask in (
        masks.causal(2, device=torch.device("meta")),
        masks.sliding_window(2, window=1, device=torch.device("meta")),
        masks.prefix(2, prefix=1, device=torch.device("meta")),
    ):
        assert mask.device.type == "meta"
