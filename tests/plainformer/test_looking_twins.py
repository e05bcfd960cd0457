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


def test_nothing_moves_more_at_any_corner_of_what_is_allowed():
    for seed in range(8):
        weights, value = softmax(4 * normal(7, seed=seed)), normal(7, 2, seed=seed + 100)
        best = other_weights(weights, value, towards=3)
        held = torch.cat([value.T, torch.ones(1, 7).double()])
        for free in torch.combinations(torch.arange(7), 3):  # the corners of the allowed region
            corner = torch.zeros(7).double()
            corner[free] = torch.linalg.solve(held[:, free], held @ weights)
            assert (corner < -1e-9).any() or corner[3] <= best[3] + 1e-8


def test_two_copies_of_a_value_can_take_each_others_whole_weight():
    value = normal(3, 5, seed=1)[[0, 1, 0, 2]]
    weights = torch.tensor([0.97, 0.01, 0.01, 0.01]).double()
    far = other_weights(weights, value, towards=2)
    torch.testing.assert_close(far, torch.tensor([0, 0.01, 0.98, 0.01]).double())


def test_with_independent_values_nothing_can_move():
    weights, value = softmax(normal(3, seed=0)), normal(3, 5, seed=1)
    torch.testing.assert_close(other_weights(weights, value, towards=1), weights)


def test_a_key_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="towards=3: expected a key from 0 to 2"):
        other_weights(softmax(normal(3, seed=0)), normal(3, 2, seed=1), towards=3)
