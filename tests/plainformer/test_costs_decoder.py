"""A decoder's formulas agree with its modules' parameters, arithmetic and caches."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from plainformer.cache import ContiguousCache, StaticCache
from plainformer.costs import (
    Latent,
    OperationCounter,
    cache_bytes_per_token,
    decode_step,
    forward_flops,
    parameters,
)
from plainformer.costs.decoder import feedforward_width
from plainformer.latent_attention import LatentAttention
from plainformer.models import Config, Decoder
from plainformer.models.caches import caches_for
from plainformer.positions import Rotary

SMALL = Config(vocabulary=31, d_model=24, n_layers=3, n_heads=6, n_kv_heads=2, d_ff=40, context=16)
MAYBE = st.sampled_from([None, True, False])


@st.composite
def settings(draw):
    """Draw a configuration's settings; the caller makes it, because its checks may use chance."""
    g, group, d = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.sampled_from([2, 4]))
    wide = draw(st.sampled_from([None, 2, 6]))
    positions = draw(st.sampled_from("none sinusoidal learned rotary alibi relative".split()))
    buckets = {"relative_buckets": draw(st.sampled_from([4, 8]))}
    return {
        **(buckets if positions == "relative" else {}),
        "vocabulary": draw(st.integers(1, 20)),
        "d_model": g * group * d,
        "n_layers": draw(st.integers(1, 3)),
        "n_heads": g * group,
        "n_kv_heads": draw(st.sampled_from([g, 1])),
        "head_width": wide,
        "d_ff": draw(st.sampled_from([None, 5, 12])),
        "context": draw(st.integers(4, 9)),
        "positions": positions,
        "norm": draw(st.sampled_from(["layer", "rms"])),
        "placement": draw(st.sampled_from(["pre", "post", "sandwich", "deep"])),
        "embedding_norm": draw(st.booleans()),
        "feedforward": draw(st.sampled_from(["relu", "gelu", "swiglu", "geglu_tanh"])),
        "bias": draw(st.booleans()),
        "qkv_bias": draw(MAYBE),
        "output_bias": draw(MAYBE),
        "feedforward_bias": draw(MAYBE),
        "tied": draw(st.booleans()),
        "token_types": draw(st.sampled_from([0, 2])),
        "attention": "plain",
    }


def held(module, *names):
    """Count the parameters below modules of these names."""
    return sum(p.numel() for name, p in module.named_parameters() if any(n in name for n in names))


@given(settings())
def test_parameters_are_those_of_the_module(made_of):
    config = Config(**made_of)
    with torch.device("meta"):
        model = Decoder(config)
    counted = parameters(config)
    assert counted.total == sum(p.numel() for p in model.parameters())
    assert counted.attention == held(model.blocks, ".attention.")
    assert counted.feedforward == held(model.blocks, ".feedforward.up", "gate", "down")
    assert counted.head == (0 if config.tied else model.output.weight.numel())


class Reads(TorchDispatchMode):
    """Record which of a model's parameters an operation reads completely."""

    def __init__(self, model):
        super().__init__()
        self.parameters = {p.untyped_storage()._cdata: p for p in model.parameters()}
        self.read = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func not in (torch.ops.aten.embedding.default, torch.ops.aten.index.Tensor):
            for x in tree_leaves((args, kwargs or {})):
                key = x.untyped_storage()._cdata if isinstance(x, torch.Tensor) else None
                if key in self.parameters and x.numel() == self.parameters[key].numel():
                    self.read[key] = x
        return func(*args, **(kwargs or {}))


@given(settings())
def test_what_a_step_reads_is_every_parameter_but_tables_that_are_looked_up(made_of):
    config = Config(**made_of)
    model = Decoder(config)
    with torch.no_grad(), Reads(model) as reads:
        model(torch.zeros(1, 1, dtype=torch.long))
    read = sum(reads.parameters[key].numel() for key in reads.read)
    assert parameters(config).read == read


@given(settings(), st.integers(1, 4), st.integers(1, 3))
def test_flops_of_a_forward_pass_are_those_that_run(made_of, q, batch):
    config = Config(**made_of)
    model = Decoder(config)
    with torch.no_grad(), OperationCounter() as counter:
        model(torch.zeros(batch, q, dtype=torch.long))
    assert sum(forward_flops(config, q, batch=batch).values()) == counter.products


@pytest.mark.parametrize("attention", ["plain", "sdpa"])
@pytest.mark.parametrize("batch", [1, 3])
def test_flops_of_a_decode_step_are_those_that_run(attention, batch):
    config = replace(SMALL, attention=attention)
    model, tokens = Decoder(config), torch.zeros(batch, 9, dtype=torch.long)
    caches = caches_for(config, "static", batch=batch, capacity=16)
    with torch.inference_mode():
        model(tokens, caches=caches)
        with OperationCounter() as counter:
            model(tokens[:, :1], caches=caches)
    assert counter.products == decode_step(config, 10, batch=batch).flops


