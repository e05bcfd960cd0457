"""Advice in errors of models, checkpoints and positions, with calls that follow each part."""

import contextlib
import dataclasses
import json
import os
from inspect import unwrap
from pathlib import Path
from unittest import mock

import torch
from safetensors import safe_open

from plainformer import devices
from plainformer.cache import ContiguousCache, SlidingCache
from plainformer.looking import ablated, recorded
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder
from plainformer.models.checkpoints import parse_json
from plainformer.models.llama import config_from
from plainformer.models.pretrained import load, save
from plainformer.models.settings import Settings
from plainformer.multihead import MultiHeadAttention
from plainformer.one_page import gpt2
from plainformer.online_softmax import Partial, merge_tree
from plainformer.positions import Alibi, Learned, Rotary
from tests.plainformer.hints.parts import SIZES, TOKENS, model, place
from tests.plainformer.hints.rows import Hint
from tests.plainformer.small_checkpoints import change_settings, write_gpt2


def spied_on(by, caches=False):
    ours = model()
    if by == "record":
        with recorded(ours) as by:
            ours(TOKENS)
    with ablated(ours, [(0, 0)], by=by):
        return ours(TOKENS, caches=[ContiguousCache() for _ in range(2)] if caches else None)


def by_record(layers):
    ours, other = model(), model(n_layers=layers)
    with recorded(other) as record:
        other(TOKENS)
    with ablated(ours, [(1, 0)], by=record):
        ours(TOKENS)


def checkpoint(**settings):
    folder = write_gpt2(place())
    change_settings(folder, **settings)
    return folder


def llama(**settings):
    given = {"vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
             "intermediate_size": 8, **settings}  # fmt: skip
    return Decoder(config_from(Settings(given)))


ONE, OTHER = (
    {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0},
    {"rope_type": "linear", "factor": 4.0},
)


