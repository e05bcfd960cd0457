"""Products, tables and counters keep their dtype under autocast and with other defaults."""

from contextlib import contextmanager

import pytest
import torch

from plainformer.attention import attend_heads
from plainformer.cache import ContiguousCache, PagedCache
from plainformer.exact import exact
from plainformer.generation import ModelDrafter, PromptLookup, generate
from plainformer.generation.lean.decoder import LeanDecoder
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder
from plainformer.models.caches import caches_for
from plainformer.scores import dot
from plainformer.serving import Engine, Request
from plainformer.training import MaskedTokens
from plainformer.training.data import Rows
from plainformer.training.optimiser import AdamW
from tests.plainformer.caches import scattered_pages
from tests.plainformer.equivalence.measure import BACKENDS
from tests.plainformer.tensors import normal

HALVES = [torch.bfloat16, torch.float16]
PROMPTS = [[1, 2, 3], [4, 5, 6, 7, 8]]


def model_of(**changes):
    torch.manual_seed(0)
    sizes = {"vocabulary": 50, "d_model": 32, "n_layers": 2, "n_heads": 4, "context": 64}
    model = Decoder(Config(**{**sizes, "n_kv_heads": 2, **changes})).eval().requires_grad_(False)
    for weight in model.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=0.3)
    return model


def test_within_it_a_product_has_the_dtype_of_its_factors():
    a = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with exact(a.device):
            assert (a @ a).dtype == torch.float32
        assert (a @ a).dtype == torch.bfloat16
    with exact(a.device):
        assert not torch.is_autocast_enabled("cpu")


@pytest.mark.parametrize("half", HALVES)
def test_scores_under_autocast_are_those_of_float32(half):
    query, key = 300 * normal(2, 3, 8, seed=0).to(half), 300 * normal(2, 5, 8, seed=1).to(half)
    right = query.float() @ key.float().mT
    with torch.autocast("cpu", dtype=half):
        assert torch.equal(dot(query, key), right)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("backend", [name for name in BACKENDS if name != "Triton"])
def test_back_ends_under_autocast_attend_as_they_do_in_that_precision(backend, half):
    shapes = [(2, 4, 5, 8), (2, 2, 5, 8), (2, 2, 5, 8)]
    given = [(3 * normal(*s, seed=i)).to(half).requires_grad_() for i, s in enumerate(shapes)]

    def with_gradients(out):
        return [out, *torch.autograd.grad(out.float().square().sum(), given)]

    right = with_gradients(BACKENDS[backend](*given, Rule()))
    with torch.autocast("cpu", dtype=half):
        out = BACKENDS[backend](*given, Rule())
    for mine, theirs in zip(with_gradients(out), right, strict=True):
        assert mine.dtype == half
        most = 0.02 * float(theirs.detach().abs().max())
        torch.testing.assert_close(mine, theirs, rtol=0.02, atol=most)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", ["static", "sliding", "paged", "scattered", "int8"])
def test_a_cache_in_float32_serves_queries_of_half_precision(kind, half):
    x = [(20 * normal(1, g, 6, 8, seed=i)).to(half) for i, g in enumerate((4, 2, 2))]
    config = Config(vocabulary=9, d_model=32, n_layers=1, n_heads=4, n_kv_heads=2, context=24)
    right, cache = attend_heads(*(each.double() for each in x), Rule()), None
    for autocast in (False, True):
        if kind == "scattered":
            cache = scattered_pages(1, 2, 8, dtype=torch.float32)
        else:
            (cache,) = caches_for(config, kind, batch=1, window=24, page_size=2)
        with torch.autocast("cpu", dtype=half, enabled=autocast):
            parts = []
            for at in (slice(2), slice(2, 3), slice(3, 5), slice(5, 6)):
                cache.append(x[1][:, :, at], x[2][:, :, at])
                parts.append(cache.attend(x[0][:, :, at], Rule()))
        got = torch.cat(parts, 2)
        assert got.dtype == half
        most = 0.25 if kind == "int8" else 0.02
        assert (got.double() - right).abs().max() < most * right.abs().max()