def test_flops_by_part_by_hand():
    # m = 24, h·d = 24, g·d = 8, f = 40, v = 31, three layers; two sequences of five tokens.
    flops = forward_flops(SMALL, 5, batch=2)
    assert flops["projections"] == 2 * 2 * 3 * 5 * (24 * 24 + 2 * 24 * 8 + 24 * 24)
    assert flops["attention"] == 2 * 2 * 3 * 6 * 25 * (4 + 4)
    assert flops["feedforward"] == 2 * 2 * 3 * 5 * 3 * 24 * 40
    assert flops["head"] == 2 * 2 * 5 * 24 * 31
    assert forward_flops(SMALL, 5, causal=True)["attention"] == 2 * 3 * 6 * 15 * (4 + 4)
    assert forward_flops(SMALL, 5, logits=1)["head"] == 2 * 24 * 31
    windowed = replace(SMALL, window=2)
    assert forward_flops(windowed, 5, causal=True)["attention"] == 2 * 3 * 6 * 9 * (4 + 4)


@given(st.integers(1, 20), st.integers(1, 20))
def test_a_prompt_in_two_chunks_costs_what_it_costs_whole(first, second):
    whole = forward_flops(SMALL, first + second, causal=True)
    parts = [
        forward_flops(SMALL, first, causal=True),
        forward_flops(SMALL, second, first + second, causal=True),
    ]
    assert whole == {name: sum(part[name] for part in parts) for name in whole}


@given(settings(), st.integers(1, 4), st.sampled_from([torch.float32, torch.bfloat16]))
def test_cache_bytes_are_those_that_a_cache_holds(made_of, k, dtype):
    config = Config(**made_of)
    caches = caches_for(config, "static", batch=2, capacity=k, dtype=dtype)
    per_token = cache_bytes_per_token(config, itemsize=dtype.itemsize)
    assert sum(cache.nbytes for cache in caches) == 2 * k * per_token


def test_cache_bytes_are_those_that_a_model_fills():
    caches = [ContiguousCache() for _ in range(SMALL.n_layers)]
    Decoder(SMALL)(torch.zeros(2, 7, dtype=torch.long), caches=caches)
    assert sum(c.nbytes for c in caches) == 2 * 7 * cache_bytes_per_token(SMALL, itemsize=4)


def test_a_step_moves_weights_once_and_each_sequences_cache():
    weights, per_token = parameters(SMALL).read, cache_bytes_per_token(SMALL, itemsize=2)
    for batch in (1, 5):
        assert decode_step(SMALL, 10, batch=batch).nbytes == 2 * weights + batch * 10 * per_token
    windowed = replace(SMALL, window=4)
    assert decode_step(windowed, 10) == decode_step(SMALL, 4)


@pytest.mark.parametrize(
    "latent",
    [
        Latent(latent_width=6, rotary_width=4, head_width=5, value_width=3),
        Latent(latent_width=7, rotary_width=2, head_width=3, value_width=4, query_latent_width=5),
        Latent(latent_width=7, rotary_width=0, head_width=3, value_width=4),
    ],
)
def test_latent_attention_holds_computes_and_keeps_what_the_formulas_say(latent):
    rotary = Rotary(latent.rotary_width) if latent.rotary_width else None
    layer = LatentAttention(d_model=24, n_heads=6, rotary=rotary, **vars(latent))
    assert (
        3 * sum(p.numel() for p in layer.parameters()) == parameters(SMALL, latent=latent).attention
    )
    with OperationCounter() as counter:
        layer(torch.randn(2, 5, 24))
    flops = forward_flops(SMALL, 5, batch=2, latent=latent)
    assert 3 * counter.products == flops["projections"] + flops["attention"]
    width = latent.latent_width + latent.rotary_width
    cache = StaticCache(
        batch=2, n_kv_heads=1, capacity=7, width=width, value_width=latent.latent_width,
        value_in_key=True,
    )  # fmt: skip
    with torch.no_grad():
        layer(torch.randn(2, 6, 24), cache=cache)
        with OperationCounter() as counter:
            layer(torch.randn(2, 1, 24), cache=cache)
    flops = forward_flops(SMALL, 1, 7, batch=2, latent=latent)
    assert 3 * counter.products == flops["projections"] + flops["attention"]
    per_token = cache_bytes_per_token(SMALL, itemsize=4, latent=latent)
    assert 3 * cache.nbytes == 2 * 7 * per_token


@pytest.mark.parametrize("kind", ["relu", "swiglu"])
def test_a_width_that_is_left_out_is_the_modules(kind):
    config = replace(SMALL, d_ff=None, feedforward=kind)
    up = Decoder(config).blocks[0].feedforward.up
    assert isinstance(up, nn.Linear)
    assert feedforward_width(config) == up.out_features


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: forward_flops(SMALL, 0), "q=0"),
        (lambda: forward_flops(SMALL, 5, 4), "q is at most k"),
        (lambda: forward_flops(SMALL, 5, logits=0), "logits=0"),
        (lambda: decode_step(SMALL, 0), "k=0"),
        (lambda: decode_step(SMALL, 1, batch=0), "batch=0"),
        (lambda: cache_bytes_per_token(SMALL, itemsize=0), "itemsize=0"),
        (
            lambda: Latent(latent_width=0, rotary_width=2, head_width=3, value_width=4),
            "latent_width=0",
        ),
        (
            lambda: Latent(latent_width=1, rotary_width=-2, head_width=3, value_width=4),
            "rotary_width=-2",
        ),
    ],
)
def test_sizes_that_cannot_be_are_refused_by_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
