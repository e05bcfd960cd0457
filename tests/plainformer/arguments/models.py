"""Rows for models: every setting in every kind of model, and the arguments of their calls."""

from dataclasses import replace

import torch

from plainformer.cache import ContiguousCache
from plainformer.generation import generate
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder, MaskedLanguageModel
from tests.plainformer.arguments.attention import drawn
from tests.plainformer.arguments.rows import Case, Other
from tests.plainformer.tensors import coins, normal

TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])
SIZES = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 8}
YARN = {"rotary_scaling": "yarn", "rotary_factor": 2.0}
RELATIVE = {"positions": "relative"}

SETTINGS = {
    "vocabulary": 12,
    "d_model": 12,
    "n_layers": 2,
    "n_heads": 4,
    "n_encoder_layers": 2,
    "n_kv_heads": 1,
    "head_width": 6,
    "d_ff": 20,
    "context": Other(4, refused="context of 4"),
    "positions": "alibi",
    "rotary_base": 3.0,
    "rotary_layout": "pairs",
    "rotary_scaling": Other("ntk", beside={"rotary_scaling": "linear", "rotary_factor": 2.0}),
    "rotary_factor": Other(4.0, beside=YARN),
    "rotary_context": Other(2, beside={**YARN, "rotary_scaling": "dynamic"}),
    "rotary_options": Other({"attention_factor": 3.0}, beside=YARN),
    "relative_buckets": Other(4, beside=RELATIVE),
    "relative_reach": Other(9, beside={**RELATIVE, "relative_buckets": 8}),
    "norm": "layer",
    "norm_eps": 0.5,
    "placement": "post",
    "embedding_norm": True,
    "feedforward": "gelu",
    "bias": True,
    "qkv_bias": True,
    "output_bias": True,
    "feedforward_bias": True,
    "score": "dot",
    "tied": False,
    "embedding_scale": 2.0,
    "output_scale": 2.0,
    "token_types": 2,
    "window": 2,
    "attention": "plain",
    "dropout": 0.5,
    "end_tokens": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
}
# Settings that a kind of model does not use, and why.
NO_USE = {
    Encoder: {
        "tied": "it has no output that could share weights",
        "output_scale": "it has no output",
        "end_tokens": "it writes no text",
    },
    MaskedLanguageModel: {"end_tokens": "it writes no text"},
    EncoderDecoder: {"end_tokens": "generation asks decoders only"},
}
INPUTS = {
    Encoder: (TOKENS,),
    MaskedLanguageModel: (TOKENS,),
    Decoder: (TOKENS,),
    EncoderDecoder: (TOKENS, TOKENS[:, :4]),
}


def seen_of(kind):
    """Return the weights, outputs and text of a kind of model for a configuration."""

    def result(**settings):
        torch.manual_seed(0)
        model = drawn(kind(Config(**settings)))
        backends = [getattr(m, "backend", None) for m in model.modules()]
        outputs = model.train()(*INPUTS[kind])
        text = None
        if kind is Decoder:
            made = generate(model, TOKENS[:1, :2].tolist(), max_new_tokens=2)
            text = made.tokens, made.stopped
        shapes = {name: tuple(weight.shape) for name, weight in model.named_parameters()}
        return outputs, text, backends, shapes

    return result


def settings_of(kind):
    """Make the case of a kind of model; its target is the constructor of the configuration."""
    unread = NO_USE.get(kind, {})
    others = {name: other for name, other in SETTINGS.items() if name not in unread}
    if kind is Decoder:
        others["n_encoder_layers"] = Other(2, refused="a Decoder alone has no encoder")
    return Case(
        Config, {**SIZES, "n_layers": 1}, others, seen_of(kind), unread, f"{kind.__name__}(Config)"
    )


def settled(kind, **settings):
    """Return a call of a model's ``forward``, or of a different method."""

    def result(method="forward", **arguments):
        model = drawn(kind(Config(**{**SIZES, **settings}))).eval()
        caches = {name: held for name, held in arguments.items() if name.endswith("caches")}
        arguments |= {name: filled(held, model) for name, held in caches.items()}
        try:
            return getattr(model, method)(**arguments)
        except IndexError:  # an unchecked token
            return "unchecked"

    return result


