"""An unknown field of a rule is respected or refused by name, wherever the rule is read."""

import pytest
import torch

from plainformer import costs, flash
from plainformer.attention import attend_heads
from plainformer.cache import (
    Fp8Cache,
    Int8Cache,
    PackedPagedCache,
    PagePool,
    PageTable,
    SlidingCache,
)
from plainformer.flash import attend_in_blocks, gpu
from plainformer.generation import generate
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, EncoderDecoder
from plainformer.online_softmax import stream
from plainformer.positions import Alibi
from plainformer.scores import scaled_dot
from plainformer.sdpa import sdpa
from tests.plainformer.caches import EXACT, sizes
from tests.plainformer.masks_of_tomorrow import Chunked, Plain, Unread, kinds, numbers
from tests.plainformer.tensors import normal

B, N = 2, 20
NAMES = list(kinds(1, 1))
BACKENDS = {"plain": attend_heads, "sdpa": sdpa, "flash": flash.attend}


def heads(n, *, b=B, h=2, g=1, d=4, seed=0, dtype=torch.float64):
    shapes = [(b, h, n, d), (b, g, n, d), (b, g, n, d)]
    return [normal(*shape, seed=seed + i, dtype=dtype) for i, shape in enumerate(shapes)]


def close(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", NAMES)
def test_back_ends_obey_forward_and_backward(backend, kind):
    rule, mask = kinds(B, N)[kind]
    found, expected = [], []
    for results, attend, what in (
        (found, BACKENDS[backend], rule),
        (expected, attend_heads, mask),
    ):
        given = [x.requires_grad_() for x in heads(N)]
        output = attend(*given, what)
        results += [output, *torch.autograd.grad(output, given, normal(*output.shape, seed=9))]
    for ours, right in zip(found, expected, strict=True):
        close(ours, right)


@pytest.mark.parametrize(("n", "chunk"), [(3000, 7), (700, 7), (700, 300), (1000, 512)])
@pytest.mark.parametrize("backend", ["sdpa", "flash"])
def test_back_ends_obey_beyond_the_size_of_their_blocks(backend, n, chunk):
    given = heads(n, b=1, h=1, dtype=torch.float32)
    places = torch.arange(n) // chunk
    right = attend_heads(*given, torch.ones(n, n).tril().bool() & (places[:, None] == places))
    found = BACKENDS[backend](*given, Chunked(chunk=chunk))
    torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)


