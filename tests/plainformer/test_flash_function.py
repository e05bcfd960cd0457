"""Autograd through tiles: gradcheck, half precision, autocast, refusals, the log-sum-exp."""

import pytest
import torch
from torch import nn

from plainformer import cosine, flash
from plainformer.attention import attend_heads
from plainformer.flash import function
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.online_softmax import merge_outputs
from plainformer.positions import Alibi
from plainformer.scores import scaled_dot
from plainformer.sdpa import check_inputs, sdpa
from tests.plainformer.tensors import coins, normal


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
        return flash.attend(query * scale, key, value, Rule(window=3))

    def added(query, key, value, bias):
        return flash.attend(query, key, value, Rule(), bias=bias)

    assert torch.autograd.gradcheck(plain, inputs)
    assert torch.autograd.gradcheck(added, [*inputs, bias])


def test_a_second_derivative_is_refused():
    query, *others = heads(4, 4)
    out = flash.attend(query, *others).sum()
    with pytest.raises(ValueError, match=r"cannot be differentiated twice.*attend_heads"):
        torch.autograd.grad(out, query, create_graph=True)


def same_precision(query, key):
    return query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5


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

    def plainly(*inputs, bias):
        """Attend with scores of the same precision, which plain code computes in float32."""
        return attend_heads(*inputs, bias=bias, score=same_precision)

    expected, plain = run(attend_heads, exact), run(plainly, rounded)
    ours = run(flash.attend, rounded)
    for name, mine, theirs, true in zip("oqkv", ours, plain, expected, strict=True):
        assert mine.dtype == dtype
        error, allowed = ((x.double() - true).norm() for x in (mine, theirs))
        assert error <= 2 * allowed, name


def test_autocast_casts_as_it_does_for_pytorchs_kernel():
    inputs = [x.float() for x in heads(20, 20)]
    inputs[1] = inputs[1].bfloat16()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        ours, theirs = (f(*inputs, Rule()) for f in (flash.attend, sdpa))
    assert ours.dtype == theirs.dtype == torch.bfloat16
    torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)


def test_gradients_are_made_only_where_they_are_wanted():
    query, key, value = (x.detach() for x in heads(5, 5))
    assert not flash.attend(query, key, value).requires_grad
    key.requires_grad_()
    flash.attend(query, key, value, bias=torch.zeros(5, 5)).sum().backward()
    assert query.grad is None
    assert key.grad is not None


class Slope(nn.Module):
    """A bias with two parameters, one of which may be frozen and one of which is unused."""

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
    for f in (flash.attend, attend_heads):
        slope.zero_grad()
        f(*inputs, Rule(), bias=slope).square().sum().backward()
        gradients.append(slope.slope.grad.clone())
        assert slope.frozen.grad is None
        assert slope.unused.grad is None or not slope.unused.grad.any()
    torch.testing.assert_close(*gradients)


def test_a_function_that_learns_and_is_no_module_is_refused():
    slope = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match=r"no nn.Module.*attend_heads or plainformer.sdpa"):
        flash.attend(*heads(3, 3), bias=lambda q, k: slope * (k[None, None] - q[None, :, None]))


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


def lse_of(query, key, mask, bias=None):
    """Compute all scores in float64, and PyTorch's log-sum-exp of each row."""
    q, k = query.shape[2], key.shape[2]
    mask, bias = written_out(mask, bias, q, k, query.device)
    scores = scaled_dot(query.double(), repeat_heads(key, query.shape[1]).double())
    scores = scores if bias is None else scores + bias
    return torch.logsumexp(scores if mask is None else scores.masked_fill(~mask, -torch.inf), -1)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("mask", [None, Rule(), Rule(window=9), "written"])
@pytest.mark.parametrize("bias", [None, Alibi(4)])
def test_the_log_sum_exp_is_returned_in_float32_or_better(dtype, size, mask, bias):
    query, key, value = (x.detach().to(dtype) for x in heads(70, 50))
    query = query * size
    mask = coins(2, 1, 70, 50, seed=1) if mask == "written" else mask
    output, lse = flash.attend(query, key, value, mask, bias=bias, return_lse=True)
    alone = flash.attend(query, key, value, mask, bias=bias)
    assert torch.equal(output, alone)
    assert lse.dtype == torch.promote_types(dtype, torch.float32)
    exact = lse_of(query, key, mask, bias)
    assert (isinstance(mask, Rule)) == bool((exact == -torch.inf).any())  # q > k: empty rows
    roundings = 8 * torch.finfo(lse.dtype).eps * exact.masked_fill(exact == -torch.inf, 0).abs()
    torch.testing.assert_close(lse.double(), exact, rtol=0, atol=float(roundings.max()))


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("mask", [None, Rule(window=9), "written"])
@pytest.mark.parametrize("bias", [None, "tensor"])
@pytest.mark.parametrize("used", ["both", "lse", "output"])
def test_gradients_flow_through_the_log_sum_exp_and_are_zero_where_nothing_is_seen(
    size, mask, bias, used
):
    inputs = heads(40, 36)  # with a rule, the first four rows are empty
    mask = coins(2, 1, 40, 36, seed=1) if mask == "written" else mask
    bias = None if bias is None else normal(4, 40, 36, seed=3).requires_grad_()
    inputs[0] = (inputs[0] * size).detach().requires_grad_()
    sources = inputs if bias is None else [*inputs, bias]
    upstream = [normal(2, 4, 40, 8, seed=8), normal(2, 4, 40, seed=9)]
    plain = attend_heads(*inputs, mask, bias=bias), lse_of(*inputs[:2], mask, bias)
    ours = flash.attend(*inputs, mask, bias=bias, return_lse=True)
    wanted = {"both": slice(0, 2), "lse": slice(1, 2), "output": slice(0, 1)}[used]
    mine, theirs = (
        torch.autograd.grad(f[wanted], sources, upstream[wanted], allow_unused=True)
        for f in (ours, plain)
    )
    for a, b in zip(mine, theirs, strict=True):
        expected = torch.zeros_like(a) if b is None else b
        torch.testing.assert_close(a, expected, rtol=1e-8, atol=1e-9)


def test_gradcheck_passes_through_the_log_sum_exp(monkeypatch):
    monkeypatch.setattr(function, "tile_size", lambda q: (2, 2))
    inputs = [x[:1].detach().requires_grad_() for x in heads(3, 4, h=2, g=1, d=2)]
    assert torch.autograd.gradcheck(lambda *x: flash.attend(*x, Rule(), return_lse=True), inputs)


@pytest.mark.parametrize("cut", [1, 20, 39])
def test_outputs_over_two_parts_of_the_keys_merge_by_their_log_sum_exps(cut):
    query, key, value = heads(40, 40)
    mask = coins(2, 4, 40, 40, seed=5)
    parts = [
        flash.attend(query, key[:, :, s], value[:, :, s], mask[..., s], return_lse=True)
        for s in (slice(0, cut), slice(cut, 40))
    ]
    merged = merge_outputs(*(torch.stack(x) for x in zip(*parts, strict=True)))
    whole = flash.attend(query, key, value, mask, return_lse=True)
    torch.testing.assert_close(merged, whole, rtol=1e-10, atol=1e-12)
    mine, theirs = (torch.autograd.grad(x[0].sum(), [query, key, value]) for x in (merged, whole))
    torch.testing.assert_close(mine, theirs, rtol=1e-8, atol=1e-10)
