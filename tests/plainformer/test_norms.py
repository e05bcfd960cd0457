"""Norms: values and gradients compared with PyTorch's, and their invariances."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.autograd import gradcheck, gradgradcheck

from plainformer.norms import LayerNorm, RMSNorm, layer_norm, rms_norm
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal

SHAPES = st.sampled_from([(), (1,), (0,), (2, 3), (2, 0, 3), (2, 3, 4)])


def pairs(width, eps):
    """Build the package's and PyTorch's norms with the same random weights."""
    ours = [LayerNorm(width, eps=eps), LayerNorm(width, eps=eps, bias=False)]
    theirs = [nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps, bias=False)]
    ours, theirs = [*ours, RMSNorm(width, eps=eps)], [*theirs, nn.RMSNorm(width, eps=eps)]
    for ours_, theirs_ in zip(ours, theirs, strict=True):
        for i, parameter in enumerate(ours_.parameters()):
            parameter.data = normal(width, seed=i)
        theirs_.double().load_state_dict(ours_.state_dict())
    return zip(ours, theirs, strict=True)


def in_words(norm, eps):
    """Apply the function that defines a module's computation."""
    if isinstance(norm, LayerNorm):
        return lambda x: layer_norm(x, norm.weight, norm.bias, eps=eps)
    return lambda x: rms_norm(x, norm.weight, eps=eps)


@given(
    seed=SEEDS,
    shape=SHAPES,
    width=AWKWARD_SIZES,
    eps=st.sampled_from([1e-5, 1e-12, 0.1]),
    size=st.sampled_from([1.0, 1e6, 1e-6, 1e-160]),
)
def test_values_and_gradients_of_modules_and_functions_equal_pytorchs(
    seed, shape, width, eps, size
):
    x, out = normal(*shape, width, seed=seed) * size, normal(*shape, width, seed=seed + 1)
    for ours, theirs in pairs(width, eps):
        found = []
        for norm in (theirs, ours, in_words(ours, eps)):
            given_x = x.clone().requires_grad_()
            y = norm(given_x)
            weights = (ours if norm is not theirs else theirs).parameters()
            found.append([y, *torch.autograd.grad(y, [given_x, *weights], out)])
        for mine in found[1:]:
            torch.testing.assert_close(mine, found[0], rtol=1e-7, atol=1e-7 * max(1, 1e-8 / size))


@given(seed=SEEDS, shift=st.floats(-10, 10), scale=st.floats(0.5, 100))
def test_layer_norm_ignores_shift_and_scale_and_rms_norm_scale_alone(seed, shift, scale):
    x = normal(3, 5, seed=seed)
    layer, rms = LayerNorm(5, eps=0.0).double(), RMSNorm(5, eps=0.0).double()
    torch.testing.assert_close(layer(scale * x + shift), layer(x), rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(rms(scale * x), rms(x))
    assert not rms(x + 1).isclose(rms(x)).all()


@given(seed=SEEDS)
def test_what_comes_out_has_the_mean_and_size_promised(seed):
    x = normal(4, 7, seed=seed) * 3 + 2
    y = LayerNorm(7, eps=0.0).double()(x)
    torch.testing.assert_close(y.mean(-1), torch.zeros(4).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(y.var(-1, unbiased=False), torch.ones(4).double())
    mean_square = RMSNorm(7, eps=0.0).double()(x).square().mean(-1)
    torch.testing.assert_close(mean_square, torch.ones(4).double())


def test_constant_and_zero_vectors_give_no_division_by_zero():
    for x in (torch.zeros(2, 4), torch.full((2, 4), 7.0)):
        assert (LayerNorm(4)(x) == 0).all()
    assert (RMSNorm(4)(torch.zeros(2, 4)) == 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_low_precision_errs_at_most_twice_what_pytorch_errs(dtype):
    x = (normal(50, 64, seed=0) * 20 + 100).to(dtype)
    for ours, theirs in pairs(64, 1e-5):
        truth = theirs(x.double())
        ours, theirs = ours.to(dtype), theirs.to(dtype)
        outs = [norm(x) for norm in (theirs, ours, in_words(ours, 1e-5))]
        errors = [(out.double() - truth).abs().mean() for out in outs]
        assert {out.dtype for out in outs} == {dtype}
        assert max(errors) <= 2 * errors[0]


@pytest.mark.parametrize("norm", [LayerNorm(8), RMSNorm(8)])
def test_half_precision_under_weights_of_full_precision_stays_half(norm):
    x = normal(3, 8, seed=0).bfloat16()
    assert norm(x).dtype == torch.bfloat16
    with torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(norm(x).float(), norm(x.float()), rtol=0.01, atol=0.01)


@pytest.mark.parametrize("norm", [LayerNorm(3), LayerNorm(3, bias=False), RMSNorm(3)])
def test_gradients_of_first_and_second_order_are_right(norm):
    x = normal(2, 3, seed=0).requires_grad_()
    assert gradcheck(norm.double(), (x,))
    assert gradgradcheck(norm, (x,))


def test_they_begin_by_changing_nothing_more_and_have_the_parameters_they_say():
    assert [n for n, _ in LayerNorm(3).named_parameters()] == ["weight", "bias"]
    assert [n for n, _ in LayerNorm(3, bias=False).named_parameters()] == ["weight"]
    assert [n for n, _ in RMSNorm(3).named_parameters()] == ["weight"]


@pytest.mark.parametrize("norm", [LayerNorm, RMSNorm])
def test_a_width_below_one_is_named(norm):
    with pytest.raises(ValueError, match="width=0: a width is at least 1"):
        norm(0)
