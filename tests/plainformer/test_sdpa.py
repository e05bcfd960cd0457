"""PyTorch's kernel with this package's signature equals the plain back end for all inputs."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from plainformer import cosine, masks
from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi, RelativeBias
from plainformer.scores import dot, scaled_dot
from plainformer.sdpa import sdpa
from tests.plainformer.tensors import SEEDS, coins, normal

SIZES = [(1, 1), (3, 3), (2, 5), (5, 2), (1, 6), (6, 1), (0, 3), (3, 0)]
MASKS = {
    "none": lambda q, k: None,
    "coins": lambda q, k: coins(2, 4, q, k, seed=q + 10 * k),
    "causal": lambda q, k: masks.causal(q, k),
    "nothing": lambda q, k: torch.zeros(2, 1, q, k, dtype=torch.bool),
    "rule causal": lambda q, k: Rule(),
    "rule window": lambda q, k: Rule(window=2, sinks=1),
    "rule prefix": lambda q, k: Rule(prefix=2),
    "rule all": lambda q, k: Rule(causal=False),
    "rule right": lambda q, k: Rule(lengths=torch.tensor([0, 2])),
    "rule left": lambda q, k: Rule(starts=torch.tensor([3, 0])),
    "rule full": lambda q, k: Rule(causal=False, starts=torch.tensor([0, 0])),
}
BIASES = {
    "none": lambda q, k: None,
    "one row": lambda q, k: normal(q, k, seed=3),
    "heads": lambda q, k: normal(4, q, k, seed=4),
    "sequences": lambda q, k: normal(2, 1, q, k, seed=5),
    "alibi": lambda q, k: Alibi(4),
}


def heads(q, k, *, g=4, d=5, e=3, seed=0, dtype=torch.float64):
    sizes = [(2, 4, q, d), (2, g, k, d), (2, g, k, e)]
    return [normal(*size, seed=seed + i, dtype=dtype) for i, size in enumerate(sizes)]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bias", BIASES)
def test_every_mask_and_every_bias_give_what_the_plain_back_end_gives(mask, bias):
    for q, k in SIZES:
        inputs, options = heads(q, k), (MASKS[mask](q, k), BIASES[bias](q, k))
        ours, plain = (f(*inputs, options[0], bias=options[1]) for f in (sdpa, attend_heads))
        assert ours.isfinite().all()
        torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-12, msg=f"{q=} {k=}")


@given(
    seed=SEEDS,
    g=st.sampled_from([1, 2, 4]),
    score=st.sampled_from([dot, scaled_dot]),
    d=st.sampled_from([1, 2, 7]),
)
def test_groups_scores_and_widths_give_what_the_plain_back_end_gives(seed, g, score, d):
    inputs = heads(3, 4, g=g, d=d, seed=seed)
    ours, plain = (f(*inputs, Rule(), score=score) for f in (sdpa, attend_heads))
    torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("bias", [None, "alibi", "tensor"])
def test_a_query_that_may_look_nowhere_gets_zeros_with_a_bias_too(bias):
    added = {None: None, "alibi": Alibi(4), "tensor": normal(4, 5, 2, seed=1).float()}[bias]
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        out = sdpa(*heads(5, 2, dtype=dtype), Rule(), bias=added)
        assert out.dtype == dtype
        assert (out[:, :, :3] == 0).all()
        assert (out[:, :, 3:] != 0).all()


def test_gradients_equal_those_of_the_plain_back_end_and_reach_a_learned_bias():
    bias = RelativeBias(4, buckets=4, max_distance=5, bidirectional=False).double()
    found = []
    for attend in (sdpa, attend_heads):
        inputs = [x.requires_grad_() for x in heads(5, 3, g=2)]
        attend(*inputs, Rule(), bias=bias).square().sum().backward()
        found.append([x.grad for x in inputs] + [bias.weight.grad.clone()])
        bias.weight.grad = None
    for ours, plain in zip(*found, strict=True):
        assert ours.isfinite().all()
        torch.testing.assert_close(ours, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("times", [1e-38, 1.0, 1e4])
@pytest.mark.parametrize("bias", [None, Alibi(4)])
def test_low_precision_errs_at_most_twice_what_the_plain_back_end_errs(dtype, times, bias):
    query, key, value = heads(33, 40, d=16, e=16, dtype=dtype)
    inputs = (query * times, key, value)
    truth = attend_heads(*(x.double() for x in inputs), Rule(), bias=bias)
    ours, plain = (f(*inputs, Rule(), bias=bias) for f in (sdpa, attend_heads))
    error, allowed = (x.double().sub(truth).abs().mean() for x in (ours, plain))
    assert ours.dtype == plain.dtype == dtype
    assert error <= 2 * allowed + torch.finfo(dtype).eps / 100


def test_where_all_is_visible_the_kernel_gets_no_mask(monkeypatch):
    seen = []
    kernel = F.scaled_dot_product_attention

    def spy(query, key, value, mask=None, **options):
        seen.append((mask is None, options["is_causal"]))
        return kernel(query, key, value, mask, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", spy)
    for q, rule in [(1, Rule()), (4, Rule()), (2, Rule()), (4, Rule(causal=False))]:
        sdpa(*heads(q, 4), rule)
    assert seen == [(True, False), (True, True), (False, False), (True, False)]


def test_what_the_kernel_cannot_do_is_refused():
    with pytest.raises(ValueError, match=r"knows scaled_dot and dot only.*attend_heads"):
        sdpa(*heads(2, 2), score=cosine)
    with pytest.raises(ValueError, match=r"expected torch\.bool"):
        sdpa(*heads(2, 2), torch.ones(2, 2))
    with pytest.raises(ValueError, match=r"mask of shape .* does not broadcast"):
        sdpa(*heads(2, 2), torch.ones(3, 2, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"bias of shape .* does not broadcast"):
        sdpa(*heads(2, 2), bias=torch.ones(3, 2, 2))
    with pytest.raises(ValueError, match="n_heads=4 is not divisible by"):
        sdpa(*heads(2, 2, g=3))


@pytest.mark.parametrize("lengths", [(4, 5), (5, 4)])
def test_keys_and_values_of_unequal_lengths_are_refused(lengths):
    query, key, value = heads(3, 5)
    shapes = "query, key, value of shapes .* with the same b, g, k and d"
    # With the axis names k and n, the tests' type checker accepts them, as without a checker.
    with pytest.raises(ValueError, match=shapes):
        sdpa.__wrapped__(query, key[:, :, : lengths[0]], value[:, :, : lengths[1]])