def sharded(missing):
    folder = write_gpt2(place())
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        index = {"weight_map": dict.fromkeys(file.keys(), "shard.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    name = "elsewhere" if missing else "shard.safetensors"
    (folder / "model.safetensors").rename(folder / name)
    return load(folder)


def mixed(dtype=torch.bfloat16, convert=False, autocast=False):
    ours = model()
    ours.blocks[0].feedforward.to(dtype)
    if convert:
        ours.to(torch.float32)
    with torch.autocast("cpu", enabled=autocast):
        return ours(TOKENS)


def after_unequal(mend):
    ours, caches = model(), [ContiguousCache() for _ in range(2)]
    ours(TOKENS, caches=caches)
    caches[0].truncate(2)
    if mend == "truncate":
        for cache in caches:
            cache.truncate(2)
    if mend == "new":
        caches = [ContiguousCache() for _ in caches]
    return ours(TOKENS[:, :1], caches=caches)


def after_interruption(mend):
    """Interrupt a pass that overwrites part of a ring, and continue in one of the ways."""
    ours = model(window=2, context=16)
    make = lambda: [  # noqa: E731
        SlidingCache(batch=1, window=2, n_kv_heads=2, width=4) for _ in range(2)
    ]
    caches = make()
    ours(TOKENS, caches=caches)

    def fail(module, inputs):
        raise KeyboardInterrupt

    with ours.blocks[1].register_forward_pre_hook(fail), contextlib.suppress(KeyboardInterrupt):
        ours(TOKENS, caches=caches)
    if mend == "new":
        caches = make()
    if mend == "truncate":
        for cache in caches:
            cache.truncate(0)
    if mend == "new" or mend == "truncate":
        return ours(TOKENS, caches=caches)
    return ours(TOKENS[:, :1], caches=caches)


def begun(positions, caches=True):
    ours = model(positions="alibi")
    held = [ContiguousCache() for _ in range(2)] if caches else None
    return ours(TOKENS, positions=positions, caches=held)


def continued(positions, caches=True):
    ours, held = model(positions="alibi"), [ContiguousCache() for _ in "ab"]
    if not caches:
        return ours(torch.cat([TOKENS, TOKENS[:, :1]], 1), positions=torch.tensor([0, 1, 2, 3, 6]))
    ours(TOKENS, caches=held)
    return ours(TOKENS[:, :1], positions=positions, caches=held)


def with_device(name):
    changes = {} if name is None else {"PLAINFORMER_DEVICE": name}
    with mock.patch.dict(os.environ, changes):
        if name is None:
            os.environ.pop("PLAINFORMER_DEVICE", None)
        return devices.device()


def longer(way):
    ours, tokens = model(), torch.ones(1, 9, dtype=torch.long)
    if way == "shorten":
        tokens = tokens[:, :8]
    if way == "load":
        folder = place() / "model"
        save(ours, folder)
        ours = load(folder, context=9)
    if way == "replace":
        ours.config = dataclasses.replace(ours.config, context=9)
    return ours(tokens)


def one_page(length, new):
    ours = Decoder(Config(**SIZES, positions="learned", norm="layer", feedforward="gelu_tanh",
                          bias=True))  # fmt: skip
    page = gpt2(ours.state_dict(), heads=2, context=8)
    return page.greedy(torch.ones(1, length, dtype=torch.long), new)


def turned(rotary):
    return MultiHeadAttention(d_model=8, n_heads=2, rotary=rotary)(torch.zeros(1, 3, 8))


ENDS = torch.tensor([3])
HINTS = [
    Hint(
        "Set it to one of these, or unset it to let plainformer choose",
        lambda: with_device("tpu"),
        [lambda: with_device("cpu"), lambda: with_device(None)],
    ),
    Hint(
        "record a run of this model",
        lambda: by_record(1),
        [lambda: by_record(2)],
    ),
    Hint(
        "run the model without caches, or record a run of it and give the record, by=record",
        lambda: spied_on("mean", caches=True),
        [lambda: spied_on("mean"), lambda: spied_on("record", caches=True)],
    ),
    Hint(
        "save it as UTF-8, or fetch it again",
        lambda: parse_json('{"a": "é"}'.encode("latin-1"), Path("config.json")),
        [lambda: parse_json('{"a": "é"}'.encode(), Path("config.json"))],
    ),
    Hint(
        "correct it there, or fetch it again",
        lambda: parse_json('{"a": 1,}', Path("config.json")),
        [lambda: parse_json('{"a": 1}', Path("config.json"))],
    ),
    Hint(
        "is not there, though … names it: fetch it", lambda: sharded(True), [lambda: sharded(False)]
    ),
    Hint(
        "only … positions read that; leave it out, or use positions=…",
        lambda: model(positions="alibi", rotary_layout="pairs"),
        [
            lambda: model(positions="alibi"),
            lambda: model(positions="rotary", rotary_layout="pairs"),
        ],
    ),
    Hint(
        "shorten the prompt, generate fewer tokens…",
        lambda: longer(None),
        [lambda: longer("shorten"), lambda: longer("load"), lambda: longer("replace")],
    ),
    Hint(
        "Truncate all to at most …, or make new ones",
        lambda: after_unequal(None),
        [lambda: after_unequal("truncate"), lambda: after_unequal("new")],
    ),
    Hint(
        "make new ones, or truncate all to 0, and read the sequence again",
        lambda: after_interruption(None),
        [lambda: after_interruption("new"), lambda: after_interruption("truncate")],
    ),
    Hint(
        "keep one of them, whole",
        lambda: llama(rope_parameters=ONE, rope_scaling=OTHER),
        [lambda: llama(rope_parameters=ONE), lambda: llama(rope_scaling=OTHER)],
    ),
    Hint(
        "is given twice, as … and as …: keep one",
        lambda: llama(rope_theta=5.0, rope_parameters=ONE),
        [lambda: llama(rope_parameters=ONE), lambda: llama(rope_theta=5.0)],
    ),
    Hint(
        "convert the model with model.to(torch.float32)…",
        mixed,
        [
            lambda: mixed(convert=True),
            lambda: mixed(autocast=True),
            lambda: mixed(torch.float64, convert=True),
        ],
    ),
    Hint(
        "a Decoder alone has no encoder; leave it out, or use an EncoderDecoder",
        lambda: model(n_encoder_layers=1),
        [model, lambda: model(EncoderDecoder, n_encoder_layers=1)],
    ),
    Hint(
        "is a file: give the folder that holds it and …",
        lambda: load(write_gpt2(place()) / "model.safetensors"),
        [lambda: load(write_gpt2(place()))],
    ),
    Hint(
        "load(…, …): …",
        lambda: load(write_gpt2(place()), positions="alibi", rotary_layout="pairs"),
        [lambda: load(write_gpt2(place()))],
    ),
    Hint(
        "correct it there, or give them: load(…, end_tokens=[2])",
        lambda: load(checkpoint(eos_token_id="end")),
        [
            lambda: load(checkpoint(eos_token_id=2)),
            lambda: load(checkpoint(eos_token_id="end"), end_tokens=[2]),
        ],
    ),
    Hint(
        "are one setting: keep one of them",
        lambda: load(checkpoint(hidden_size=9)),
        [lambda: load(checkpoint(hidden_size=None))],
    ),
    Hint(
        "Take out of the file what certainly changes nothing",
        lambda: load(checkpoint(novel=1)),
        [lambda: load(checkpoint(novel=None)), lambda: load(write_gpt2(place()))],
    ),
    Hint(
        "… without memory: give memory, too, or leave … out",
        lambda: model()(TOKENS, memory_mask=Rule(causal=False)),
        [
            lambda: model(),
            lambda: Decoder(Config(**SIZES), cross=True)(
                TOKENS, memory=torch.zeros(1, 3, 8), memory_mask=Rule(causal=False)
            ),
        ],
    ),
    Hint(
        "give it causal=False, such as Rule(causal=False, lengths=…), or call hidden(…, "
        "causal=True) if later tokens shall be hidden",
        lambda: model(Encoder)(TOKENS, mask=Rule(lengths=ENDS)),
        [
            lambda: model(Encoder)(TOKENS, mask=Rule(causal=False, lengths=ENDS)),
            lambda: model(Encoder).hidden(TOKENS, mask=Rule(lengths=ENDS), causal=True),
        ],
    ),
    Hint(
        "causal=…, but mask=…: say one or the other",
        lambda: model()(TOKENS, causal=False, mask=Rule()),
        [lambda: model()(TOKENS, causal=False), lambda: model()(TOKENS, mask=Rule())],
    ),
    Hint(
        "make it Rotary(…), with rotated=… where only a part shall turn",
        lambda: turned(Rotary(2)),
        [lambda: turned(Rotary(4)), lambda: turned(Rotary(4, rotated=2))],
    ),
    Hint(
        "pass it by name, mask=…",
        lambda: unwrap(MultiHeadAttention.forward)(
            MultiHeadAttention(d_model=8, n_heads=2), torch.zeros(1, 3, 8), Rule()
        ),
        [lambda: MultiHeadAttention(d_model=8, n_heads=2)(torch.zeros(1, 3, 8), mask=Rule())],
    ),
    Hint(
        "the prompts are empty: give each at least one token",
        lambda: one_page(0, 2),
        [lambda: one_page(1, 2)],
    ),
    Hint(
        "shorten the prompts, or ask for fewer",
        lambda: one_page(5, 5),
        [lambda: one_page(4, 5), lambda: one_page(5, 4)],
    ),
    Hint(
        "no parts: give at least one, such as Partial.nothing(like)",
        lambda: merge_tree([]),
        [lambda: merge_tree([Partial.nothing(torch.zeros(2, 3))])],
    ),
    Hint(
        "slack=…: a rise of the maximum is at least 0; give 0 or more",
        lambda: Partial.nothing(torch.zeros(2, 3)).extend(
            torch.zeros(2, 4), torch.zeros(4, 3), slack=-1.0
        ),
        [
            lambda: Partial.nothing(torch.zeros(2, 3)).extend(
                torch.zeros(2, 4), torch.zeros(4, 3), slack=0.0
            )
        ],
    ),
    Hint(
        "learned positions are 0 to the context's end; shorten the input",
        lambda: Learned(4, 8)(torch.arange(5)),
        [lambda: Learned(4, 8)(torch.arange(4))],
    ),
    Hint(
        "give the bias as a tensor (b, h, q, k), or leave the positions out",
        lambda: MultiHeadAttention(d_model=8, n_heads=2)(
            torch.zeros(1, 3, 8), torch.zeros(1, 2, 8), positions=torch.arange(3), bias=Alibi(2)
        ),
        [
            lambda: MultiHeadAttention(d_model=8, n_heads=2)(
                torch.zeros(1, 3, 8),
                torch.zeros(1, 2, 8),
                positions=torch.arange(3),
                bias=torch.zeros(1, 2, 3, 2),
            ),
            lambda: MultiHeadAttention(d_model=8, n_heads=2)(
                torch.zeros(1, 3, 8), torch.zeros(1, 3, 8), bias=Alibi(2)
            ),
        ],
    ),
    Hint(
        "the bias would count other distances. Leave the positions out, or read the sequence "
        "without a cache",
        lambda: continued(torch.tensor([6])),
        [lambda: continued(None), lambda: continued(torch.tensor([6]), caches=False)],
    ),
    Hint(
        "expected positions that count up by one. Leave them out, or read the sequence without a "
        "cache",
        lambda: begun(torch.tensor([0, 2, 3, 4])),
        [lambda: begun(None), lambda: begun(torch.tensor([0, 2, 3, 4]), caches=False)],
    ),
]
