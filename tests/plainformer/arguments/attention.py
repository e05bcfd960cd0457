"""Rows for attention: the functions that compute it, and the modules that call them."""

import zlib

import torch

from plainformer import flash
from plainformer.attention import attend, attend_heads, attention_weights
from plainformer.cache import ContiguousCache
from plainformer.latent_attention import LatentAttention
from plainformer.mask_rules import Rule
from plainformer.multihead import MultiHeadAttention
from plainformer.positions import Alibi, Interpolation, Rotary
from plainformer.scores import dot, scaled_dot
from plainformer.sdpa import sdpa
from tests.plainformer.arguments.rows import Case, Other
from tests.plainformer.tensors import normal

Q, K, V = normal(1, 2, 3, 4, seed=1), normal(1, 2, 5, 4, seed=2), normal(1, 2, 5, 4, seed=3)
NEAR = Rule(window=2).dense(3, 5)
HEADS = {"query": Q, "key": K, "value": V}
OTHERS = {
    "query": 2 * Q,
    "key": 2 * K,
    "value": 2 * V,
    "mask": NEAR,
    "score": dot,
    "bias": normal(1, 2, 3, 5, seed=4),
}


def in_blocks(score=scaled_dot, **arguments):
    calls = []
    output = flash.attend_in_blocks(score=lambda *a: calls.append(0) or score(*a), **arguments)
    return output, len(calls)


def drawn(module):
    """Give a module weights that depend only on their names."""
    for name, weight in module.named_parameters():
        weight.data = normal(*weight.shape, seed=zlib.crc32(name.encode()) % 2**31) / 2
    return module.double()


X, MEMORY = normal(1, 3, 8, seed=5), normal(1, 4, 8, seed=6)


def called(make):
    """Return the state and output of an attention module, and the back end that computed it."""

    def result(backend=attend_heads, **arguments):
        asked = []
        spy = lambda *a, **k: asked.append(backend.__name__) or backend(*a, **k)  # noqa: E731
        module = drawn(make(backend=spy, **arguments))
        width = arguments["d_model"]
        memory = normal(1, 4, arguments.get("memory_width", width), seed=6)
        output = module(normal(1, 3, width, seed=5), memory)
        return output, asked, {name: w.shape for name, w in module.named_parameters()}

    return result


def forwarded(make, **made):
    def result(**arguments):
        cache = arguments.get("cache")
        output = drawn(make(**made))(**arguments)
        if cache is None:
            return output
        held = cache.length
        cache.truncate(held - arguments["x"].shape[1])
        return output, held

    return result


def holding(width, value_width=None, heads=1):
    cache = ContiguousCache()
    key = normal(1, heads, 2, width, seed=7)
    value = key if value_width is None else key[..., :value_width]
    cache.append(key, value)
    return cache


SIZES = {"d_model": 8, "n_heads": 2}
LATENT = {
    **SIZES,
    "latent_width": 4,
    "rotary_width": 2,
    "head_width": 4,
    "value_width": 4,
    "rotary": Rotary(2),
}
FORWARD = {
    "x": 2 * X,
    "memory": MEMORY,
    "mask": Rule(),
    "positions": torch.tensor([4, 7, 9]),
    "bias": Alibi(2),
}
CASES = [
    *(Case(f, HEADS, OTHERS) for f in (attend, attend_heads, sdpa, flash.attend_in_tiles)),
    Case(flash.attend, HEADS, {**OTHERS, "return_lse": True}),
    Case(
        attention_weights,
        {"query": Q, "key": K},
        {name: other for name, other in OTHERS.items() if name != "value"},
    ),
    Case(
        flash.attend_in_blocks,
        {"query": Q[0], "key": K[0], "value": V[0]},
        {
            "query": 2 * Q[0],
            "key": 2 * K[0],
            "value": 2 * V[0],
            "rule": Rule(window=2),
            "score": dot,
            "height": 2,
            "width": 2,
        },
        in_blocks,
    ),
    Case(
        MultiHeadAttention,
        SIZES,
        {
            "d_model": 6,
            "n_heads": 4,
            "n_kv_heads": 1,
            "head_width": 6,
            "memory_width": 6,
            "bias": True,
            "output_bias": True,
            "score": dot,
            "rotary": Rotary(4),
            "backend": sdpa,
        },
        called(MultiHeadAttention),
    ),
    Case(
        MultiHeadAttention.forward,
        {"x": X},
        {**FORWARD, "cache": holding(4, heads=2)},
        forwarded(MultiHeadAttention, **SIZES, rotary=Rotary(4)),
    ),
    Case(
        LatentAttention,
        LATENT,
        {
            "d_model": 6,
            "n_heads": 4,
            "latent_width": 6,
            "rotary_width": Other(4, refused="rotary"),
            "head_width": 6,
            "value_width": 6,
            "query_latent_width": 5,
            "rotary": Rotary(2, scaling=Interpolation(factor=4.0)),
            "norm_eps": 1.0,
            "backend": sdpa,
        },
        called(LatentAttention),
    ),
    Case(
        LatentAttention.forward,
        {"x": X},
        {**FORWARD, "cache": holding(6, 4)},
        forwarded(LatentAttention, **LATENT),
    ),
]
