"""Tiled attention equals plain attention: values, gradients, every mask, every bias."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from plainformer import flash, masks
from plainformer.attention import Attend, attend_heads
from plainformer.flash import function
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi, RelativeBias
from plainformer.scores import dot, scaled_dot
from tests.plainformer.tensors import SEEDS, coins, normal

SIZES = [(9, 9), (2, 7), (7, 2), (1, 6), (6, 1), (0, 3), (3, 0), (1, 1)]
MASKS = {
    "none": lambda q, k: None,
    "coins": lambda q, k: coins(2, 4, q, k, seed=q + 10 * k),
    "causal": masks.causal,
    "keys": lambda q, k: coins(2, 1, 1, k, seed=k),
    "nothing": lambda q, k: torch.zeros(2, 1, q, k, dtype=torch.bool),
    "rule causal": lambda q, k: Rule(),
    "rule window": lambda q, k: Rule(window=2, sinks=1),
    "rule prefix": lambda q, k: Rule(prefix=2),
    "rule both": lambda q, k: Rule(causal=False, window=3),
    "rule right": lambda q, k: Rule(lengths=torch.tensor([0, 2])),
    "rule left": lambda q, k: Rule(starts=torch.tensor([3, 0])),
    "rule all": lambda q, k: Rule(causal=False),
}
BIASES = {
    "none": lambda q, k: None,
    "heads": lambda q, k: normal(4, q, k, seed=4).requires_grad_(),
    "keys": lambda q, k: normal(2, 1, 1, k, seed=5).requires_grad_(),
    "alibi": lambda q, k: Alibi(4),
    "learned": lambda q, k: RelativeBias(4, buckets=8, max_distance=5).double(),
}


@pytest.fixture(autouse=True, scope="module")
def _small_tiles():
    """Cut even small inputs into tiles, with incomplete ones at the ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, "tile_size", lambda q: (2, 4))
        yield


def heads(q, k, *, g=4, d=5, e=3, seed=0, size=1.0):
    query, key, value = (
        normal(2, 4, q, d, seed=seed),
        *(normal(2, g, k, width, seed=seed + width) for width in (d, e)),
    )
    return [x.requires_grad_() for x in (query * size, key, value)]


def learned(bias):
    if isinstance(bias, nn.Module):
        return list(bias.parameters())
    return [] if bias is None else [bias]


def assert_twins(inputs, mask=None, bias=None, score=scaled_dot):
    """Compare outputs and all gradients with those of the plain back end."""
    outputs = [f(*inputs, mask, bias=bias, score=score) for f in (flash.attend, attend_heads)]
    torch.testing.assert_close(*outputs, rtol=1e-9, atol=1e-11)
    sources = [*inputs, *learned(bias)]
    weight = normal(*outputs[0].shape, seed=9)
    ours, plain = (
        torch.autograd.grad(output, sources, weight, allow_unused=True) for output in outputs
    )
    for mine, theirs in zip(ours, plain, strict=True):
        expected = torch.zeros_like(mine) if theirs is None else theirs
        torch.testing.assert_close(mine, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_outputs_and_gradients_equal_plain_attention_for_every_mask_and_bias(mask, bias):
    for (q, k), g in zip(SIZES, [4, 2, 1, 4, 2, 1, 4, 2], strict=True):
        assert_twins(heads(q, k, g=g), MASKS[mask](q, k), BIASES[bias](q, k))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("size", [100.0, 1e6])
def test_sharp_scores_equal_plain_attention_for_every_mask(mask, size):
    for (q, k), g in zip(SIZES, [4, 2, 1, 4, 2, 1, 4, 2], strict=True):
        assert_twins(heads(q, k, g=g, size=size), MASKS[mask](q, k))


@given(
    seed=SEEDS,
    q=st.integers(0, 11),
    k=st.integers(0, 11),
    d=st.sampled_from([1, 2, 7]),
    e=st.sampled_from([1, 3]),
    g=st.sampled_from([1, 2, 4]),
    size=st.sampled_from([1e-300, 1.0, 40.0]),
    score=st.sampled_from([dot, scaled_dot]),
    causal=st.booleans(),
    window=st.none() | st.integers(1, 5),
    sinks=st.integers(0, 2),
    prefix=st.integers(0, 4),
)
@settings(max_examples=100)
def test_awkward_sizes_equal_plain_attention_under_any_rule(
    seed, q, k, d, e, g, size, score, causal, window, sinks, prefix
):
    ends = torch.tensor([seed % (k + 1), k])
    padded = {0: {}, 1: {"starts": ends}, 2: {"lengths": ends}}[seed % 3]
    rule = Rule(causal=causal, window=window, sinks=sinks, prefix=prefix, **padded)
    assert_twins(heads(q, k, g=g, d=d, e=e, seed=seed, size=size), rule, score=score)


def test_an_empty_batch_gives_an_empty_output():
    empty = [x[:0] for x in heads(5, 5)]
    assert flash.attend(*empty, Rule()).shape == (0, 4, 5, 3)


def test_inputs_with_any_strides_give_the_same():
    inputs = heads(7, 9)
    strided = [x.transpose(2, 3).contiguous().transpose(2, 3) for x in inputs]
    swapped = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in inputs]
    expected = flash.attend(*inputs, Rule())
    for other in (strided, swapped):
        torch.testing.assert_close(flash.attend(*other, Rule()), expected, rtol=1e-12, atol=1e-14)


def test_it_is_one_of_the_back_ends():
    assert isinstance(flash.attend, Attend)


@pytest.mark.parametrize("mask", [None, "rule causal", "rule window", "rule left", "rule right"])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 3), (64, 64)])
def test_the_loop_of_the_paper_equals_plain_attention_and_returns_the_log_sum_exp(
    mask, height, width
):
    for q, k in SIZES:
        inputs, rule = heads(q, k), None if mask is None else MASKS[mask](q, k)
        output, lse = flash.attend_in_blocks(*inputs, rule, height=height, width=width)
        torch.testing.assert_close(output, attend_heads(*inputs, rule), rtol=1e-10, atol=1e-12)
        scores = scaled_dot(inputs[0], inputs[1])
        if rule is not None:
            scores = scores.masked_fill(~rule.dense(q, k), -torch.inf)
        torch.testing.assert_close(lse, torch.logsumexp(scores, -1))
        one = flash.attend_in_blocks(*(x[0, 0] for x in inputs), height=height, width=width)
        torch.testing.assert_close(one[0], attend_heads(*(x[:1, :1] for x in inputs))[0, 0])


def test_a_block_of_nothing_is_refused():
    with pytest.raises(ValueError, match="height=0, width=4: a block is at least 1 by 1"):
        flash.attend_in_blocks(*heads(3, 3), height=0, width=4)
