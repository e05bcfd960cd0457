import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer import softmax
from plainformer.looking import other_weights
from tests.plainformer.tensors import SEEDS, normal


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 9), st.integers(1, 5), st.data())
def test_other_weights_are_weights_with_the_same_output(seed, k, e, data):
    towards = data.draw(st.integers(0, k - 1))
    weights, value = softmax(normal(k, seed=seed)), normal(k, e, seed=seed + 1)
    other = other_weights(weights, value, towards=towards)
    assert (other >= 0).all()
    torch.testing.assert_close(other.sum(), weights.sum())
    torch.testing.assert_close(other @ value, weights @ value, rtol=1e-7, atol=1e-9)
    assert other[towards] >= weights[towards] - 1e-12


def test_with_more_keys_than_values_have_components_weight_really_moves():
    weights, value = softmax(normal(6, seed=0)), normal(6, 2, seed=1)
    other = other_weights(weights, value, towards=int(weights.argmin()))
    assert (other - weights).abs().sum() > 0.1
    assert (other < 1e-12).any(), "it walks until a weight is used up"


def test_with_independent_values_nothing_can_move():
    weights, value = softmax(normal(3, seed=0)), normal(3, 5, seed=1)
    torch.testing.assert_close(other_weights(weights, value, towards=1), weights)


def test_a_key_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="towards=3: expected a key from 0 to 2"):
        other_weights(softmax(normal(3, seed=0)), normal(3, 2, seed=1), towards=3)
