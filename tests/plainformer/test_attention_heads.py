"""attend_heads: heads in groups, rules and biases as tensors, first and second gradients."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck, gradgradcheck

from plainformer import attend, masks
from plainformer.attention import attend_heads
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal


def heads(q, k, *, b=2, g=2, d=5, e=3, seed=0, dtype=torch.float64):
    sizes = [(b, 4, q, d), (b, g, k, d), (b, g, k, e)]
    return [normal(*size, seed=seed + i, dtype=dtype) for i, size in enumerate(sizes)]


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES, d=AWKWARD_SIZES, g=st.sampled_from([1, 2, 4]))
def test_groups_equal_pytorchs_grouped_kernel(seed, q, k, d, g):
    inputs = heads(q, k, g=g, d=d, seed=seed)
    expected = F.scaled_dot_product_attention(*inputs, enable_gqa=True)
    torch.testing.assert_close(attend_heads(*inputs), expected, rtol=1e-10, atol=1e-12)


@given(seed=SEEDS, q=AWKWARD_SIZES, k=AWKWARD_SIZES, g=st.sampled_from([1, 2]))
def test_shared_heads_equal_repeated_ones(seed, q, k, g):
    query, key, value = heads(q, k, g=g, seed=seed)
    full = attend(query, repeat_heads(key, 4), repeat_heads(value, 4), masks.causal(q, k))
    assert attend_heads(query, key, value, Rule()).equal(full)


@pytest.mark.parametrize("rule", [None, Rule(), Rule(window=1, sinks=1)])
@pytest.mark.parametrize("added", [None, "tensor"])
def test_gradients_of_first_and_second_order_are_right(rule, added):
    inputs = [x.requires_grad_() for x in heads(3, 2, b=1, d=2, e=1)]
    if added:
        inputs.append(normal(4, 3, 2, seed=5).requires_grad_())

    def attend_(query, key, value, bias=None):
        return attend_heads(query, key, value, rule, bias=bias)

    assert gradcheck(attend_, inputs)
    assert gradgradcheck(attend_, inputs)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_bias_of_higher_precision_leaves_the_dtype_alone(dtype):
    out = attend_heads(*heads(3, 4, dtype=dtype), Rule(), bias=Alibi(4))
    assert out.dtype == dtype
    exact = attend_heads(*(x.double() for x in heads(3, 4, dtype=dtype)), Rule(), bias=Alibi(4))
    torch.testing.assert_close(out.double(), exact, rtol=0, atol=8 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("times", [0.0, 1e-310, 1e-160, 1e8, 1e150])
def test_huge_and_subnormal_logits_give_finite_outputs_and_gradients(times):
    query, key, value = heads(4, 4)
    query = (query * times).requires_grad_()
    out = attend_heads(query, key, value, Rule())
    out.sum().backward()
    assert out.isfinite().all()
    assert query.grad.isfinite().all()
    if times < 1:  # equal scores: the mean of the visible values
        mean = repeat_heads(value, 4).cumsum(2) / torch.arange(1, 5)[:, None]
        torch.testing.assert_close(out.detach(), mean)


def test_an_empty_batch_no_queries_and_no_keys_work():
    assert attend_heads(*heads(3, 4, b=0), Rule()).shape == (0, 4, 3, 3)
    assert attend_heads(*heads(0, 4), Rule()).shape == (2, 4, 0, 3)
    assert attend_heads(*heads(3, 0), Rule()).equal(torch.zeros(2, 4, 3, 3).double())


def test_heads_that_cannot_be_shared_are_named():
    with pytest.raises(ValueError, match="n_heads=4 is not divisible by the number of key/value"):
        attend_heads(*heads(2, 2, g=3))


@pytest.mark.parametrize(
    ("bias", "words"),
    [
        (torch.zeros(3, 2, 2), r"bias of shape \(3, 2, 2\) does not broadcast.*h=4, q=2, k=2"),
        (torch.zeros(2, 2, 2), r"bias of shape .*becomes bias\[:, None\]"),
        (torch.zeros(2, 2, 2, 2), r"bias of shape .*h=4, q=2, k=2\)[^\[]*$"),  # no index fixes it
        (torch.zeros(1, 1, 1, 1, 1), "does not broadcast"),
        (torch.ones(2, 2).bool(), r"bias has dtype torch\.bool.*Is it the mask"),
        (lambda q, k: torch.zeros(3, 2, 2), "does not broadcast"),
    ],
)
def test_a_bias_that_does_not_fit_is_named(bias, words):
    with pytest.raises(ValueError, match=words):
        attend_heads(*heads(2, 2), bias=bias)
