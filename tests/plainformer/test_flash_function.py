"""Autograd through tiles: gradcheck, half precision, autocast, refusals."""

import pytest
import torch
from torch import nn

from plainformer import cosine, flash
from plainformer.attention import attend_heads
from plainformer.flash import attend_in_tiles, function
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi
from plainformer.sdpa import sdpa
from tests.plainformer.tensors import normal


@pytest.fixture(autouse=True, scope="module")
def _small_tiles():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, "tile_size", lambda q: (16, 32))
        yield


def heads(q, k, *, h=4, g=2, d=8, dtype=torch.float64):
    shapes = [(2, h, q, d), (2, g, k, d), (2, g, k, d)]
    return [normal(*shape, seed=i, dtype=dtype).requires_grad_() for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_gradcheck_passes_calm_and_sharp(scale, monkeypatch):
    monkeypatch.setattr(function, "tile_size", lambda q: (2, 2))
    inputs = [x[:1].detach().requires_grad_() for x in heads(3, 4, h=2, g=1, d=2)]
    bias = normal(2, 3, 4, seed=5).requires_grad_()

    def plain(query, key, value):
        return attend_in_tiles(query * scale, key, value, Rule(window=3))

    def added(query, key, value, bias):
        return attend_in_tiles(query, key, value, Rule(), bias=bias)

    assert torch.autograd.gradcheck(plain, inputs)
    assert torch.autograd.gradcheck(added, [*inputs, bias])


def test_a_second_derivative_is_refused():
    query, *others = heads(4, 4)
    out = attend_in_tiles(query, *others).sum()
    with pytest.raises(ValueError, match=r"cannot be differentiated twice.*attend_heads"):
        torch.autograd.grad(out, query, create_graph=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("size", [1.0, 20.0])
@pytest.mark.parametrize("bias", [None, Alibi(4)])
def test_errors_are_at_most_twice_those_of_plain_code_of_the_same_precision(dtype, size, bias):
    exact = heads(70, 90, d=16)
    exact[0] = (exact[0] * size).detach().requires_grad_()
    rounded = [x.detach().to(dtype).requires_grad_() for x in exact]
    exact = [x.detach().double().requires_grad_() for x in rounded]
    weight = normal(2, 4, 70, 16, seed=7).to(dtype)

    def run(f, inputs):
        out = f(*inputs, Rule(), bias=bias)
        return [out, *torch.autograd.grad(out, inputs, weight.to(out.dtype))]

    expected, plain = run(attend_heads, exact), run(attend_heads, rounded)
    ours = run(attend_in_tiles, rounded)
    for name, mine, theirs, true in zip("oqkv", ours, plain, expected, strict=True):
        assert mine.dtype == dtype
        error, allowed = ((x.double() - true).norm() for x in (mine, theirs))
        assert error <= 2 * allowed, name


def test_autocast_casts_as_it_does_for_pytorchs_kernel():
    inputs = [x.float() for x in heads(20, 20)]
    inputs[1] = inputs[1].bfloat16()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        ours, theirs = (f(*inputs, Rule()) for f in (attend_in_tiles, sdpa))
    assert ours.dtype == theirs.dtype == torch.bfloat16
    torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)


def test_gradients_are_made_only_where_they_are_wanted():
    query, key, value = (x.detach() for x in heads(5, 5))
    assert not attend_in_tiles(query, key, value).requires_grad
    key.requires_grad_()
    attend_in_tiles(query, key, value, bias=torch.zeros(5, 5)).sum().backward()
    assert query.grad is None
    assert key.grad is not None


class Slope(nn.Module):
    """A bias of two parameters, of which one may be frozen and one is unused."""

    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(0.3, dtype=torch.float64))
        self.frozen = nn.Parameter(torch.tensor(0.1, dtype=torch.float64), requires_grad=False)
        self.unused = nn.Parameter(torch.zeros(3))

    def forward(self, q, k):
        return (self.slope + self.frozen) * (k[None, None, :] - q[None, :, None]).abs()


def test_a_bias_that_learns_gets_its_gradient_frozen_and_unused_parameters_none():
    inputs, slope = heads(40, 40), Slope()
    gradients = []
    for f in (attend_in_tiles, attend_heads):
        slope.zero_grad()
        f(*inputs, Rule(), bias=slope).square().sum().backward()
        gradients.append(slope.slope.grad.clone())
        assert slope.frozen.grad is None
        assert slope.unused.grad is None or not slope.unused.grad.any()
    torch.testing.assert_close(*gradients)


def test_a_function_that_learns_and_is_no_module_is_refused():
    slope = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match=r"no nn.Module.*attend_heads or plainformer.sdpa"):
        attend_in_tiles(*heads(3, 3), bias=lambda q, k: slope * (k[None, None] - q[None, :, None]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda q, k, v: (q[0], k, v), r"\(4, 5, 8\).*four axes"),
        (lambda q, k, v: (q[..., :3], k, v), "same b, g, k and d"),
        (lambda q, k, v: (q, k, v[:, :, 1:]), "same b, g, k and d"),
        (lambda q, k, v: (q[:, :3], k, v), "n_heads=3 is not divisible by the number of key"),
        (lambda q, k, v: (q.float(), k, v), r"dtypes.*float32.*key.to"),
        (lambda q, k, v: (q.long(), k.long(), v.long()), "floating point"),
    ],
)
def test_inputs_that_do_not_belong_together_are_refused(change, words):
    from plainformer.heads import check_inputs

    with pytest.raises(ValueError, match=words):
        check_inputs(*change(*heads(5, 5)))


def test_unfit_masks_biases_and_scores_are_refused_with_the_way_out():
    inputs = heads(5, 6)
    with pytest.raises(ValueError, match="does not broadcast to scores"):
        flash.attend(*inputs, torch.ones(2, 6, dtype=torch.bool))
    with pytest.raises(ValueError, match="mask has dtype"):
        flash.attend(*inputs, torch.ones(5, 6))
    with pytest.raises(ValueError, match=r"bias of shape \(3, 5, 6\) does not broadcast"):
        flash.attend(*inputs, bias=torch.zeros(3, 5, 6))
    with pytest.raises(ValueError, match=r"bias of shape \(3, 1, 1\) does not broadcast"):
        flash.attend(*inputs, bias=Alibi(3))
    with pytest.raises(ValueError, match="scaled_dot and dot only"):
        flash.attend(*inputs, score=cosine)
