"""Scores: compared with other computations, their scales and shapes."""

import math

import jaxtyping
import pytest
import torch
from hypothesis import given

from plainformer import Additive, cosine, dot, scaled_dot
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES, d=AWKWARD_SIZES)
def test_dot_is_the_sum_of_products_of_each_pair(seed, q, k, d):
    query, key = normal(2, q, d, seed=seed), normal(2, k, d, seed=seed + 1)
    pairs = (query[:, :, None, :] * key[:, None, :, :]).sum(-1)
    torch.testing.assert_close(dot(query, key), pairs)


@given(seed=SEEDS, d=AWKWARD_SIZES)
def test_scaled_dot_divides_by_the_root_of_the_width(seed, d):
    query, key = normal(3, d, seed=seed), normal(4, d, seed=seed + 1)
    torch.testing.assert_close(scaled_dot(query, key) * math.sqrt(d), dot(query, key))


@pytest.mark.parametrize("d", [1, 3, 64, 513])
def test_scaled_dot_of_standard_normal_vectors_has_variance_one_at_every_width(d):
    query, key = normal(400, d, seed=d), normal(400, d, seed=d + 1)
    assert scaled_dot(query, key).var().item() == pytest.approx(1, abs=0.15)


@given(seed=SEEDS, d=AWKWARD_SIZES)
def test_cosine_equals_pytorch(seed, d):
    query, key = normal(3, d, seed=seed), normal(4, d, seed=seed + 1)
    theirs = torch.cosine_similarity(query[:, None], key[None], dim=-1)
    torch.testing.assert_close(cosine(query, key), theirs)


@given(seed=SEEDS)
def test_cosine_ignores_lengths(seed):
    query, key = normal(3, 5, seed=seed), normal(4, 5, seed=seed + 1)
    torch.testing.assert_close(cosine(query * 1e3, key / 1e3), cosine(query, key))


def test_cosine_of_a_zero_vector_is_zero():
    assert cosine(torch.zeros(1, 3), torch.ones(2, 3)).tolist() == [[0.0, 0.0]]


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES)
def test_additive_equals_one_pair_at_a_time(seed, q, k):
    score = Additive(query_width=3, key_width=5, hidden_width=4).double()
    query, key = normal(2, q, 3, seed=seed), normal(2, k, 5, seed=seed + 1)
    scores = score(query, key)
    assert scores.shape == (2, q, k)
    for b, i, j in [(0, 0, 0), (1, q - 1, k - 1), (1, 0, k - 1)]:
        hidden = torch.tanh(score.query.weight @ query[b, i] + score.key.weight @ key[b, j])
        torch.testing.assert_close(scores[b, i, j], (score.weight.weight @ hidden).squeeze())


def test_additive_has_no_bias_as_in_the_paper():
    names = dict(Additive(query_width=2, key_width=2, hidden_width=2).named_parameters())
    assert set(names) == {"query.weight", "key.weight", "weight.weight"}


@pytest.mark.parametrize("name", ["query_width", "key_width", "hidden_width"])
def test_additive_refuses_a_width_below_one(name):
    widths = {"query_width": 2, "key_width": 2, "hidden_width": 2, name: 0}
    with pytest.raises(ValueError, match=f"{name}=0"):
        Additive(**widths)


@pytest.mark.parametrize("score", [dot, scaled_dot, cosine])
def test_widths_that_differ_are_refused_by_the_axis_that_differs(score):
    with pytest.raises(jaxtyping.TypeCheckError, match="k d"):
        score(torch.zeros(2, 3), torch.zeros(2, 4))


@pytest.mark.parametrize("score", [dot, scaled_dot, cosine])
def test_gradients_agree_with_finite_differences(score):
    query, key = normal(2, 3, seed=0).requires_grad_(), normal(4, 3, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(score, (query, key))
    assert torch.autograd.gradgradcheck(score, (query, key))
