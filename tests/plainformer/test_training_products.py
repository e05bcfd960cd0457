"""oneDNN's product equals PyTorch's linear layer, and so do its gradients."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from plainformer.models import Config, Decoder
from plainformer.training import products
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal


@given(n=AWKWARD_SIZES, f=AWKWARD_SIZES, b=st.integers(0, 4), bias=st.booleans(), seed=SEEDS)
def test_the_product_and_its_gradients_are_pytorchs(n, f, b, bias, seed):
    shapes = [(b, 3, n), (f, n), *([(f,)] if bias else [])]
    wide = [normal(*shape, seed=seed + i).requires_grad_() for i, shape in enumerate(shapes)]
    narrow = [x.detach().float().requires_grad_() for x in wide]
    expected, found = F.linear(*wide), products.linear(*narrow)
    torch.testing.assert_close(found, expected.float())
    weights = normal(*expected.shape, seed=seed + 9)
    theirs = torch.autograd.grad(expected, wide, weights)
    ours = torch.autograd.grad(found, narrow, weights.float())
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other.float())


@pytest.mark.skipif(not products.here(), reason="this PyTorch has no oneDNN")
def test_only_float32_on_a_cpu_goes_to_onednn():
    x, weight = torch.ones(2, 3), torch.ones(4, 3)
    assert products.fits(x, weight)
    assert not products.fits(x.double(), weight.double())
    assert not products.fits(x.to("meta"), weight.to("meta"))
    assert not products.fits(x[:0], weight)
    with torch.autocast("cpu", torch.bfloat16):
        assert not products.fits(x, weight)
        assert products.linear(x, weight).dtype == torch.bfloat16


def test_a_model_that_uses_it_computes_the_same_and_keeps_its_names():
    torch.manual_seed(0)
    model = Decoder(Config(vocabulary=7, d_model=8, n_layers=2, n_heads=2, bias=True))
    tokens, names = torch.tensor([[1, 2, 3]]), list(model.state_dict())
    expected = model(tokens)
    with products.used_in(model):
        assert model.output.forward.func is products._forward
        calls = []
        model.output.register_forward_hook(lambda *_: calls.append(1))
        torch.testing.assert_close(model(tokens), expected)
        assert calls == [1]
        assert list(model.state_dict()) == names
    assert not any("forward" in vars(module) for module in model.modules())


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_layers_are_as_they_were_after_an_error_and_keep_a_forward_of_the_users(error):
    model = Decoder(Config(vocabulary=7, d_model=8, n_layers=1, n_heads=2))
    own = model.output.forward = lambda x: x
    with pytest.raises(error), products.used_in(model):
        raise error
    assert [name for name, m in model.named_modules() if "forward" in vars(m)] == ["output"]
    assert model.output.forward is own


def test_frozen_weights_get_no_gradient():
    layer = nn.Linear(3, 2, bias=False).requires_grad_(False)
    x = torch.ones(1, 3, requires_grad=True)
    products.linear(x, layer.weight).sum().backward()
    torch.testing.assert_close(x.grad, layer.weight.sum(0, keepdim=True))
    assert layer.weight.grad is None
