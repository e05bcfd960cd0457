"""Heads that share keys and values are repeated in adjacent positions, or refused."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.heads import check_divides, repeat_heads
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal


@given(seed=SEEDS, g=AWKWARD_SIZES, times=AWKWARD_SIZES, k=st.integers(0, 3))
def test_query_head_i_finds_key_head_i_over_the_size_of_a_group(seed, g, times, k):
    x = normal(2, g, k, 3, seed=seed)
    repeated = repeat_heads(x, g * times)
    for head in range(g * times):
        assert repeated[:, head].equal(x[:, head // times])


def test_as_many_heads_as_there_are_stay_as_they_are():
    x = normal(0, 3, 2, 1, seed=0)
    assert repeat_heads(x, 3).shape == (0, 3, 2, 1)


def test_gradients_of_a_group_are_summed():
    x = torch.ones(1, 2, 1, 1, requires_grad=True)
    (repeat_heads(x, 6).flatten() * torch.arange(6.0)).sum().backward()
    assert x.grad.flatten().tolist() == [0 + 1 + 2, 3 + 4 + 5]


def test_a_number_that_divides_passes():
    check_divides("d_model", 12, "n_heads", 4)


@pytest.mark.parametrize(
    ("whole", "part", "words"),
    [
        (12, 5, r"d_model=12 is not divisible by n_heads=5: use one of \[1, 2, 3, 4, 6, 12\]"),
        (0, 5, "d_model=0, n_heads=5: both must be at least 1"),
        (4, 0, "n_heads=0"),
        (4, -2, "n_heads=-2: both must be at least 1"),
    ],
)
def test_a_number_that_does_not_is_refused_with_those_that_do(whole, part, words):
    with pytest.raises(ValueError, match=words):
        check_divides("d_model", whole, "n_heads", part)
