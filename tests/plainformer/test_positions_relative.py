"""Relative positions: T5's buckets, and a learned bias."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from plainformer.positions import RelativeBias
from plainformer.positions.relative import bucket_of

SHAPES = [(32, 128), (32, 64), (8, 20), (4, 3), (16, 1000), (6, 5)]


@pytest.mark.parametrize(("buckets", "reach"), SHAPES)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_buckets_are_those_of_transformers_t5_at_every_distance(buckets, reach, bidirectional):
    ahead = torch.arange(-1500, 1501)
    ours = bucket_of(ahead, buckets=buckets, max_distance=reach, bidirectional=bidirectional)
    theirs = T5Attention._relative_position_bucket(
        ahead, bidirectional=bidirectional, num_buckets=buckets, max_distance=reach
    )
    assert ours.equal(theirs)


@given(buckets=st.sampled_from([4, 8, 32]), reach=st.integers(17, 300))
def test_buckets_grow_with_distance_and_none_is_skipped_at_the_start(buckets, reach):
    distance = torch.arange(400)
    found = bucket_of(-distance, buckets=buckets, max_distance=reach, bidirectional=False)
    assert (found.diff() >= 0).all()
    assert found[: buckets // 2].equal(distance[: buckets // 2])
    assert (found[distance >= reach] == buckets - 1).all()


def test_keys_ahead_share_nothing_with_keys_behind_or_all_count_as_here():
    ahead = torch.arange(1, 200)
    both = {"buckets": 32, "max_distance": 128}
    assert bucket_of(ahead, bidirectional=True, **both).equal(
        16 + bucket_of(-ahead, bidirectional=True, **both)
    )
    assert (bucket_of(ahead, bidirectional=False, **both) == 0).all()


@pytest.mark.parametrize("decoder", [False, True])
def test_the_bias_equals_transformers_t5(decoder):
    config = T5Config(num_heads=3, d_model=6, d_kv=2, is_decoder=decoder)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).double()
    ours = RelativeBias(3, bidirectional=not decoder).double()
    ours.load_state_dict({"weight": theirs.relative_attention_bias.weight})
    expected = theirs.compute_bias(40, 40)[0]
    assert ours(torch.arange(40), torch.arange(40)).equal(expected)
    assert ours(torch.arange(30, 40), torch.arange(40)).equal(expected[:, 30:])


def test_each_sequence_may_have_positions_of_its_own():
    bias, q, k = RelativeBias(3), torch.tensor([[3, 4], [9, 0]]), torch.tensor([[0, 1], [5, 6]])
    assert bias(q, k).shape == (2, 3, 2, 2)
    for row in range(2):
        assert bias(q, k)[row].equal(bias(q[row], k[row]))


def test_the_bias_learns_and_follows_the_modules_dtype():
    bias = RelativeBias(2, buckets=4, max_distance=4, bidirectional=False)
    bias(torch.arange(3), torch.arange(3)).sum().backward()
    # Distance 0 (and later keys): 6 pairs; 1: 2 pairs; 2: 1 pair; 4 or more: 0 pairs.
    assert bias.weight.grad.tolist() == [[6, 6], [2, 2], [1, 1], [0, 0]]
    assert bias.bfloat16()(torch.arange(2), torch.arange(2)).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"n_heads": 0}, "n_heads=0: expected at least 1"),
        ({"buckets": 7}, "buckets=7, bidirectional=True.*an even number"),
        ({"buckets": 2}, "buckets=2, bidirectional=True: expected at least 2 for each side"),
        ({"buckets": 1, "bidirectional": False}, "buckets=1"),
        ({"max_distance": 8}, "max_distance=8: the first 8 distances have a bucket each"),
    ],
)
def test_what_does_not_fit_is_named(sizes, words):
    with pytest.raises(ValueError, match=words):
        RelativeBias(**{"n_heads": 2, **sizes})
