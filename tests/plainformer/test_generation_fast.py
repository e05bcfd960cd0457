"""The fast path gives the model's tokens, is used only if it does, and reports its use."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from torch import nn

from plainformer.attention import attend_heads
from plainformer.cache.base import LayerCache
from plainformer.generation import (
    EndToken,
    LeanDecoder,
    NotLean,
    PromptLookup,
    Sampler,
    fast,
    generate,
    growing,
    static,
    stream,
)
from plainformer.generation.lean.layers import pack
from plainformer.positions import DynamicNTK, Rotary
from plainformer.scores import cosine
from tests.plainformer.generation_models import Table, talkative
from tests.plainformer.test_generation_lean import FOREIGN, KINDS, decoder

PROMPTS = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [3, 3, 3, 3, 3]]


def both(model, prompts=PROMPTS, **options):
    """Run both paths."""
    return [generate(model, prompts, fast=way, **options) for way in (True, False)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_both_paths_give_the_same_tokens(kind, dtype):
    model = decoder(dtype=dtype, **KINDS[kind])
    for b, sampler in ((1, None), (3, Sampler(temperature=1.5, top_k=9, seed=4))):
        fast, plain = both(model, PROMPTS[:b], max_new_tokens=25, sampler=sampler)
        assert (fast.path, plain.path) == ("lean", "model")
        assert fast.tokens == plain.tokens
        assert fast.stopped == plain.stopped == ["length"] * b
        logs = [torch.tensor(made.log_probabilities) for made in (fast, plain)]
        torch.testing.assert_close(*logs, rtol=2e-4, atol=2e-4)
    assert len({token for new in fast.tokens for token in new}) > 4


@pytest.mark.parametrize("chunk", [1, 2, 4, 5, 9])
def test_prompts_are_read_in_chunks_and_to_the_end_of_the_context(chunk):
    fast, plain = both(talkative(context=12), max_new_tokens=50, chunk=chunk)
    assert fast.tokens == plain.tokens
    assert fast.stopped == ["context"] * 3
    assert [len(new) for new in fast.tokens] == [8] * 3


def test_a_sequence_that_stops_leaves_the_others_as_they_were():
    model = talkative()
    free = generate(model, PROMPTS, max_new_tokens=15, fast=False).tokens
    fast, plain = both(model, max_new_tokens=15, stop=EndToken(free[0][2]))
    assert fast.tokens == plain.tokens
    assert fast.stopped[0] == "token"


def test_it_is_taken_by_itself_where_it_pays_and_nowhere_else(monkeypatch):
    model = talkative(context=128)
    assert generate(model, [[1]], max_new_tokens=63).path == "model"
    assert generate(model, [[1]], max_new_tokens=64).path == "lean"
    assert generate(model, [[1]], max_new_tokens=63, fast=True).path == "lean"
    assert generate(model, [[1]], max_new_tokens=64, fast=False).path == "model"
    assert generate(model, [[1]], max_new_tokens=1).path == "lean", "it is packed already"
    monkeypatch.setattr(fast, "MOST_BYTES", 100)
    model = talkative(context=128)
    assert generate(model, [[1]], max_new_tokens=64).path == "model"


@pytest.mark.parametrize("weights", ["float64", "float32", "bfloat16", "int8"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_weights_of_another_type_are_packed_so_and_force_the_fast_path(weights, dtype):
    model = talkative(context=128).to(dtype)
    made = generate(model, PROMPTS, max_new_tokens=9, weights=weights)
    lean = LeanDecoder(model, batch=3, capacity=14, weights=weights)
    assert made.path == "lean"
    assert made.tokens == lean.generate(torch.tensor(PROMPTS), max_new_tokens=9).tolist()
    logits = lean.step(torch.tensor([new[-1] for new in made.tokens]))
    again = generate(model, [p + n for p, n in zip(PROMPTS, made.tokens, strict=True)],
                     max_new_tokens=1, weights=weights)  # fmt: skip
    likeliest = logits.double().log_softmax(-1).amax(-1)
    assert torch.tensor(again.log_probabilities)[:, 0].tolist() == pytest.approx(
        likeliest.tolist(), abs=1e-5
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": "int4"}, "weights='int4': expected one of float64, float32, bfloat16, int8"),
        ({"weights": "int8", "fast": False}, "weights='int8' are the fast path's, and fast=False"),
        ({"weights": "int8", "caches": None}, "weights='int8': caches are given"),
    ],
    ids=str,
)
def test_weights_that_cannot_be_packed_are_refused_before_the_first_token(options, words):
    with pytest.raises(ValueError, match=words):
        stream(talkative(), PROMPTS, max_new_tokens=4, **options)


def test_a_stream_says_its_path_before_its_first_token():
    tokens = stream(talkative(context=128), PROMPTS, max_new_tokens=64)
    assert tokens.path == "lean"
    first = next(tokens)
    tokens.close()
    assert (first.sequence, list(tokens)) == (0, [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"caches": static}, "caches are given"),
        ({"caches": "static"}, "caches are given"),
        ({"caches": None}, "caches are given"),
        ({"drafter": PromptLookup()}, "a drafter guesses ahead"),
        ({"prompts": [[1], [2, 3]]}, r"prompts of lengths \[1, 2\] need padding"),
        ({"prompts": []}, r"prompts of lengths \[\]"),
        ({"model": talkative(context=128).bfloat16()}, "bfloat16"),
        ({"model": Table(0)}, "the model is a Table, no Decoder"),
        *(({"model": decoder(**kind)}, "lean|do not change") for kind in FOREIGN.values()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else value,
)
def test_what_is_in_its_way_is_named_and_goes_the_other_way_by_itself(options, words):
    given = {"model": talkative(context=128), "prompts": [[1, 2]], "max_new_tokens": 64, **options}
    with pytest.raises(NotLean, match=f"fast=True: .*{words}"):
        stream(**given, fast=True)
    assert stream(**given).path == "model"


class Adapted(nn.Linear):
    """Add to the output of a linear layer, like adapters."""

    def forward(self, x):
        return super().forward(x) + 1


def hook(model):
    model.blocks[1].feedforward.register_forward_hook(lambda _m, _a, out: out * 0.5)


def adapter(model):
    model.blocks[0].attention.query.__class__ = Adapted


def backend(model):
    model.blocks[0].attention.backend = lambda *args, **more: 2 * attend_heads(*args, **more)


def override(model):
    model.blocks[0].feedforward.forward = torch.zeros_like


def score(model):
    for block in model.blocks:
        block.attention.score, block.attention.backend = cosine, attend_heads


def dynamic(model):
    for block in model.blocks:
        block.attention.rotary = Rotary(4, scaling=DynamicNTK(factor=2.0, context=4))


@pytest.mark.parametrize("change", [hook, adapter, backend, override, score, dynamic])
def test_a_model_that_was_changed_by_hand_computes_itself(change):
    model = talkative(context=128)
    change(model)
    with pytest.raises(NotLean):
        generate(model, [[1, 2]], max_new_tokens=64, fast=True)
    made = generate(model, [[1, 2]], max_new_tokens=64)
    assert made.path == "model"
    assert made.tokens == generate(model, [[1, 2]], max_new_tokens=64, caches=static).tokens


def test_later_calls_see_later_weights():
    model = talkative(context=128)
    before = generate(model, [[1, 2]], max_new_tokens=64)
    with torch.no_grad():
        model.output.weight.mul_(-1)
    after, plain = both(model, [[1, 2]], max_new_tokens=64)
    assert before.tokens != after.tokens == plain.tokens


def test_caches_have_names():
    model = talkative()
    expected = generate(model, PROMPTS, max_new_tokens=9, caches=growing).tokens
    for name in ("growing", "static"):
        assert generate(model, PROMPTS, max_new_tokens=9, caches=name).tokens == expected


def test_caches_that_hold_something_are_refused():
    model, kept = talkative(), []

    def again(*sizes) -> list[LayerCache]:
        kept.extend([] if kept else static(*sizes))
        return kept

    expected = generate(model, PROMPTS[:1], max_new_tokens=9, caches=again)
    with pytest.raises(ValueError, match=r"hold 13 positions already.*new ones at each call"):
        generate(model, [[1] * 20], max_new_tokens=3, caches=again)
    for cache in kept:
        cache.truncate(0)
    assert generate(model, PROMPTS[:1], max_new_tokens=9, caches=again) == expected


@pytest.mark.parametrize("name", ["logits", "hidden"])
def test_a_method_replaced_on_the_model_itself_counts(name):
    model = talkative()
    own = getattr(model, name)
    setattr(model, name, lambda *args, **options: -own(*args, **options))
    made = generate(model, PROMPTS[:1], max_new_tokens=64)
    assert made.path == "model"
    assert made.tokens == generate(model, PROMPTS[:1], max_new_tokens=64, caches="static").tokens


def test_a_hook_of_all_modules_counts():
    model = talkative()
    hook = nn.modules.module.register_module_forward_hook(
        lambda module, inputs, out: out.flip(-1) if module is model.output else None
    )
    try:
        assert generate(model, PROMPTS[:1], max_new_tokens=64).path == "model"
    finally:
        hook.remove()
    assert generate(model, PROMPTS[:1], max_new_tokens=64).path == "lean"


def test_a_model_without_its_last_norm_computes_itself():
    model = talkative()
    model.norm = nn.Identity()
    assert generate(model, PROMPTS[:1], max_new_tokens=64).path == "model"


def test_each_layer_needs_a_new_cache_of_its_own():
    model = talkative()
    first, second = growing(model, 1, 20)[:2]
    with pytest.raises(ValueError, match="made one cache for several layers"):
        generate(model, PROMPTS[:1], max_new_tokens=2, caches=lambda *_: [first, first])
    model(torch.tensor([[1, 2, 3]]), caches=[growing(model, 1, 20)[0], second])
    with pytest.raises(ValueError, match="hold 3 positions already"):
        generate(model, PROMPTS[:1], max_new_tokens=2, caches=lambda *_: [first, second])


@pytest.fixture
def packings(monkeypatch):
    """List the dtypes in which weights are packed, one entry for each packing."""
    made = []

    def noted(model, *, weights, batch):
        made.append(weights)
        return pack(model, weights=weights, batch=batch)

    monkeypatch.setattr(fast, "pack", noted)
    return made


def test_weights_are_packed_once_for_all_calls_of_a_kind(packings):
    model = talkative(context=128)
    first = generate(model, [[1, 2]], max_new_tokens=64)
    again = generate(model, [[1, 2]], max_new_tokens=64)
    longer = generate(model, [[1, 2]], max_new_tokens=90)
    assert first == again
    assert first.tokens[0] == longer.tokens[0][:64]
    assert packings == ["float64"]
    generate(model, [[1, 2]], max_new_tokens=4, weights="int8")
    generate(model, [[1, 2], [3, 4]], max_new_tokens=4, weights="int8")
    assert packings == ["float64", "int8", "int8"]
    generate(talkative(context=128), [[1, 2]], max_new_tokens=64)
    assert len(packings) == 4


def counted(model):
    with torch.no_grad():
        model.blocks[0].feedforward.up.weight[3, 3] += 1e-9


def negative(model):
    model.output.weight.data.mul_(-1)


def rows(model):
    weight = model.blocks[1].feedforward.up.weight.data
    weight[[0, 1]] = weight[[1, 0]]


def columns(model):
    weight = model.blocks[1].attention.output.weight.data
    weight[:, [0, 1]] = weight[:, [1, 0]]


def one_number(model):
    model.blocks[0].attention.value.weight.detach().numpy()[2, 5] += 0.5


def gain(model):
    model.blocks[0].attention_residual.norm.weight.data[1] *= 1 + 1e-6


def loaded(model):
    model.load_state_dict(talkative(seed=5, context=128).state_dict())


def another_parameter(model):
    model.blocks[0].feedforward.down.weight = nn.Parameter(
        -model.blocks[0].feedforward.down.weight.detach()
    )


def epsilon(model):
    model.norm.eps = 0.5


def activation(model):
    model.blocks[0].feedforward.activation = torch.tanh


def configuration(model):
    model.config = replace(model.config, output_scale=0.25)


CHANGES = [
    *(counted, negative, rows, columns, one_number, gain, loaded, another_parameter),
    *(epsilon, activation, configuration),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_packed_is_not_used_for_a_model_that_has_changed(change, packings):
    model = talkative(context=128)
    before = generate(model, [[1, 2]], max_new_tokens=64, fast=True)
    change(model)
    after, plain = both(model, [[1, 2]], max_new_tokens=64)
    assert len(packings) == 2
    assert after.tokens == plain.tokens
    logs = [torch.tensor(made.log_probabilities) for made in (after, plain, before)]
    torch.testing.assert_close(*logs[:2], rtol=2e-4, atol=2e-4)
    if change not in (counted, gain):  # too small a change to be seen in the logits
        assert not torch.allclose(logs[0], logs[2], rtol=2e-4, atol=2e-4)


def test_what_was_packed_goes_with_the_model():
    model = talkative(context=128)
    generate(model, [[1, 2]], max_new_tokens=64, fast=True)
    packed = weakref.ref(fast.KEPT[model][3])
    del model
    gc.collect()
    assert packed() is None


def test_threads_share_what_was_packed_and_nothing_else():
    model = talkative(context=128)
    prompts = [[[i + 1, 2, 3]] for i in range(4)]

    def tell(prompt):
        return generate(model, prompt, max_new_tokens=100, weights="int8").log_probabilities

    one_by_one = [tell(prompt) for prompt in prompts]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            assert list(pool.map(tell, prompts)) == one_by_one
