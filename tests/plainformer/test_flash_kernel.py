"""The GPU kernel equals the reference, on a GPU if available, otherwise interpreted."""

import random

import pytest
import torch

from plainformer.attention import attend_heads
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.positions.alibi import Alibi
from plainformer.scores import dot
from tests.plainformer.tensors import normal
from tests.plainformer.triton_interpreter import DEVICE, Interpreter, run

# Interpreted tiles are 16 × 16. A GPU's reach 128: the same laws, on rows ten times as long.
LONGER = 10 if DEVICE == "cuda" else 1
FULL = {"causal": False}


@pytest.fixture(scope="module")
def kernel():
    if DEVICE == "cuda":
        yield run
        return
    with Interpreter() as interpreter:
        yield interpreter.run


def expected(query, key, value, grad, rule, scale, alibi, dtype):
    """Attend with the reference, and return the output and the three gradients."""
    inputs = [x.detach().to(dtype).requires_grad_() for x in (query, key, value)]
    bias = None if alibi is None else (lambda q, k: alibi(q, k).to(dtype))
    mask = None if rule is None else Rule(**rule)
    output = attend_heads(*inputs, mask, score=lambda q, k: dot(q, k) * scale, bias=bias)
    gradients = torch.autograd.grad(output, inputs, grad.to(dtype))
    named = zip(("output", "query", "key", "value"), (output.detach(), *gradients), strict=True)
    return dict(named)


def check(kernel, rule, *, b=1, h=1, g=1, q=20, k=20, d=16, dtype=torch.float32, factor=1.0,
          whole=False, scale=None, sloped=False, seed=0):  # fmt: skip
    """Compare with the reference in float64: the error is at most twice that of the plain code.

    The bound includes the rounding of the largest terms that cancel: a query with one visible key
    has a gradient of 0, which is the difference of two equal sums.
    """
    scale = d**-0.5 if scale is None else scale
    query, grad = (normal(b, h, q * LONGER, d, seed=seed + i).to(dtype) for i in (0, 3))
    key, value = (normal(b, g, k * LONGER, d, seed=seed + i).to(dtype) for i in (1, 2))
    if whole:
        query, key = (2 * query).round(), (2 * key).round()
    query = query * factor
    alibi = Alibi(h) if sloped else None
    call = {"query": query, "key": key, "value": value, "grad": grad, "rule": rule, "scale": scale}
    ours = kernel(**call, slopes=None if alibi is None else alibi.slopes)
    truth = expected(query, key, value, grad, rule, scale, alibi, torch.float64)
    plain = expected(query, key, value, grad, rule, scale, alibi, dtype)
    tops = [float(x.abs().max()) if x.numel() else 0.0 for x in (query, key, value, grad)]
    cancels = abs(scale) * d**0.5 * tops[2] * tops[3]
    units = {"output": tops[2], "value": tops[3], "query": cancels * tops[1]}
    units["key"] = cancels * tops[0]
    for name, exact in truth.items():
        assert ours[name].dtype == dtype
        assert ours[name].shape == exact.shape
        if exact.numel():
            allowed = 2 * float((plain[name].double() - exact).abs().max())
            allowed += 2 * torch.finfo(dtype).eps * units[name]
            assert float((ours[name].double() - exact).abs().max()) <= allowed, name
    return ours


@pytest.mark.parametrize(("q", "k"), [(1, 1), (1, 18), (7, 33), (16, 16), (17, 16), (33, 7)])
def test_causal_attention_of_any_lengths_equals_the_reference(kernel, q, k):
    check(kernel, {}, q=q, k=k, b=2 if q < 9 else 1)


@pytest.mark.parametrize("rule", [None, FULL])
def test_full_attention_equals_the_reference(kernel, rule):
    check(kernel, rule, q=9, k=35)


@pytest.mark.parametrize("d", [1, 3, 40, 64])
def test_any_head_width_equals_the_reference(kernel, d):
    check(kernel, {}, q=18, k=20, d=d)


@pytest.mark.parametrize("rule", [{}, FULL])
@pytest.mark.parametrize("window", [1, 5, 20])
def test_a_window_equals_the_reference(kernel, rule, window):
    check(kernel, {**rule, "window": window * LONGER}, q=18, k=52)


@pytest.mark.parametrize(("h", "g"), [(4, 2), (3, 1)])
def test_shared_key_value_heads_equal_the_reference(kernel, h, g):
    check(kernel, {}, h=h, g=g, q=5, k=18)


@pytest.mark.parametrize("rule", [{}, FULL, {"window": 6}])
def test_alibi_equals_the_reference_in_front_and_behind(kernel, rule):
    check(kernel, rule, h=2, g=1, q=9, k=34, sloped=True)