def filled(count, model):
    caches = [ContiguousCache() for _ in range(2)]
    for i, cache in enumerate(caches):
        cache.append(*normal(2, 2, 2, count, 4, seed=i))
    return caches


MASK = coins(1, 1, 6, 6, seed=0) | torch.eye(6, dtype=torch.bool)
SOURCE = {"mask": MASK, "positions": torch.tensor([0, 2, 3, 5, 6, 7])}
FORWARD = {"tokens": TOKENS.flip(0), **SOURCE}
TYPES = {**FORWARD, "types": TOKENS % 2}
BEYOND = {"tokens": TOKENS + 9, "trusted": True}
TRUSTED = Other(False, refused="outside the vocabulary", beside=BEYOND)
MEMORY, RULE = normal(2, 3, 8, seed=3), Rule(causal=False, lengths=torch.tensor([3, 2]))
CROSSED = {"memory": 2 * MEMORY, "memory_mask": RULE, "memory_caches": 2}
LONE = {
    "memory": Other(MEMORY, refused="cross-attention"),
    "memory_mask": Other(RULE, refused="memory_mask"),
    "memory_caches": Other(2, refused="memory_caches"),
}
STACK = {**FORWARD, "causal": False, "caches": 2, "trusted": TRUSTED}


def method(function, base, others, kind, **settings):
    call, name = settled(kind, **settings), function.__name__
    return Case(function, base, others, lambda **arguments: call(name, **arguments))


def of_decoder(function, others):
    alone = {"tokens": TOKENS}
    return [
        method(function, alone, {**STACK, **LONE, **others}, Decoder),
        replace(
            method(function, {**alone, "memory": MEMORY}, {**STACK, **CROSSED, **others}, Crossed),
            name=f"{function.__qualname__} of a memory",
        ),
    ]


class Crossed(Decoder):
    """A decoder that reads a memory."""

    def __init__(self, config):
        super().__init__(config, cross=True)


CASES = [
    *(settings_of(kind) for kind in INPUTS),
    Case(
        Encoder,
        {"config": Config(**SIZES, placement="deep")},
        {"config": Config(**SIZES), "feeds": True},
        lambda **arguments: (torch.manual_seed(0), Encoder(**arguments).state_dict()),
    ),
    Case(
        Decoder,
        {"config": Config(**SIZES)},
        {"config": Config(**SIZES, tied=False), "cross": True},
        lambda **arguments: [name for name, _ in Decoder(**arguments).named_parameters()],
    ),
    method(Encoder.forward, {"tokens": TOKENS}, TYPES, Encoder, token_types=2),
    method(
        MaskedLanguageModel.forward, {"tokens": TOKENS}, TYPES, MaskedLanguageModel, token_types=2
    ),
    *of_decoder(Decoder.forward, {}),
    *of_decoder(Decoder.hidden, {"types": Other(TOKENS % 2, refused="types")}),
    method(
        EncoderDecoder.forward,
        {"source": TOKENS, "target": TOKENS},
        {
            "source": TOKENS.flip(0),
            "target": TOKENS.flip(0),
            "source_mask": Rule(causal=False, lengths=torch.tensor([3, 2])),
            "mask": MASK,
        },
        EncoderDecoder,
    ),
    method(
        EncoderDecoder.encode, {"source": TOKENS}, {"source": TOKENS[:1], **SOURCE}, EncoderDecoder
    ),
    method(
        EncoderDecoder.decode,
        {"target": TOKENS, "memory": MEMORY},
        {
            "target": TOKENS.flip(0),
            **SOURCE,
            **CROSSED,
            "caches": 2,
            "trusted": Other(False, "outside the", {"target": TOKENS + 9, "trusted": True}),
        },
        EncoderDecoder,
    ),
]
