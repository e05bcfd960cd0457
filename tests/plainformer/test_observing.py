"""Observation works in generation and serving; packed weights are not used during it."""

import pytest
import torch

from plainformer.cache import PagedCache, SlidingCache
from plainformer.generation import ModelDrafter, PromptLookup, generate
from plainformer.generation.fast import is_packed
from plainformer.generation.lean.decoder import LeanDecoder
from plainformer.generation.lean.recipe import NotLean
from plainformer.looking import ablated, recorded
from plainformer.mask_rules import Rule
from plainformer.models.caches import caches_for
from plainformer.multihead import MultiHeadAttention
from plainformer.serving import Engine, Request
from tests.plainformer.generation_models import talkative
from tests.plainformer.tensors import normal
from tests.plainformer.test_looking_ablation import silent_by_hand

PROMPTS, NEW = [[1, 2, 3, 4, 5], [6, 7, 8]], 4
SILENT = (0, 2)


def engine(model, prompts, new, **more):
    one = Engine(model, pages=40, page_size=2, **more)
    numbers = [one.submit(Request(prompt=p, max_new_tokens=new)) for p in prompts]
    answers = one.run()
    return [answers[n].tokens for n in numbers]


def with_caches(kind):
    def make(model, b, capacity):
        sizes = {"batch": b, "capacity": capacity, "window": 24, "page_size": 2}
        return caches_for(model.config, kind, dtype=torch.float64, **sizes)

    return lambda model, prompts, new: list(
        generate(model, prompts, max_new_tokens=new, caches=make, chunk=3).tokens
    )


def drafted(drafter):
    return lambda model, prompts, new: list(
        generate(model, prompts, max_new_tokens=new, drafter=drafter(model), ahead=3).tokens
    )


def alone(model, prompts, new):
    """Generate each prompt alone, in a case that would use packed weights but refuses them."""
    return [generate(model, [p], max_new_tokens=new).tokens[0] for p in prompts]


PATHS = {
    **{kind: with_caches(kind) for kind in ("contiguous", "static", "sliding", "paged")},
    "lookup": drafted(lambda model: PromptLookup()),
    "drafter": drafted(ModelDrafter),
    "engine": engine,
    "engine in small steps": lambda *given: engine(*given, token_budget=3),
    "alone": alone,
}


def by_whole_passes(model, prompts, new):
    found = []
    for prompt in prompts:
        text = list(prompt)
        with torch.no_grad():
            for _ in range(new):
                text.append(int(model(torch.tensor([text]))[0, -1].argmax()))
        found.append(text[len(prompt) :])
    return found


def model_of(groups, seed=0):
    return talkative(seed, n_kv_heads=groups).eval().requires_grad_(False)


def texts(groups, how):
    """Return a seed for which the change of a head changes both texts, and the right texts."""
    for seed in range(20):
        plain = by_whole_passes(model_of(groups, seed), PROMPTS, NEW)
        right = by_whole_passes(how(model_of(groups, seed)), PROMPTS, NEW)
        if all(a != b for a, b in zip(plain, right, strict=True)):
            return seed, right
    raise AssertionError("no such seed")


@pytest.mark.parametrize("groups", [2, 1])
def test_a_text_is_that_of_a_model_without_the_head_on_every_path(groups):
    seed, right = texts(groups, lambda model: silent_by_hand(model, *SILENT))
    for path in PATHS.values():
        model = model_of(groups, seed)
        with ablated(model, [SILENT]):
            assert path(model, PROMPTS, NEW) == right


def test_a_back_end_of_ones_own_sees_all_heads_on_every_path():
    def halve(model, seen=None):
        attention = model.blocks[0].attention
        before = attention.backend

        def halved(query, key, value, mask=None, **options):
            if seen is not None:
                seen.append((query.shape[1], key.shape[1]))
            out = before(query, key, value, mask, **options).clone()
            out[:, 2] *= -1
            return out

        attention.backend = halved
        return model

    seed, right = texts(2, halve)
    for path in PATHS.values():
        seen = []
        assert path(halve(model_of(2, seed), seen), PROMPTS, NEW) == right
        assert set(seen) == {(4, 2)}


@pytest.mark.parametrize("path", ["contiguous", "static", "paged", "engine", "lookup"])
def test_what_is_recorded_of_a_text_is_what_a_whole_pass_shows(path):
    model, prompt = model_of(2), PROMPTS[0]
    with recorded(model) as steps:
        (new,) = PATHS[path](model, [prompt], NEW)
    with recorded(model) as whole, torch.no_grad():
        model(torch.tensor([[*prompt, *new[:-1]]]))
    n = len(prompt) + NEW - 1
    for layer, name in enumerate(whole.names):
        rows = {}
        for weights, where in zip(steps.weights, steps.names, strict=True):
            if where == name:
                q, k = weights.shape[-2:]
                rows |= {k - q + i: weights[0, :, i] for i in range(q)}
        assert len(rows) >= n
        for at in range(n):
            torch.testing.assert_close(
                rows[at][:, : at + 1], whole.weights[layer][0, :, at, : at + 1]
            )


