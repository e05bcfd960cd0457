"""MultiHeadAttention's options: rotary, positions, bias, caches, back ends, widths."""

import itertools

import pytest
import torch
from einops import rearrange
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from plainformer import MultiHeadAttention, masks
from plainformer.attention import attend_heads
from plainformer.cache import ContiguousCache
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi, RelativeBias, Rotary
from plainformer.scores import dot
from plainformer.sdpa import sdpa
from tests.plainformer.tensors import SEEDS, normal


def build(**options):
    torch.manual_seed(0)
    return MultiHeadAttention(**{"d_model": 12, "n_heads": 4, **options}).double()


def test_with_rotary_and_groups_it_equals_transformers_llama():
    config = LlamaConfig(
        hidden_size=12,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=6,
        attn_implementation="eager",
    )
    theirs = LlamaAttention(config, layer_idx=0).double()
    ours = build(n_kv_heads=2, head_width=6, rotary=Rotary(6))
    for name, other in [("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")]:
        getattr(ours, name).load_state_dict(getattr(theirs, f"{other}_proj").state_dict())
    x, positions = normal(2, 5, 12, seed=0), torch.tensor([[0, 1, 2, 3, 4], [3, 4, 5, 6, 7]])
    cos, sin = LlamaRotaryEmbedding(config)(x, positions)
    hidden = masks.additive(masks.causal(5), torch.float64)[None, None]
    expected, _ = theirs(x, (cos.double(), sin.double()), hidden)
    torch.testing.assert_close(
        ours(x, mask=Rule(), positions=positions), expected, atol=2e-6, rtol=0
    )


@pytest.mark.parametrize("backend", [attend_heads, sdpa])
@pytest.mark.parametrize("rotary", [None, Rotary(3, rotated=2)])
@pytest.mark.parametrize("bias", [None, Alibi(4), "relative"])
@given(seed=SEEDS, cuts=st.sets(st.integers(1, 6)), window=st.sampled_from([None, 2]))
def test_cached_in_any_pieces_equals_uncached(backend, rotary, bias, seed, cuts, window):
    added = RelativeBias(4, bidirectional=False).double() if bias == "relative" else bias
    ours = build(n_kv_heads=2, rotary=rotary, backend=backend)
    x, rule, cache = normal(2, 7, 12, seed=seed), Rule(window=window), ContiguousCache()
    whole = ours(x, mask=rule, bias=added)
    ends = [0, *sorted(cuts), 7]
    pieces = [
        ours(x[:, a:b], mask=rule, bias=added, cache=cache) for a, b in itertools.pairwise(ends)
    ]
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-9, atol=1e-11)
    assert cache.length == 7


@given(seed=SEEDS, shift=st.integers(0, 1000))
def test_with_rotary_a_common_shift_of_positions_changes_nothing(seed, shift):
    ours, x = build(rotary=Rotary(3, rotated=2)), normal(2, 4, 12, seed=seed)
    shifted = ours(x, mask=Rule(), positions=torch.arange(4) + shift)
    torch.testing.assert_close(shifted, ours(x, mask=Rule()), rtol=1e-8, atol=1e-10)
    other = ours(x, mask=Rule(), positions=2 * torch.arange(4))
    assert not other[:, 1:].isclose(shifted[:, 1:]).all()


@given(seed=SEEDS)
def test_padding_on_the_left_changes_no_real_position(seed):
    ours, x = build(rotary=Rotary(3, rotated=2)), normal(1, 4, 12, seed=seed)
    padded = torch.cat([normal(1, 3, 12, seed=seed + 1), x], 1)
    positions = (torch.arange(7) - 3).clamp_min(0)[None]
    out = ours(padded, mask=Rule(starts=torch.tensor([3])), positions=positions)
    torch.testing.assert_close(out[:, 3:], ours(x, mask=Rule()), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("backend", [attend_heads, sdpa])
def test_keys_and_values_of_a_memory_are_computed_once(backend):
    ours, memory = build(memory_width=5, backend=backend), normal(2, 6, 5, seed=1)
    mask, cache, counted = masks.padding(torch.tensor([6, 2]), 6), ContiguousCache(), []
    ours.key.register_forward_hook(lambda *_: counted.append("key"))
    ours.value.register_forward_hook(lambda *_: counted.append("value"))
    x = normal(2, 3, 12, seed=2)
    steps = [ours(x[:, i : i + 1], memory, mask, cache=cache) for i in range(3)]
    assert counted == ["key", "value"]
    assert cache.length == 6
    torch.testing.assert_close(torch.cat(steps, 1), ours(x, memory, mask))


def test_bias_and_score_reach_the_scores():
    ours, x, added = build(score=dot), normal(2, 3, 12, seed=0), normal(4, 3, 3, seed=1)
    query = rearrange(ours.query(x), "b q (h d) -> b h q d", h=4)
    key, value = ours.keys_values(x)
    heads = torch.softmax(query @ key.mT + added, -1) @ value
    expected = ours.output(rearrange(heads, "b h q d -> b q (h d)"))
    torch.testing.assert_close(ours(x, bias=added), expected)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("output_bias", [None, False, True])
def test_widths_and_biases_are_those_asked_for(bias, output_bias):
    ours = build(n_kv_heads=2, head_width=5, memory_width=7, bias=bias, output_bias=output_bias)
    shapes = {n: tuple(p.shape) for n, p in ours.named_parameters() if n.endswith("weight")}
    assert shapes == {
        "query.weight": (20, 12),
        "key.weight": (10, 7),
        "value.weight": (10, 7),
        "output.weight": (12, 20),
    }
    assert [getattr(ours, n).bias is not None for n in ("query", "key", "value")] == [bias] * 3
    assert (ours.output.bias is not None) == (bias if output_bias is None else output_bias)
    assert ours(normal(2, 3, 12, seed=0), normal(2, 4, 7, seed=1)).shape == (2, 3, 12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: build(head_width=0), "head_width=0, memory_width=12: both"),
        (lambda: build(memory_width=0), "head_width=3, memory_width=0"),
        (lambda: build(rotary=Rotary(4)), r"width 4, but head_width=3: make it Rotary\(3\)"),
        (
            lambda: build(rotary=Rotary(3, rotated=2))(
                torch.zeros(2, 4, 12).double(), positions=torch.arange(5)
            ),
            r"positions has shape \(5,\); expected \(4,\)",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
