"""ALiBi: the published slopes for any number of heads, and its laws."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi
from plainformer.positions.alibi import slopes_of
from tests.plainformer.tensors import SEEDS, normal

# From the authors' code (fairseq_layers/attention_with_linear_biases).
PUBLISHED = {
    1: [2**-8],
    2: [2**-4, 2**-8],
    3: [2**-4, 2**-8, 2**-2],
    4: [2**-2, 2**-4, 2**-6, 2**-8],
    6: [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3],
    8: [2**-i for i in range(1, 9)],
    12: [2**-i for i in range(1, 9)] + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5],
}


@pytest.mark.parametrize("n_heads", PUBLISHED)
def test_slopes_are_the_published_ones(n_heads):
    assert slopes_of(n_heads) == pytest.approx(PUBLISHED[n_heads], rel=1e-12)
    torch.testing.assert_close(Alibi(n_heads).slopes, torch.tensor(PUBLISHED[n_heads]))


@given(n_heads=st.integers(1, 130))
def test_any_number_of_heads_has_that_many_slopes_all_different(n_heads):
    slopes = slopes_of(n_heads)
    assert len(slopes) == len(set(slopes)) == n_heads
    assert all(0 < slope < 1 for slope in slopes)


def test_each_step_of_distance_costs_the_slope_on_either_side():
    bias = Alibi(2)(torch.arange(3), torch.arange(4))
    distance = torch.tensor([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1]])
    assert bias.equal(-torch.stack([2**-4 * distance, 2**-8 * distance]))


def test_each_sequence_may_have_positions_of_its_own():
    q, k = torch.tensor([[3, 4], [9, 0]]), torch.tensor([[0, 1, 2], [5, 5, 6]])
    bias = Alibi(3)(q, k)
    assert bias.shape == (2, 3, 2, 3)
    for row in range(2):
        assert bias[row].equal(Alibi(3)(q[row], k[row]))
    assert Alibi(3)(q, k[0]).shape == (2, 3, 2, 3)


@given(seed=SEEDS, shift=st.integers(0, 10**6))
def test_only_distances_matter_and_the_last_queries_align_with_the_last_keys(seed, shift):
    alibi, q, k = Alibi(3), torch.arange(2, 5), torch.arange(5)
    assert alibi(q + shift, k + shift).equal(alibi(q, k))
    query, key, value = (normal(1, 3, n, 4, seed=seed + n) for n in (3, 5, 5))
    written = attend_heads(query, key, value, Rule(), bias=alibi(q, k))
    assert attend_heads(query, key, value, Rule(), bias=alibi).equal(written)


def test_slopes_are_not_rounded_with_the_weights():
    rounded = Alibi(12).bfloat16()
    assert rounded.slopes.equal(Alibi(12).slopes)
    assert rounded(torch.arange(2), torch.arange(2)).dtype == torch.float32
    assert not rounded.state_dict()


def test_no_heads_are_refused():
    with pytest.raises(ValueError, match="n_heads=0: expected at least 1"):
        Alibi(0)
