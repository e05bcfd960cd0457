"""MultiHeadAttention: compared with PyTorch's module and kernel, its laws, its errors."""

import pytest
import torch
import torch.nn.functional as F
from einops import rearrange
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from plainformer import MultiHeadAttention, cosine, masks
from plainformer.heads import repeat_heads
from tests.plainformer.tensors import SEEDS, normal


def theirs_with_our_weights(ours: MultiHeadAttention, n_heads: int) -> nn.MultiheadAttention:
    """Build PyTorch's module with the weights of the package's."""
    m, n = ours.query.in_features, ours.key.in_features
    theirs = nn.MultiheadAttention(m, n_heads, kdim=n, vdim=n, bias=True, batch_first=True).double()
    with torch.no_grad():
        if n == m:
            stacked = torch.cat([ours.query.weight, ours.key.weight, ours.value.weight])
            theirs.in_proj_weight.copy_(stacked)
        else:
            theirs.q_proj_weight.copy_(ours.query.weight)
            theirs.k_proj_weight.copy_(ours.key.weight)
            theirs.v_proj_weight.copy_(ours.value.weight)
        biases = [ours.query.bias, ours.key.bias, ours.value.bias]
        theirs.in_proj_bias.copy_(torch.cat(biases))
        theirs.out_proj.weight.copy_(ours.output.weight)
        theirs.out_proj.bias.copy_(ours.output.bias)
    return theirs


@pytest.mark.parametrize("n_heads", [1, 2, 6])
@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_equals_pytorchs_module(n_heads, causal):
    torch.manual_seed(n_heads)
    ours = MultiHeadAttention(d_model=12, n_heads=n_heads, bias=True).double()
    theirs = theirs_with_our_weights(ours, n_heads)
    x, mask = normal(2, 5, 12, seed=0), masks.causal(5) if causal else None
    hidden = None if mask is None else ~mask  # PyTorch's module: True means hidden
    expected, _ = theirs(x, x, x, attn_mask=hidden, need_weights=False)
    torch.testing.assert_close(ours(x, mask=mask), expected, rtol=1e-10, atol=1e-12)


def test_cross_attention_to_a_memory_of_another_width_equals_pytorchs_module():
    torch.manual_seed(0)
    ours = MultiHeadAttention(d_model=12, n_heads=3, memory_width=8, bias=True).double()
    theirs = theirs_with_our_weights(ours, 3)
    x, memory = normal(2, 4, 12, seed=1), normal(2, 7, 8, seed=2)
    lengths = torch.tensor([7, 3])
    hidden = ~masks.padding(lengths, k=7)[:, 0, 0]
    expected, _ = theirs(x, memory, memory, key_padding_mask=hidden, need_weights=False)
    torch.testing.assert_close(ours(x, memory, masks.padding(lengths, k=7)), expected)


@given(seed=SEEDS, groups=st.sampled_from([1, 2, 3, 6]))
def test_shared_key_value_heads_equal_pytorchs_grouped_kernel(seed, groups):
    torch.manual_seed(seed)
    ours = MultiHeadAttention(d_model=12, n_heads=6, n_kv_heads=groups).double()
    x = normal(2, 5, 12, seed=seed)
    query = rearrange(ours.query(x), "b q (h d) -> b h q d", h=6)
    key = rearrange(ours.key(x), "b k (g d) -> b g k d", g=groups)
    value = rearrange(ours.value(x), "b k (g d) -> b g k d", g=groups)
    heads = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    expected = ours.output(rearrange(heads, "b h q d -> b q (h d)"))
    torch.testing.assert_close(ours(x), expected)


@given(seed=SEEDS)
def test_grouped_heads_equal_full_heads_whose_weights_are_repeated(seed):
    torch.manual_seed(seed)
    grouped = MultiHeadAttention(d_model=12, n_heads=4, n_kv_heads=2).double()
    full = MultiHeadAttention(d_model=12, n_heads=4).double()
    state = grouped.state_dict()
    for name in ("key.weight", "value.weight"):
        heads = rearrange(state[name], "(g d) m -> g d m", g=2)
        state[name] = rearrange(heads.repeat_interleave(2, dim=0), "h d m -> (h d) m")
    full.load_state_dict(state)
    x = normal(2, 5, 12, seed=seed)
    torch.testing.assert_close(grouped(x), full(x))


def test_fewer_key_value_heads_have_fewer_parameters():
    def size(g):
        return sum(
            p.numel() for p in MultiHeadAttention(d_model=12, n_heads=6, n_kv_heads=g).parameters()
        )

    assert [size(6), size(3), size(1)] == [4 * 144, 3 * 144, 2 * 144 + 2 * 24]


def test_one_head_is_plain_attention_between_projections():
    from plainformer import attend

    torch.manual_seed(0)
    ours = MultiHeadAttention(d_model=6, n_heads=1).double()
    x = normal(2, 5, 6, seed=0)
    expected = ours.output(attend(ours.query(x), ours.key(x), ours.value(x)))
    torch.testing.assert_close(ours(x), expected)


@given(seed=SEEDS)
def test_without_positions_shuffled_tokens_give_shuffled_outputs(seed):
    torch.manual_seed(seed)
    ours = MultiHeadAttention(d_model=8, n_heads=2).double()
    x, order = normal(2, 6, 8, seed=seed), torch.randperm(6)
    torch.testing.assert_close(ours(x[:, order]), ours(x)[:, order])


def test_the_score_is_an_argument():
    torch.manual_seed(0)
    ours = MultiHeadAttention(d_model=8, n_heads=2, score=cosine).double()
    x = normal(1, 4, 8, seed=0)
    query = rearrange(ours.query(x), "b q (h d) -> b h q d", h=2)
    key, value = ours.keys_values(x)
    heads = torch.softmax(cosine(query, key), -1) @ value
    expected = ours.output(rearrange(heads, "b h q d -> b q (h d)"))
    torch.testing.assert_close(ours(x), expected)


def test_one_token_and_an_empty_batch_work():
    ours = MultiHeadAttention(d_model=8, n_heads=2)
    assert ours(torch.zeros(1, 1, 8)).shape == (1, 1, 8)
    assert ours(torch.zeros(0, 3, 8)).shape == (0, 3, 8)


def test_every_parameter_receives_a_gradient():
    ours = MultiHeadAttention(d_model=8, n_heads=4, n_kv_heads=2, bias=True).double()
    ours(normal(2, 3, 8, seed=0)).square().sum().backward()
    for name, parameter in ours.named_parameters():
        if name != "key.bias":  # a constant added to all keys shifts every score of a row equally
            assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (
            {"d_model": 10, "n_heads": 3},
            r"d_model=10 is not divisible by n_heads=3.*2, 5, 10",
        ),
        (
            {"d_model": 12, "n_heads": 6, "n_kv_heads": 4},
            "n_heads=6 is not divisible by n_kv",
        ),
        ({"d_model": 12, "n_heads": 0}, "n_heads=0: both must be at least 1"),
        ({"d_model": 12, "n_heads": 4, "n_kv_heads": 0}, "n_kv_heads=0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_with_those_that_do(sizes, words):
    with pytest.raises(ValueError, match=words):
        MultiHeadAttention(**sizes)


def test_repeat_heads_keeps_groups_together():
    x = torch.arange(2.0)[None, :, None, None]
    assert repeat_heads(x, 4).flatten().tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="n_heads=3 is not divisible by the number of key/value"):
        repeat_heads(x, 3)
