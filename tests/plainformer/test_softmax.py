"""Softmax: compared with PyTorch in float64, at the limits of floating point, and its laws."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer import masks, softmax
from tests.plainformer.tensors import SEEDS, coins, normal

HALVES = [torch.float16, torch.bfloat16]


@given(seed=SEEDS, k=st.integers(1, 40), size=st.sampled_from([1e-300, 1e-3, 1.0, 30.0, 1e4]))
def test_softmax_equals_pytorch_in_float64(seed, k, size):
    scores = normal(3, k, seed=seed) * size
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, dim=-1), rtol=1e-13, atol=0)


@given(seed=SEEDS)
def test_rows_sum_to_one_over_the_keys(seed):
    weights = softmax(normal(2, 3, 4, 5, seed=seed))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 4, dtype=torch.float64))


@given(seed=SEEDS, shift=st.floats(-1e6, 1e6))
def test_a_constant_added_to_a_row_changes_nothing(seed, shift):
    scores = normal(4, 6, seed=seed)
    torch.testing.assert_close(softmax(scores + shift), softmax(scores), rtol=1e-8, atol=1e-9)


@given(seed=SEEDS)
def test_each_row_has_its_own_largest_score(seed):
    scores = normal(2, 5, seed=seed)
    scores[1] -= 2000  # with one maximum for the whole matrix this row would underflow to 0
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, dim=-1))


def test_huge_scores_do_not_overflow():
    assert softmax(torch.tensor([1e4, 1e4, -1e4])).tolist() == [0.5, 0.5, 0.0]


@given(seed=SEEDS)
def test_a_masked_key_gets_exactly_zero_and_the_rest_is_as_if_it_were_absent(seed):
    scores, mask = normal(4, 7, seed=seed), coins(4, 7, seed=seed)
    weights = softmax(scores, mask)
    assert (weights[~mask] == 0).all()
    for row, allowed, got in zip(scores, mask, weights, strict=True):
        torch.testing.assert_close(got[allowed], torch.softmax(row[allowed], dim=-1))


def test_a_row_that_may_look_nowhere_gets_zeros_and_its_gradient_too():
    scores = normal(2, 3, seed=0).requires_grad_()
    weights = softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
    assert weights[1].tolist() == [0, 0, 0]
    (weights**2).sum().backward()
    assert scores.grad.isfinite().all()
    assert scores.grad[1].tolist() == [0, 0, 0]
    assert scores.grad[0, 2] == 0


def test_scores_that_already_hold_minus_infinity_count_as_masked():
    scores = torch.tensor([[0.0, -torch.inf], [-torch.inf, -torch.inf]])
    assert softmax(scores).tolist() == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 0, 4), (1, 1)])
def test_empty_axes_keep_their_shape(shape):
    assert softmax(torch.zeros(shape)).shape == shape


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALVES])
def test_dtype_of_the_scores_is_kept(dtype):
    assert softmax(torch.zeros(2, 3, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("dtype", HALVES)
def test_half_precision_errs_at_most_twice_what_pytorch_errs(dtype):
    scores = normal(8, 4000, seed=1, dtype=dtype)
    truth = torch.softmax(scores.double(), dim=-1)
    ours = (softmax(scores).double() - truth).abs().max()
    theirs = (torch.softmax(scores, dim=-1).double() - truth).abs().max()
    assert ours <= 2 * theirs


def test_nan_is_not_hidden():
    assert softmax(torch.tensor([0.0, torch.nan])).isnan().all()


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_first_and_second_agree_with_finite_differences(masked):
    scores = normal(3, 4, seed=2).requires_grad_()
    mask = masks.causal(3, 4) if masked else None
    assert torch.autograd.gradcheck(lambda s: softmax(s, mask), scores)
    assert torch.autograd.gradgradcheck(lambda s: softmax(s, mask), scores)


def test_scores_are_not_changed_in_place():
    scores = normal(2, 3, seed=3)
    before = scores.clone()
    softmax(scores, torch.zeros(2, 3, dtype=torch.bool))
    assert scores.equal(before)


def test_an_unfit_mask_is_refused():
    with pytest.raises(ValueError, match=r"expected torch\.bool"):
        softmax(torch.zeros(2, 3), torch.ones(2, 3))
    with pytest.raises(ValueError, match="does not broadcast"):
        softmax(torch.zeros(2, 3), torch.ones(3, 2, dtype=torch.bool))