@pytest.mark.parametrize("rule", [{}, FULL, {"window": 6}])
def test_the_log_sum_exp_and_its_gradient_equal_the_reference(kernel, rule):
    q, k, d = 20 * LONGER, 18 * LONGER, 16
    shapes = {"query": (1, 2, q, d), "key": (1, 1, k, d), "value": (1, 1, k, d)}
    shapes |= {"grad": (1, 2, q, d), "d_lse": (1, 2, q)}
    call = {name: normal(*shapes[name], seed=i).float() for i, name in enumerate(shapes)}
    alibi = Alibi(2)
    ours = kernel(**call, rule=rule, scale=0.25, slopes=alibi.slopes)
    inputs = [call[name].double().requires_grad_() for name in ("query", "key", "value")]
    mask = Rule(**rule).dense(q, k)
    bias = alibi(torch.arange(k - q, k), torch.arange(k))
    scores = dot(inputs[0], repeat_heads(inputs[1], 2)) * 0.25 + bias
    lse = torch.logsumexp(scores.masked_fill(~mask, -torch.inf), -1)
    assert ours["lse"].dtype == torch.float32
    torch.testing.assert_close(ours["lse"].double(), lse, rtol=1e-5, atol=1e-5)
    output = attend_heads(*inputs, Rule(**rule), score=lambda q, k: dot(q, k) * 0.25, bias=alibi)
    upstream = [call["grad"].double(), call["d_lse"].double()]
    gradients = torch.autograd.grad([output, lse], inputs, upstream)
    for name, exact in zip(("query", "key", "value"), gradients, strict=True):
        torch.testing.assert_close(ours[name].double(), exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scale", [1.0, -0.3])
def test_any_scale_equals_the_reference(kernel, scale):
    check(kernel, {}, q=10, k=20, scale=scale)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_errs_no_more_than_twice_the_plain_code(kernel, dtype):
    check(kernel, {}, h=2, q=9, k=35, d=24, dtype=dtype, sloped=True)


@pytest.mark.parametrize("factor", [2.0**13, 1e-30])
def test_huge_and_subnormal_scores_equal_the_reference(kernel, factor):
    """Huge scores are products of whole numbers, so that their sums are exact in any order.

    The backward pass computes the weights from recomputed scores, with keys as rows. A processor
    that adds in a different order then rounds differently. The last bit of a score of 4·10⁴ is
    0.004, so a weight of 1 is recomputed as e^0.0085. This is the precision of float32 and not a
    mistake, so the law is tested on scores without rounding.
    """
    check(kernel, {}, q=18, k=36, factor=factor, whole=factor > 1)


def test_queries_that_see_nothing_get_zeros_and_zero_gradients(kernel):
    ours = check(kernel, {}, q=40, k=3, h=2)
    blind = (40 - 3) * LONGER
    assert not ours["output"][:, :, :blind].any()
    assert not ours["query"][:, :, :blind].any()
    assert ours["query"][:, :, blind + 1 :].any()


@pytest.mark.parametrize(("b", "q", "k"), [(0, 5, 5), (1, 0, 5), (1, 5, 0)])
def test_nothing_at_all_gives_empty_results_or_zeros(kernel, b, q, k):
    check(kernel, {}, b=b, q=q, k=k)


def test_the_order_in_which_axes_lie_in_memory_does_not_matter(kernel):
    """Heads are views of one wide row, and the gradient of a sum is one expanded number."""
    wide = normal(2, 9, 3, 1, 16, seed=4).float()
    query, key, value = (wide[:, :, i].transpose(1, 2) for i in range(3))
    grad = torch.ones(()).expand(2, 1, 9, 16)
    same = {"rule": {}, "scale": 0.25}
    apart = kernel(query=query, key=key, value=value, grad=grad, **same)
    query, key, value = (x.contiguous() for x in (query, key, value))
    together = kernel(query=query, key=key, value=value, grad=grad.contiguous(), **same)
    columns_first = query.transpose(2, 3).contiguous().transpose(2, 3)
    turned = kernel(query=columns_first, key=key, value=value, grad=grad, **same)
    for name, x in together.items():
        assert torch.equal(apart[name], x)
        assert torch.equal(turned[name], x)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_any_combination_equals_the_reference(kernel, seed):
    pick = random.Random(seed).choice
    window = pick([None, 1, 3, 17, 40])
    h, g = pick([(1, 1), (4, 2), (6, 1)])
    q, k, d = pick([1, 15, 33, 50]), pick([1, 16, 31, 64]), pick([1, 5, 16, 33, 80, 128])
    dtype = pick([torch.float32, torch.float16, torch.bfloat16])
    rule = {"causal": pick([True, False]), "window": window}
    check(kernel, rule, h=h, g=g, q=q, k=k, d=d, dtype=dtype, sloped=pick([True, False]), seed=seed)
