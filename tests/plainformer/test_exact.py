"""Under autocast: products that were widened on purpose stay wide, on every path of generation."""

import pytest
import torch

from plainformer.attention import attend_heads
from plainformer.cache import ContiguousCache, PagedCache
from plainformer.exact import exact
from plainformer.generation import ModelDrafter, PromptLookup, generate
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder
from plainformer.models.caches import caches_for
from plainformer.scores import dot
from plainformer.serving import Engine, Request
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