def test_what_is_recorded_while_serving_can_be_differentiated_through():
    model = model_of(2)
    with recorded(model) as record:
        engine(model, [PROMPTS[0]], 2)
    weight = torch.ones((), dtype=torch.float64, requires_grad=True)
    (record.weights[0] * weight).sum().backward()
    assert weight.grad > 0


def test_each_request_of_a_packed_row_is_recorded_beside_the_others():
    model = model_of(2)
    with recorded(model) as record:
        engine(model, PROMPTS, 1)
    first, values, outputs = record.weights[0], record.values[0], record.outputs[0]
    assert first.shape == (1, 4, 8, 8)
    assert not first[..., :5, 5:].any()
    assert not first[..., 5:, :5].any()
    for part, prompt in ((slice(5), PROMPTS[0]), (slice(5, 8), PROMPTS[1])):
        with recorded(model) as whole, torch.no_grad():
            model(torch.tensor([prompt]))
        torch.testing.assert_close(first[..., part, part], whole.weights[0])
    torch.testing.assert_close(first @ values, outputs)


def test_what_a_window_has_forgotten_has_no_weight():
    torch.manual_seed(0)
    layer, x = (
        MultiHeadAttention(d_model=8, n_heads=4, n_kv_heads=2).double(),
        normal(1, 9, 8, seed=0),
    )
    sizes = {"batch": 1, "n_kv_heads": 2, "width": 2, "dtype": torch.float64}
    cache = SlidingCache(window=3, sinks=1, **sizes)
    with recorded(layer) as whole:
        layer(x, mask=Rule(window=3, sinks=1))
    with recorded(layer) as steps:
        for i in range(9):
            layer(x[:, i : i + 1], mask=Rule(window=6, sinks=1), cache=cache)
    for i, (weights, values) in enumerate(zip(steps.weights, steps.values, strict=True)):
        torch.testing.assert_close(weights, whole.weights[0][..., i : i + 1, : i + 1])
        torch.testing.assert_close(weights @ values, steps.outputs[i])
        assert (weights > 0).sum(-1).max() <= 4


def test_packed_weights_step_aside_or_refuse_by_name():
    model = model_of(2)
    long = [[1, 2, 3]], 21
    assert generate(model, long[0], max_new_tokens=long[1], fast=True).path == "lean"
    assert is_packed(model, batch=1)
    lean = LeanDecoder(model, capacity=24, weights="float64")
    lean.prefill(torch.tensor([[1, 2]]))
    for look in (lambda: ablated(model, [SILENT]), lambda: recorded(model)):
        with look():
            whole = generate(model, long[0], max_new_tokens=long[1])
            assert whole.path == "model"
            for forced in ({"fast": True}, {"weights": "int8"}, {"weights": "float32"}):
                with pytest.raises(NotLean, match="recorded or ablated"):
                    generate(model, long[0], max_new_tokens=2, **forced)
            for use in (lean.step, lambda t: lean.prefill(t[None])):
                with pytest.raises(NotLean, match="recorded or ablated"):
                    use(torch.tensor([3]))
    assert lean.length == 2
    assert lean.step(torch.tensor([3])).shape == (1, 13)


def test_a_request_that_runs_is_read_again_when_a_head_is_silenced():
    seed, _ = texts(2, lambda model: silent_by_hand(model, *SILENT))
    model = model_of(2, seed)
    one = Engine(model, pages=40, page_size=2)
    number = one.submit(Request(prompt=PROMPTS[0], max_new_tokens=NEW))
    for _ in range(2):
        one.step()
    begun = list(one.open[number].new)
    with ablated(model, [SILENT]):
        rest = one.run()[number].tokens[len(begun) :]
    expected = by_whole_passes(
        silent_by_hand(model_of(2, seed), *SILENT), [PROMPTS[0] + begun], NEW - len(begun)
    )
    assert [rest] == expected


@pytest.mark.parametrize("kind", ["paged", "int8", "fp8"])
@pytest.mark.parametrize("groups", [4, 1])
def test_pages_and_bytes_are_recorded_in_one_form(kind, groups):
    model, x = model_of(groups), torch.tensor([[1, 2, 3, 4, 5, 6]])
    caches = caches_for(model.config, kind, batch=1, page_size=2, dtype=torch.float64)
    with recorded(model) as whole, torch.no_grad():
        model(x)
    with recorded(model) as steps, torch.no_grad():
        for i in range(6):
            model(x[:, i : i + 1], caches=caches)
    last = steps.weights[-2]  # the first layer's
    assert isinstance(caches[0], PagedCache) == (kind == "paged")
    bound = {"paged": 1e-12, "int8": 0.02, "fp8": 0.1}[kind]
    torch.testing.assert_close(last, whole.weights[0][:, :, -1:], rtol=0, atol=bound)
    assert steps.values[-2].shape == (1, 4, 6, 4)
