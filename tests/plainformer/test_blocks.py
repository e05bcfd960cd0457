"""Block: compared with PyTorch's encoder and decoder layers, with caches, and its errors."""

import itertools
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from plainformer import masks
from plainformer.blocks import Block, PostNorm, PreNorm, SandwichNorm
from plainformer.cache import ContiguousCache
from plainformer.feedforward import FeedForward, GatedFeedForward
from plainformer.mask_rules import Rule
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.positions import Alibi, Rotary
from tests.plainformer.tensors import SEEDS, normal

M, H, FF = 12, 3, 20


def block(placement, *, cross=False, activation=torch.relu):
    attention = partial(MultiHeadAttention, d_model=M, n_heads=H, bias=True)
    return Block(
        attention=attention(),
        feedforward=FeedForward(d_model=M, d_ff=FF, activation=activation),
        residual=lambda: placement(LayerNorm, M),
        cross_attention=attention() if cross else None,
    ).double()


def shuffle(module, seed=0):
    for i, parameter in enumerate(module.parameters()):
        parameter.data = normal(*parameter.shape, seed=seed + i) * 0.5


def attention_into(theirs, ours):
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([p.weight.data for p in parts])
    theirs.in_proj_bias.data = torch.cat([p.bias.data for p in parts])
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def twin(ours, make):
    """Build PyTorch's layer with the weights of the package's."""
    first = isinstance(ours.attention_residual, PreNorm)
    theirs = make(
        M, H, FF, dropout=0.0, activation=ours.feedforward.activation, batch_first=True,
        norm_first=first,
    ).double()  # fmt: skip
    attention_into(theirs.self_attn, ours.attention)
    norms = [ours.attention_residual.norm, ours.feedforward_residual.norm]
    if ours.cross_attention is not None:
        attention_into(theirs.multihead_attn, ours.cross_attention)
        norms.insert(1, ours.cross_residual.norm)
    for i, norm in enumerate(norms, 1):
        getattr(theirs, f"norm{i}").load_state_dict(norm.state_dict())
    theirs.linear1.load_state_dict(ours.feedforward.up.state_dict())
    theirs.linear2.load_state_dict(ours.feedforward.down.state_dict())
    return theirs


def same_gradients(ours, theirs):
    theirs_ = {
        "up": theirs.linear1.weight.grad,
        "down": theirs.linear2.weight.grad,
        "output": theirs.self_attn.out_proj.weight.grad,
        "norm": theirs.norm1.weight.grad,
        "qkv": theirs.self_attn.in_proj_weight.grad,
    }
    attention = ours.attention
    ours_ = {
        "up": ours.feedforward.up.weight.grad,
        "down": ours.feedforward.down.weight.grad,
        "output": attention.output.weight.grad,
        "norm": ours.attention_residual.norm.weight.grad,
        "qkv": torch.cat(
            [p.weight.grad for p in (attention.query, attention.key, attention.value)]
        ),
    }
    torch.testing.assert_close(ours_, theirs_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("placement", [PreNorm, PostNorm])
@pytest.mark.parametrize("activation", [torch.relu, F.gelu])
@pytest.mark.parametrize("lengths", [None, [5, 2]])
def test_an_encoder_layer_equals_pytorchs_values_and_gradients(placement, activation, lengths):
    ours = block(placement, activation=activation)
    shuffle(ours)
    theirs = twin(ours, nn.TransformerEncoderLayer)
    xs = [normal(2, 5, M, seed=9).requires_grad_() for _ in range(2)]
    rule = None if lengths is None else Rule(causal=False, lengths=torch.tensor(lengths))
    hidden = None if rule is None else ~rule.dense(1, 5)[:, 0, 0]
    y, expected = ours(xs[0], mask=rule), theirs(xs[1], src_key_padding_mask=hidden)
    torch.testing.assert_close(y, expected, rtol=1e-9, atol=1e-11)
    for out in (y, expected):
        (out * normal(2, 5, M, seed=10)).sum().backward()
    torch.testing.assert_close(xs[0].grad, xs[1].grad, rtol=1e-8, atol=1e-10)
    same_gradients(ours, theirs)


@pytest.mark.parametrize("placement", [PreNorm, PostNorm])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_a_decoder_layer_equals_pytorchs_values_and_gradients(placement, k):
    ours = block(placement, cross=True)
    shuffle(ours)
    theirs = twin(ours, nn.TransformerDecoderLayer)
    xs = [normal(2, 4, M, seed=9).requires_grad_() for _ in range(2)]
    memories = [normal(2, k, M, seed=8).requires_grad_() for _ in range(2)]
    seen = masks.padding(torch.tensor([k, max(k - 2, 1)]), k)
    y = ours(xs[0], memories[0], Rule(), memory_mask=seen)
    expected = theirs(
        xs[1],
        memories[1],
        tgt_mask=~masks.causal(4),
        memory_key_padding_mask=~seen[:, 0, 0],
    )
    torch.testing.assert_close(y, expected, rtol=1e-9, atol=1e-11)
    for out in (y, expected):
        (out * normal(2, 4, M, seed=10)).sum().backward()
    torch.testing.assert_close(xs[0].grad, xs[1].grad, rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(memories[0].grad, memories[1].grad, rtol=1e-8, atol=1e-10)
    same_gradients(ours, theirs)


@pytest.mark.parametrize("placement", [PreNorm, PostNorm, SandwichNorm])
@given(seed=SEEDS, cuts=st.sets(st.integers(1, 5)))
def test_cached_in_any_pieces_equals_uncached_with_a_memory_too(placement, seed, cuts):
    torch.manual_seed(seed)
    ours = Block(
        attention=MultiHeadAttention(d_model=M, n_heads=H, rotary=Rotary(4)),
        feedforward=GatedFeedForward(d_model=M),
        residual=lambda: placement(RMSNorm, M),
        cross_attention=MultiHeadAttention(d_model=M, n_heads=H, memory_width=5),
    ).double()
    x, memory = normal(2, 6, M, seed=seed), normal(2, 4, 5, seed=seed + 1)
    whole = ours(x, memory, Rule(), bias=Alibi(H))
    caches, ends = (ContiguousCache(), ContiguousCache()), [0, *sorted(cuts), 6]
    pieces = [
        ours(
            x[:, a:b], memory, Rule(), bias=Alibi(H), cache=caches[0], memory_cache=caches[1],
            positions=torch.arange(a, b),
        )
        for a, b in itertools.pairwise(ends)
    ]  # fmt: skip
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-8, atol=1e-10)
    assert [cache.length for cache in caches] == [6, 4]


def test_a_bias_of_minus_infinity_is_a_mask_of_self_attention_alone():
    ours, x, memory = block(PreNorm, cross=True), normal(2, 4, M, seed=0), normal(2, 4, M, seed=1)
    hidden = masks.additive(masks.causal(4), torch.float64)
    torch.testing.assert_close(ours(x, memory, bias=hidden), ours(x, memory, Rule()))


def test_an_empty_batch_and_one_token_work():
    ours = block(PreNorm)
    assert ours(normal(0, 3, M, seed=0)).shape == (0, 3, M)
    assert ours(normal(1, 1, M, seed=0), mask=Rule()).shape == (1, 1, M)


def test_a_memory_without_cross_attention_or_the_reverse_is_named():
    x = normal(1, 2, M, seed=0)
    with pytest.raises(ValueError, match=r"cross-attention: False, memory given: True"):
        block(PreNorm)(x, x)
    with pytest.raises(ValueError, match=r"cross-attention: True, memory given: False"):
        block(PreNorm, cross=True)(x)
