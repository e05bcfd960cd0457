"""``attend`` and ``attention_weights``: compared with PyTorch in float64, and their laws."""

import jaxtyping
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given

from plainformer import Additive, attend, attention_weights, cosine, dot, masks
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, coins, normal, qkv


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES, d=AWKWARD_SIZES, e=AWKWARD_SIZES)
def test_attend_equals_pytorch_in_float64(seed, q, k, d, e):
    query, key, value = qkv(q=q, k=k, d=d, e=e, seed=seed)
    theirs = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(attend(query, key, value), theirs, rtol=1e-10, atol=1e-12)


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES)
def test_attend_under_any_mask_equals_pytorch(seed, q, k):
    query, key, value = qkv(q=q, k=k, seed=seed)
    mask = coins(2, 1, q, k, seed=seed)
    mask[..., 0] = True  # a different test covers PyTorch's rows without visible keys
    theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(attend(query, key, value, mask), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (2, 3, 4)])
def test_any_number_of_leading_axes_will_do(shape):
    query, key = normal(*shape, 4, 7, seed=0), normal(*shape, 5, 7, seed=1)
    value = normal(*shape, 5, 6, seed=2)
    theirs = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(attend(query, key, value), theirs)


@given(seed=SEEDS)
def test_future_keys_and_values_cannot_move_an_earlier_output(seed):
    query, key, value = qkv(q=6, k=6, seed=seed)
    before = attend(query, key, value, masks.causal(6))
    key[:, :, 4:], value[:, :, 4:] = 1e3, -1e3
    after = attend(query, key, value, masks.causal(6))
    assert after[:, :, :4].equal(before[:, :, :4])
    assert not after[:, :, 4:].isclose(before[:, :, 4:]).any()


@given(seed=SEEDS)
def test_one_causal_pass_equals_one_pass_for_each_prefix(seed):
    query, key, value = qkv(q=5, k=5, seed=seed)
    whole = attend(query, key, value, masks.causal(5))
    for t in range(1, 6):
        step = attend(query[:, :, t - 1 : t], key[:, :, :t], value[:, :, :t])
        torch.testing.assert_close(whole[:, :, t - 1 : t], step, rtol=1e-12, atol=1e-14)


@given(seed=SEEDS)
def test_the_last_queries_alone_give_the_last_rows(seed):
    query, key, value = qkv(q=5, k=5, seed=seed)
    whole = attend(query, key, value, masks.causal(5))
    tail = attend(query[:, :, 3:], key, value, masks.causal(2, 5))
    torch.testing.assert_close(whole[:, :, 3:], tail, rtol=1e-12, atol=1e-14)


@given(seed=SEEDS)
def test_padding_changes_nothing(seed):
    query, key, value = qkv(b=1, q=4, k=4, seed=seed)
    more = normal(1, 3, 2, 7, seed=seed + 5), normal(1, 3, 2, 6, seed=seed + 6)
    padded = torch.cat([key, more[0]], 2), torch.cat([value, more[1]], 2)
    mask = masks.padding(torch.tensor([4]), k=6)
    torch.testing.assert_close(attend(query, *padded, mask), attend(query, key, value))


@given(seed=SEEDS)
def test_shuffling_queries_shuffles_outputs_and_shuffling_keys_changes_nothing(seed):
    query, key, value = qkv(q=5, k=6, seed=seed)
    rows, columns = torch.randperm(5), torch.randperm(6)
    plain = attend(query, key, value)
    shuffled = attend(query[:, :, rows], key[:, :, columns], value[:, :, columns])
    torch.testing.assert_close(shuffled, plain[:, :, rows])


@given(seed=SEEDS)
def test_an_output_stays_within_the_range_of_the_values(seed):
    query, key, value = qkv(seed=seed)
    out = attend(query * 30, key, value)
    low, high = value.amin(-2, keepdim=True), value.amax(-2, keepdim=True)
    assert ((low - 1e-12 <= out) & (out <= high + 1e-12)).all()


@given(seed=SEEDS)
def test_identical_keys_share_the_weight_equally_among_those_allowed(seed):
    query, key = normal(4, 3, seed=seed), normal(1, 3, seed=seed + 1).expand(4, 3)
    weights = attention_weights(query, key, masks.causal(4))
    expected = torch.ones(4, 4).tril().double() / torch.arange(1, 5)[:, None]
    torch.testing.assert_close(weights, expected)


def test_one_key_far_closer_than_the_others_takes_the_weight():
    key = torch.eye(5, dtype=torch.float64)
    weights = attention_weights(key[2:3] * 100, key)
    assert weights[0, 2] > 0.999


def test_a_query_that_may_look_nowhere_gets_zeros():
    query, key, value = qkv(q=3, k=2)
    out = attend(query, key, value, masks.causal(3, 2))
    assert (out[:, :, 0] == 0).all()
    assert out.isfinite().all()
    assert attend(query, key[:, :, :0], value[:, :, :0]).equal(torch.zeros(2, 3, 3, 6).double())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_low_precision_errs_at_most_twice_what_pytorch_errs(dtype):
    inputs = [x.to(dtype) for x in qkv(h=4, q=64, k=64, d=32, e=32)]
    mask = masks.causal(64)
    truth = attend(*(x.double() for x in inputs), mask)
    ours = attend(*inputs, mask)
    theirs = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
    assert ours.dtype == dtype
    error, allowed = (x.double().sub(truth).abs().mean() for x in (ours, theirs))
    assert error <= 2 * allowed


@pytest.mark.parametrize("score", [dot, cosine])
def test_the_score_is_an_argument(score):
    query, key, value = qkv()
    expected = torch.softmax(score(query, key), -1) @ value
    torch.testing.assert_close(attend(query, key, value, score=score), expected)


def test_a_score_may_have_parameters_of_its_own():
    score = Additive(query_width=7, key_width=7, hidden_width=3).double()
    query, key, value = qkv()
    expected = torch.softmax(score(query, key), -1) @ value
    torch.testing.assert_close(attend(query, key, value, score=score), expected)


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_first_and_second_agree_with_finite_differences(masked):
    inputs = [x.requires_grad_() for x in qkv(b=1, h=1, q=3, k=2, d=2, e=2)]
    mask = masks.causal(3, 2) if masked else None
    assert torch.autograd.gradcheck(lambda *x: attend(*x, mask), inputs)
    assert torch.autograd.gradgradcheck(lambda *x: attend(*x, mask), inputs)


def test_a_wrong_shape_is_refused_naming_its_axes():
    query, key, value = qkv()
    with pytest.raises(jaxtyping.TypeCheckError, match=r"\*batch k d"):
        attend(query, key[..., :-1], value)
    with pytest.raises(jaxtyping.TypeCheckError, match=r"\*batch k e"):
        attend(query, key, value[:, :, :-1])


def test_a_mask_in_the_wrong_polarity_or_type_is_refused():
    query, key, value = qkv(q=4, k=4)
    with pytest.raises(ValueError, match="pass ~mask"):
        attend(query, key, value, ~masks.causal(4))
    with pytest.raises(ValueError, match="mask == 0"):
        attend(query, key, value, masks.additive(masks.causal(4)))
