"""Latent attention: the absorbed form equals the expanded form and transformers' module."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.cache import Int8Cache, SlidingCache, StaticCache
from plainformer.latent_attention import LatentAttention
from plainformer.mask_rules import Rule
from plainformer.positions import Rotary, YaRN
from plainformer.sdpa import sdpa
from tests.plainformer.caches import EXACT, chunks_of, scattered_pages, sizes
from tests.plainformer.tensors import SEEDS, normal
from tests.plainformer.test_cache import CUTS, slopes

WIDTHS = {"d_model": 16, "n_heads": 4, "latent_width": 6, "head_width": 5, "value_width": 3}


def layer_of(rotary_width: int = 4, **more) -> LatentAttention:
    rotary = Rotary(rotary_width, layout="pairs") if rotary_width else None
    made = LatentAttention(**WIDTHS, rotary_width=rotary_width, rotary=rotary, **more).double()
    with torch.no_grad():  # norms with weight 1 would hide their position
        made.norm.weight.copy_(torch.linspace(0.5, 1.5, 6))
    return made


@pytest.mark.parametrize("kind", [*EXACT, "static, once", "paged, once"])
@settings(max_examples=10)
@given(seed=SEEDS, cuts=CUTS, turned=st.sampled_from([0, 4]), down=st.sampled_from([None, 7]))
def test_absorbed_and_cached_equals_expanded_and_uncached(kind, seed, cuts, turned, down):
    torch.manual_seed(seed)
    layer = layer_of(turned, query_latent_width=down)
    layer.backend = sdpa if seed % 2 else layer.backend
    width, x, rule = 6 + turned, normal(2, 9, 16, seed=seed), Rule(window=5, sinks=1)
    bias = slopes if seed % 3 == 0 else None
    if kind == "static, once":
        cache = StaticCache(capacity=9, value_in_key=True, **sizes(2, 1, width, 6))
    elif kind == "paged, once":
        cache = scattered_pages(2, 1, width, 6, value_in_key=True)
    else:
        cache = EXACT[kind](2, 1, width, 6)
    whole = layer(x, mask=rule, bias=bias)
    parts = [layer(x[:, s], mask=rule, bias=bias, cache=cache) for s in chunks_of(9, cuts)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-10, atol=1e-12)


def test_a_ring_of_latents_equals_the_whole_under_its_window():
    torch.manual_seed(0)
    layer, x = layer_of(), normal(2, 12, 16, seed=0)
    cache = SlidingCache(window=3, sinks=1, value_in_key=True, **sizes(2, 1, 10, 6))
    parts = [layer(x[:, s], mask=Rule(), cache=cache) for s in chunks_of(12, [5, 6, 7])]
    torch.testing.assert_close(torch.cat(parts, 1), layer(x, mask=Rule(window=3, sinks=1)))


def test_a_position_costs_the_latent_and_the_rotary_key():
    x, layer = normal(2, 7, 16, seed=0), layer_of()
    cache = StaticCache(capacity=7, value_in_key=True, **sizes(2, 1, 6 + 4, 6))
    layer(x, mask=Rule(), cache=cache)
    assert cache.nbytes == 2 * 7 * (6 + 4) * 8
    small = Int8Cache(capacity=7, value_in_key=True, **sizes(2, 1, 6 + 4, 6))
    near = layer(x, mask=Rule(), cache=small)
    assert small.nbytes == 2 * 7 * (6 + 4 + 4)
    assert (near - layer(x, mask=Rule())).abs().max() < 0.02


@pytest.mark.parametrize("down", [None, 8])
def test_it_equals_the_module_of_transformers(down):
    from transformers import DeepseekV2Config
    from transformers.models.deepseek_v2 import modeling_deepseek_v2 as theirs

    torch.manual_seed(0)
    config = DeepseekV2Config(
        hidden_size=16, num_attention_heads=4, num_key_value_heads=4, kv_lora_rank=6,
        q_lora_rank=down, qk_rope_head_dim=4, qk_nope_head_dim=5, v_head_dim=3, head_dim=4,
        num_hidden_layers=1, attn_implementation="eager",
    )  # fmt: skip
    module = theirs.DeepseekV2Attention(config, 0).double()
    ours = layer_of(query_latent_width=down)
    with torch.no_grad():
        module.kv_a_layernorm.weight.copy_(ours.norm.weight)
        module.kv_a_proj_with_mqa.weight.copy_(ours.down.weight)
        module.o_proj.weight.copy_(ours.output.weight)
        both = [ours.key_up.weight.view(4, 5, 6), ours.value_up.weight.view(4, 3, 6)]
        module.kv_b_proj.weight.copy_(torch.cat(both, 1).flatten(0, 1))
        if down is None:
            module.q_proj.weight.copy_(ours.query.weight)
        else:
            module.q_a_proj.weight.copy_(ours.query_down.weight)
            module.q_b_proj.weight.copy_(ours.query.weight)
    x = normal(2, 7, 16, seed=1)
    rotary = theirs.DeepseekV2RotaryEmbedding(config)
    angles = torch.arange(7).double()[:, None] * Rotary(4).frequencies.double()
    assert rotary.inv_freq.shape == (2,)
    mask = torch.full((7, 7), -torch.inf).double().triu(1)[None, None]
    turns = torch.polar(torch.ones_like(angles), angles)[None]
    expected, _ = module(x, attention_mask=mask, position_embeddings=turns)
    torch.testing.assert_close(ours(x, mask=Rule()), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {"mscale": 1.0, "mscale_all_dim": 1.0},
        {"mscale": 0.707, "mscale_all_dim": 0.707},
        {"mscale": 1.0, "mscale_all_dim": 0.5, "factor": 40.0},
        {"mscale_all_dim": 0.8},
        {"mscale": 0.7},
        {},
        {"attention_factor": 1.3, "mscale": 1.0, "mscale_all_dim": 1.0},
    ],
)
def test_yarn_sharpens_all_scores_as_in_the_module_of_transformers(options):
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as theirs

    torch.manual_seed(0)
    yarn = {"factor": 4.0, **options}
    config = DeepseekV3Config(
        hidden_size=16, num_attention_heads=4, num_key_value_heads=4, kv_lora_rank=6,
        q_lora_rank=7, qk_rope_head_dim=4, qk_nope_head_dim=5, v_head_dim=3, num_hidden_layers=1,
        max_position_embeddings=256, attn_implementation="eager", rope_interleave=True,
        rope_parameters={"rope_type": "yarn", "original_max_position_embeddings": 64,
                         "rope_theta": 10_000.0, **yarn},
    )  # fmt: skip
    module = theirs.DeepseekV3Attention(config, 0).double()
    rotary = Rotary(4, layout="pairs", scaling=YaRN(context=64, **yarn))
    ours = LatentAttention(**WIDTHS, rotary_width=4, rotary=rotary, query_latent_width=7).double()
    with torch.no_grad():
        for weight in ours.parameters():
            weight.mul_(3)
        module.q_a_proj.weight.copy_(ours.query_down.weight)
        module.q_a_layernorm.weight.copy_(ours.query_norm.weight)
        module.q_b_proj.weight.copy_(ours.query.weight)
        module.kv_a_proj_with_mqa.weight.copy_(ours.down.weight)
        module.kv_a_layernorm.weight.copy_(ours.norm.weight)
        module.o_proj.weight.copy_(ours.output.weight)
        both = [ours.key_up.weight.view(4, 5, 6), ours.value_up.weight.view(4, 3, 6)]
        module.kv_b_proj.weight.copy_(torch.cat(both, 1).flatten(0, 1))
    x, at = normal(2, 7, 16, seed=1), torch.arange(7)
    turns = theirs.DeepseekV3RotaryEmbedding(config)(x, at[None])
    mask = torch.full((7, 7), -torch.inf).double().triu(1)[None, None]
    expected, _ = module(x, position_embeddings=turns, attention_mask=mask)
    torch.testing.assert_close(ours(x, mask=Rule()), expected, rtol=1e-5, atol=1e-5)
    cache = StaticCache(capacity=7, **sizes(2, 1, 10, 6))
    steps = [ours(x[:, i : i + 1], mask=Rule(), cache=cache) for i in range(7)]
    torch.testing.assert_close(torch.cat(steps, 1), expected, rtol=1e-5, atol=1e-5)


def test_a_memory_is_read_once_and_kept():
    torch.manual_seed(0)
    layer, x, memory = layer_of(), normal(2, 3, 16, seed=0), normal(2, 5, 16, seed=1)
    cache = StaticCache(capacity=5, **sizes(2, 1, 10, 6))
    expected = layer(x, memory)
    torch.testing.assert_close(layer(x, memory, cache=cache), expected)
    torch.testing.assert_close(layer(x, memory, cache=cache), expected)
    assert cache.length == 5


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rotary_width": 4}, "rotary_width=4 with rotary=None"),
        ({"rotary_width": 0, "rotary": Rotary(4)}, "rotary_width=0 with rotary=Rotary"),
        ({"rotary_width": 0, "latent_width": 0}, "latent_width=0: expected at least 1"),
    ],
)
def test_widths_that_do_not_fit_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        LatentAttention(**{**WIDTHS, **wrong})


def test_every_parameter_receives_a_gradient():
    layer = layer_of(query_latent_width=7)
    layer(normal(2, 3, 16, seed=0), mask=Rule()).square().sum().backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad.abs().sum() > 0, name
