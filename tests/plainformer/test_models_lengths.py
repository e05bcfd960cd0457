"""After an error, caches have their earlier content, or report that new ones are needed."""

import dataclasses
import re

import pytest
import torch

from plainformer.cache import ContiguousCache, PagedCache, PagePool, PageTable
from plainformer.generation import LeanDecoder, ModelDrafter, Sampler, generate
from plainformer.models import Config, Decoder, EncoderDecoder
from plainformer.models.caches import KINDS, caches_for
from tests.plainformer.traps import Trap

CONFIG = Config(vocabulary=13, d_model=8, n_layers=2, n_heads=2, context=32)
TOKENS = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8, 9]])
ERRORS = [KeyboardInterrupt, MemoryError, ValueError]


def decoder(kind=Decoder, config=CONFIG):
    torch.manual_seed(0)
    model = kind(config)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return model.double().eval()


MODEL = decoder()


def made(kind, batch=1):
    return caches_for(CONFIG, kind, batch=batch, window=5, sinks=1, slack=4, dtype=torch.float64)


def places(model):
    """List every module, before and after its call; the second is the end of the model."""
    for module in model.modules():
        yield module.register_forward_pre_hook
        yield module.register_forward_hook


@torch.no_grad()
def read(caches, parts, error=(), model=MODEL):
    """Read the tokens in parts; a part that an error interrupts is read again."""
    outs, first = [], 0
    for n in parts:
        for again in (True, False):
            try:
                outs.append(model(TOKENS[:, first : first + n], caches=caches))
                break
            except error:
                assert again
        first += n
    return torch.cat(outs, dim=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pass_that_was_interrupted_anywhere_can_be_made_again(kind):
    parts = (3, 1, 1)
    expected = read(made(kind), parts)
    every = 3 if kind == "static" else 9
    for place in [p for p in range(sum(1 for _ in places(MODEL))) if p != 1][::every]:
        trap = Trap(1 + place % 3, ERRORS[place % len(ERRORS)])
        handle = list(places(MODEL))[place](trap)
        caches = made(kind)
        found = read(caches, parts, trap.error)
        handle.remove()
        assert torch.equal(found, expected)
        assert [cache.length for cache in caches] == [5] * 2


@pytest.mark.parametrize("layer", [0, 1])
def test_a_cache_that_cannot_go_back_asks_for_new_ones(layer):
    caches = caches_for(CONFIG, "sliding", batch=1, window=2, dtype=torch.float64)
    read(caches, [4])
    handle = MODEL.blocks[layer].register_forward_hook(Trap(1))
    with pytest.raises(KeyboardInterrupt):
        MODEL(TOKENS[:, 4:8], caches=caches)
    handle.remove()
    with pytest.raises(ValueError, match="make new ones"):
        MODEL(TOKENS[:, 4:5], caches=caches)
    for cache in caches:  # follow the advice
        cache.truncate(0)
    new = caches_for(CONFIG, "sliding", batch=1, window=2, dtype=torch.float64)
    assert torch.equal(read(caches, [4, 4]), read(new, [4, 4]))


@pytest.mark.parametrize("lengths", [(3, 4), (4, 3), (0, 2), (5, 0)])
@pytest.mark.parametrize("kind", ["contiguous", "static", "int8"])
def test_caches_of_unequal_lengths_are_refused_and_truncating_helps(kind, lengths):
    caches = made(kind)
    read(caches, [6])
    for cache, length in zip(caches, lengths, strict=True):
        cache.truncate(length)
    with pytest.raises(ValueError, match=re.escape(f"hold {list(lengths)} positions")) as caught:
        MODEL(TOKENS[:, :1], caches=caches)
    least = int(re.search(r"Truncate all to at most (\d+)", str(caught.value)).group(1))
    for cache in caches:
        cache.truncate(least)
    new = made(kind)
    read(new, [least])
    after = MODEL(TOKENS[:, least : least + 2], caches=caches)
    torch.testing.assert_close(after, MODEL(TOKENS[:, least : least + 2], caches=new))


def test_sequences_of_unequal_lengths_in_pages_go_back_each_to_its_own():
    pool = PagePool(n_layers=2, n_pages=9, page_size=2, n_kv_heads=2, width=4, dtype=torch.float64)
    tables = [PageTable(pool) for _ in range(2)]
    for table, n in zip(tables, (5, 2), strict=True):
        alone = [PagedCache(pool, layer, [table]) for layer in range(2)]
        MODEL(TOKENS[:, :n], caches=alone)
    caches = [PagedCache(pool, layer, tables) for layer in range(2)]
    free = pool.free_pages
    for place in range(0, sum(1 for _ in places(MODEL)), 5):
        handle = list(places(MODEL))[place](Trap(1))
        try:
            MODEL(TOKENS[:, :2].expand(2, -1), caches=caches)
        except KeyboardInterrupt:
            assert [cache.lengths for cache in caches] == [[5, 2]] * 2
            assert pool.free_pages == free
        else:
            for cache in caches:
                cache.drop_last(2)
        handle.remove()
    with pytest.raises(ValueError, match="length=-1"):
        caches[0].drop_last(3)


def test_a_memory_that_was_half_read_is_read_again():
    model = decoder(EncoderDecoder)
    first, other = (model.encode(TOKENS[:, :n]) for n in (4, 6))
    target = TOKENS[:, :2]
    for place in range(0, sum(1 for _ in places(model.decoder)), 7):
        memory_caches = [ContiguousCache() for _ in range(2)]
        handle = list(places(model.decoder))[place](Trap(1))
        try:
            model.decode(target, first, memory_caches=memory_caches)
        except KeyboardInterrupt:
            found = model.decode(target, other, memory_caches=memory_caches)
            assert torch.equal(found, model.decode(target, other))
        handle.remove()


@pytest.mark.parametrize("error", ERRORS)
def test_a_lean_step_that_was_interrupted_can_be_made_again(monkeypatch, error):
    whole, lean = (LeanDecoder(decoder().float(), capacity=16) for _ in range(2))
    whole.prefill(TOKENS[:, :3])
    expected = [whole.step(TOKENS[:, i]) for i in (3, 4)]
    real, kind = lean.store.attend, type(lean.store)
    for at in (1, 2):
        trap = Trap(at, error)
        monkeypatch.setattr(
            kind, "attend", lambda self, *a, t=trap: (t(), real.__func__(self, *a))[1]
        )
        lean.truncate(0)
        lean.prefill(TOKENS[:, :3])
        with pytest.raises(error):
            lean.step(TOKENS[:, 3])
        assert lean.length == 3
        found = [lean.step(TOKENS[:, i]) for i in (3, 4)]
        assert all(map(torch.equal, found, expected))
        monkeypatch.undo()


def test_a_prompt_that_was_read_half_is_not_held(monkeypatch):
    lean = LeanDecoder(decoder().float(), capacity=16)
    lean.prefill(TOKENS[:, :2])
    monkeypatch.setattr(lean, "head", Trap(1))
    with pytest.raises(KeyboardInterrupt):
        lean.prefill(TOKENS[:, 2:4])
    assert lean.length == 2


@pytest.mark.parametrize(("error", "temperature"), [(KeyboardInterrupt, 0), (MemoryError, 1.0)])
def test_a_drafter_that_was_interrupted_anywhere_guesses_as_before(error, temperature):
    small = decoder(config=dataclasses.replace(CONFIG, n_layers=1))
    drafter = ModelDrafter(small)
    sampler = Sampler(temperature=temperature, seed=3)

    def answer():
        return generate(MODEL, TOKENS[:, :3], max_new_tokens=4, drafter=drafter, sampler=sampler)

    expected = answer()
    for model in (small, MODEL):
        for place in range(0, sum(1 for _ in places(model)), 11):
            trap = Trap(1 + place % 4, error)
            handle = list(places(model))[place](trap)
            try:
                assert answer() == expected
            except error:
                handle.remove()
                assert answer() == expected
            handle.remove()