def paths():
    def cached(kind):
        def make(model, b, capacity):
            return caches_for(model.config, kind, batch=b, window=64, page_size=2)

        return lambda model: generate(model, PROMPTS, max_new_tokens=5, caches=make)

    def engine(model):
        one = Engine(model, pages=40, page_size=2)
        for prompt in PROMPTS:
            one.submit(Request(prompt=prompt, max_new_tokens=5))
        return one.run()

    found = {kind: cached(kind) for kind in ("contiguous", "static", "sliding", "int8", "paged")}
    return found | {
        "engine": engine,
        "nothing kept": lambda m: generate(m, PROMPTS, max_new_tokens=5, caches=None),
        "lookup": lambda m: generate(m, PROMPTS, max_new_tokens=5, drafter=PromptLookup()),
        "drafter": lambda m: generate(m, PROMPTS, max_new_tokens=5, drafter=ModelDrafter(m)),
        "lean": lambda m: generate(m, PROMPTS[:1], max_new_tokens=5, fast=True),
    }


@pytest.mark.parametrize("path", list(paths()))
@pytest.mark.parametrize("half", HALVES)
def test_every_path_of_generation_runs_under_autocast(path, half):
    model = model_of()
    with torch.autocast("cpu", dtype=half):
        made = paths()[path](model)
    answers = made.tokens if hasattr(made, "tokens") else [one.tokens for one in made.values()]
    assert all(len(one) == 5 for one in answers)


def test_logits_of_cached_steps_under_autocast_are_near_those_without():
    model, x = model_of(), torch.randint(0, 50, (2, 8), generator=torch.Generator().manual_seed(1))
    right = model(x)
    for kind in ("contiguous", "static", "sliding", "paged", "int8"):
        caches = caches_for(model.config, kind, batch=2, window=64, page_size=2)
        assert isinstance(caches[0], PagedCache | ContiguousCache) or kind not in ("paged",)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            got = torch.cat([model(x[:, i : i + 1], caches=caches) for i in range(8)], 1)
        assert (got - right).abs().max() < 0.05 * right.abs().max()


@contextmanager
def default_dtype(dtype):
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


DEFAULTS = [torch.float64, torch.bfloat16, torch.float16]
KINDS = ["whole", "lean", "contiguous", "static", "sliding", "paged", "int8", "fp8"]


def logits_of(model, kind):
    x = torch.randint(0, 50, (2, 6), generator=torch.Generator().manual_seed(1))
    if kind == "whole":
        return model(x)
    if kind == "lean":
        lean = LeanDecoder(model, batch=2, capacity=8)
        return torch.stack([lean.prefill(x[:, :4]), lean.step(x[:, 4]), lean.step(x[:, 5])])
    caches = caches_for(model.config, kind, batch=2, window=8, page_size=2, dtype=torch.float32)
    return torch.cat([model(x[:, i : i + 1], caches=caches) for i in range(6)], 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DEFAULTS)
def test_the_default_dtype_changes_no_bit_of_a_model_in_float32(kind, dtype):
    for positions in ("rotary", "learned"):
        model = model_of(positions=positions)
        right = logits_of(model, kind)
        with default_dtype(dtype):
            assert torch.equal(logits_of(model, kind), right)


@pytest.mark.parametrize("dtype", DEFAULTS)
def test_the_default_dtype_changes_no_counter_of_training(dtype):
    weight = torch.nn.Parameter(torch.ones(3, dtype=torch.float32))
    with default_dtype(dtype):
        optimiser = AdamW([weight], rate=1e-3)
        weight.grad = torch.ones(3, dtype=torch.float32)
        optimiser.step()
        optimiser.state[weight]["step"] += 256
        optimiser.step()
        rows = Rows(torch.tensor([[*range(1, 9)]]), torch.tensor([8]))
        made = MaskedTokens(mask_token=0, vocabulary=50).prepare(rows, [(1, 2)])
    assert optimiser.state[weight]["step"] == 258
    assert made.weights.dtype == torch.float32


# The other caches are made without a device, so they are on the default one.
@pytest.mark.parametrize("path", sorted({*paths()} - {"static", "sliding", "paged", "int8"}))
def test_a_model_generates_on_its_own_device_whatever_the_default_is(path):
    model = model_of()
    right = paths()[path](model)
    with torch.device("meta"):  # a tensor made there has no numbers
        made = paths()[path](model)
    tokens = made.tokens if hasattr(made, "tokens") else made
    assert tokens == (right.tokens if hasattr(right, "tokens") else right)