def test_gradients_obey_beyond_the_size_of_the_blocks():
    found, n = [], 700
    places = torch.arange(n) // 7
    mask = torch.ones(n, n).tril().bool() & (places[:, None] == places)
    for attend, what in ((flash.attend, Chunked(chunk=7)), (attend_heads, mask)):
        given = [x.requires_grad_() for x in heads(n, b=1, h=1, dtype=torch.float32)]
        found.append(torch.autograd.grad(attend(*given, what).square().sum(), given))
    for ours, right in zip(*found, strict=True):
        torch.testing.assert_close(ours, right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", NAMES)
def test_the_loops_of_the_book_obey(kind):
    rule, mask = kinds(B, N)[kind]
    query, key, value = heads(N, g=2)
    right = attend_heads(query, key, value, mask)
    close(attend_in_blocks(query, key, value, rule, height=3, width=5)[0], right)
    scores = scaled_dot(query, key)
    close(stream(scores, value, rule.dense(N, N), width=3).output, right)
    if mask.shape[0] > 1:
        with pytest.raises(ValueError, match="differs between sequences"):
            attend_in_blocks(query[0, 0], key[0, 0], value[0, 0], rule, height=3, width=5)


@pytest.mark.parametrize("kind", NAMES)
def test_the_gpu_kernel_refuses_what_is_no_band(kind, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    given = heads(N, d=16, dtype=torch.float32)
    assert gpu.supports(*given, Rule(window=3))
    rule = kinds(B, N)[kind][0]
    assert not gpu.supports(*given, rule)
    with pytest.raises(ValueError, match=type(rule).__name__):
        gpu.attend(*given, rule=rule, scale=0.25)


def test_the_gpu_kernel_refuses_a_bias_that_is_more_than_its_slopes(monkeypatch):
    class Capped(Alibi):
        def forward(self, q_positions, k_positions):
            return super().forward(q_positions, k_positions).clamp_min(-1)

    monkeypatch.setenv("TRITON_INTERPRET", "1")
    given = heads(N, d=16, dtype=torch.float32)
    assert gpu.supports(*given, None, Alibi(2))
    assert not gpu.supports(*given, None, Capped(2))


STEPS, CHUNKS = [1] * N, [4, 1, 9, 6]


def through(cache, rule, feeding, backend=attend_heads, **options):
    """Attend with a cache, some positions at a time."""
    query, key, value = heads(N, **options)
    parts, first = [], 0
    for count in feeding:
        new = slice(first, first + count)
        cache.append(key[:, :, new], value[:, :, new])
        parts.append(cache.attend(query[:, :, new], rule, backend=backend))
        first += count
    return torch.cat(parts, dim=2)


@pytest.mark.parametrize("feeding", [STEPS, CHUNKS])
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("cache", [*EXACT, "int8", "fp8", "window"])
def test_caches_obey_or_refuse(cache, kind, feeding):
    rule, mask = kinds(B, N)[kind]
    if cache == "window":
        made = SlidingCache(window=4, sinks=2, **sizes(B, 1, 4))
        i, j = torch.arange(N)[:, None], torch.arange(N)[None]
        mask = mask & ((i - j < 4) | (j < 2))
    elif cache in ("int8", "fp8"):
        made = {"int8": Int8Cache, "fp8": Fp8Cache}[cache](capacity=N, **sizes(B, 1, 4))
    else:
        made = EXACT[cache](B, 1, 4)
    if cache == "paged" and kind == "numbers":
        with pytest.raises(ValueError, match="numbers"):
            through(made, rule, feeding)
        return
    bound = {"int8": 0.05, "fp8": 0.2}.get(cache, 1e-9)
    right = attend_heads(*heads(N), mask)
    found = through(made, rule, feeding)
    torch.testing.assert_close(found, right, rtol=bound, atol=bound)


@pytest.mark.parametrize("kind", NAMES)
def test_packed_rows_obey_or_refuse(kind):
    rule, mask = kinds(1, N)[kind]
    pool = PagePool(n_layers=1, n_pages=40, page_size=3, n_kv_heads=1, width=4, dtype=torch.float64)
    tables = [PageTable(pool), PageTable(pool)]
    query, key, value = heads(N, b=1)

    def step(segments):
        cache = PackedPagedCache(pool, 0, tables, segments)
        where = cache.where()
        cache.append(key[:, :, where], value[:, :, where])
        return where, cache.attend(query[:, :, where], rule)

    if kind == "numbers":
        with pytest.raises(ValueError, match="numbers"):
            step([3, 5])
        return
    right = attend_heads(query, key, value, mask)
    for segments in ([3, 5], [1, 1], [6, 1], [1, 9]):
        where, found = step(segments)
        close(found, right[:, :, where])


@pytest.mark.parametrize("attention", ["plain", "sdpa", "flash"])
@pytest.mark.parametrize("kind", NAMES)
def test_models_obey(attention, kind):
    rule, mask = kinds(B, N)[kind]
    torch.manual_seed(0)
    config = Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2, context=N)
    model = Decoder(config).double().eval()
    tokens = torch.randint(11, (B, N), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        right = model(tokens, mask=mask)
        model.blocks[0].attention.backend = BACKENDS[attention]
        close(model(tokens, mask=rule), right)
        close(model(tokens, mask=rule, caches=[EXACT["static"](B, 2, 4)]), right)


def test_a_window_of_the_model_stays_in_force():
    model = Decoder(
        Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2, context=N, window=3)
    ).double()
    tokens = torch.arange(N)[None] % 11
    mask = kinds(1, N)["chunk in a window"][1]
    with torch.no_grad():
        close(model(tokens, mask=Chunked(chunk=7)), model(tokens, mask=mask))


def test_generation_obeys_a_rule_of_the_model():
    torch.manual_seed(0)
    model = Decoder(Config(vocabulary=50, d_model=16, n_layers=2, n_heads=2, context=120)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    prompt = [1, 2, 3, 4, 5]
    usual = generate(model, [prompt], max_new_tokens=70)
    model.rule = Chunked(chunk=3)
    with pytest.raises(ValueError, match="Chunked"):
        generate(model, [prompt], max_new_tokens=70, fast=True)
    found = generate(model, [prompt], max_new_tokens=70)
    assert found.tokens != usual.tokens
    row = list(prompt)
    with torch.no_grad():
        for _ in range(70):
            row.append(int(model(torch.tensor([row]))[0, -1].argmax()))
    assert found.tokens[0][-70:] == row[-70:]


def test_padding_of_a_memory_is_not_guessed():
    config = Config(vocabulary=9, d_model=8, n_layers=1, n_heads=2, context=9)
    model = EncoderDecoder(config)
    source, target = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[1, 2]])
    for rule in (Chunked(causal=False, chunk=2), Plain(causal=False)):
        with pytest.raises(ValueError, match=type(rule).__name__):
            model(source, target, source_mask=rule)
        memory = model.encode(source, mask=rule)  # the message's advice
        lengths = Rule(causal=False, lengths=torch.tensor([4]))
        assert model.decode(target, memory, memory_mask=lengths).shape == (1, 2, 9)


@pytest.mark.parametrize("attend", [*BACKENDS.values(), attend_in_blocks])
def test_a_field_without_a_mask_is_refused_by_name(attend):
    query, key, value = heads(N, g=2)
    with pytest.raises(ValueError, match="chunk"):
        attend(query, key, value, Unread(chunk=7))
    found = attend(query, key, value, Unread())
    close(found[0] if isinstance(found, tuple) else found, attend_heads(query, key, value, Rule()))


@pytest.mark.parametrize("kind", NAMES)
def test_no_tile_in_which_something_is_visible_counts_as_skipped(kind):
    rule, mask = kinds(1, N)[kind]
    seen = costs.tiled.visited(N, N, height=4, width=4, rule=rule)
    visible = mask[0, 0].view(5, 4, 5, 4).any(3).any(1).sum()
    assert len(seen) >= visible


def test_a_copy_that_would_lose_what_a_subclass_holds_is_refused():
    class Odd(Plain):
        def __init__(self, cut=3, **options):
            super().__init__(**options)
            object.__setattr__(self, "cut", cut)

    with pytest.raises(ValueError, match="cut"):
        Odd(cut=2).changed(window=3)
    assert Chunked(chunk=3).changed(window=2).chunk == 3
    assert numbers(2, 3).shape == (2, 3)
