"""The model on one page has the decoder's logits and tokens, with and without its cache."""

from pathlib import Path

import pytest
import torch

from plainformer import one_page
from plainformer.generation import generate
from plainformer.positions import Rotary
from tests.plainformer.generation_models import talkative
from tests.plainformer.tensors import normal

GPT2 = {
    "n_kv_heads": 4,
    "positions": "learned",
    "norm": "layer",
    "feedforward": "gelu_tanh",
    "bias": True,
    "tied": True,
}
LLAMA = {"rotary_base": 100.0, "d_ff": 20}
SHAPES = {"gpt2": GPT2, "llama": LLAMA, "llama, wide heads": {**LLAMA, "head_width": 6}}
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES)
SIZES = {"n_layers": 3, "context": 20}
SEEDS = pytest.mark.parametrize("seed", range(3))


def pair(shape, seed=0):
    """Build a decoder with all weights random, and the one-page model with its weights."""
    decoder = talkative(seed, **SIZES, **SHAPES[shape])
    for i, weight in enumerate(decoder.parameters()):
        if weight.ndim == 1:
            weight.data += 0.5 * normal(*weight.shape, seed=seed + 100 + i)
    config = decoder.config
    given = {"heads": config.n_heads, "context": config.context}
    if shape == "gpt2":
        return decoder, one_page.gpt2(decoder.state_dict(), **given)
    rotary = Rotary(config.width_of_heads, base=config.rotary_base)
    return decoder, one_page.llama(decoder.state_dict(), **given, rotary=rotary)


def draw(b, q, seed, vocabulary=13):
    return torch.randint(vocabulary, (b, q), generator=torch.Generator().manual_seed(seed))


def exactly(page, expected):
    torch.testing.assert_close(page, expected, rtol=1e-12, atol=1e-12)


@EVERY_SHAPE
@SEEDS
@pytest.mark.parametrize(("b", "q"), [(3, 1), (1, 2), (2, 7), (1, 20)])
def test_logits_are_the_decoders(shape, seed, b, q):
    decoder, page = pair(shape, seed)
    tokens = draw(b, q, seed)
    exactly(page.logits(tokens, page.empty_caches()), decoder(tokens).detach())


@EVERY_SHAPE
@SEEDS
@pytest.mark.parametrize(("b", "q", "new"), [(3, 1, 12), (1, 8, 13), (2, 5, 1), (1, 4, 0)])
def test_greedy_tokens_are_the_decoders_and_those_without_a_cache(shape, seed, b, q, new):
    decoder, page = pair(shape, seed)
    prompts = draw(b, q, seed)
    tokens = prompts
    for _ in range(new):
        last = page.logits(tokens, page.empty_caches())[:, -1:]
        tokens = torch.cat([tokens, last.argmax(-1)], dim=1)
    assert page.greedy(prompts, new).equal(tokens)
    if new:
        assert generate(decoder, prompts, max_new_tokens=new).tokens == tokens[:, q:].tolist()


@EVERY_SHAPE
@SEEDS
@pytest.mark.parametrize("sizes", [[1] * 6, [5, 1, 3], [1, 4, 2], [20]])
def test_cached_equals_uncached_however_the_text_is_cut(shape, seed, sizes):
    _, page = pair(shape, seed)
    tokens, caches = draw(2, sum(sizes), seed), page.empty_caches()
    parts = [page.logits(part, caches) for part in tokens.split(sizes, dim=1)]
    exactly(torch.cat(parts, dim=1), page.logits(tokens, page.empty_caches()))


@EVERY_SHAPE
def test_the_texts_vary_so_that_equal_tokens_say_something(shape):
    texts = [pair(shape, seed)[1].greedy(draw(1, 3, seed), 12)[:, 3:] for seed in range(5)]
    assert sum(len(text.unique()) for text in texts) > 12


def test_layers_keep_their_order_whatever_the_order_of_the_names():
    decoder = talkative(n_layers=11, **LLAMA)
    state = dict(sorted(decoder.state_dict().items()))  # a file may list them as 0, 1, 10, 2, …
    page = one_page.llama(state, heads=4, context=24, rotary=Rotary(4, base=100.0))
    tokens = draw(2, 5, 0)
    exactly(page.logits(tokens, page.empty_caches()), decoder(tokens).detach())


def test_the_head_of_gpt2_is_the_embedding_and_that_of_llama_is_not():
    for shape, tied in [("gpt2", True), ("llama", False)]:
        _, page = pair(shape)
        head = page.weights[page.head]["weight"]
        assert (head is page.weights["embedding"]["weight"]) == tied


@EVERY_SHAPE
def test_prompts_that_are_empty_or_too_long_are_refused(shape):
    _, page = pair(shape)
    with pytest.raises(ValueError, match="the prompts are empty: give each at least one token"):
        page.greedy(draw(2, 0, 0), 1)
    with pytest.raises(ValueError, match=r"21 tokens and 1 new .* a context of 20: shorten"):
        page.greedy(draw(1, 21, 0), 1)
    with pytest.raises(ValueError, match="15 tokens and 7 new ones do not fit"):
        page.greedy(draw(1, 15, 0), 7)
    assert page.greedy(draw(1, 15, 0), 6).shape == (1, 21)


@pytest.mark.parametrize(("shape", "other"), [("gpt2", "llama"), ("llama", "gpt2")])
def test_the_weights_of_one_shape_do_not_pass_for_the_other(shape, other):
    decoder, page = pair(shape)[0], pair(other)[1]
    mixed = one_page.Model(
        **{**vars(page), "weights": one_page.by_name(decoder.state_dict())},
    )
    with pytest.raises((KeyError, TypeError)):
        mixed.logits(draw(1, 2, 0), mixed.empty_caches())


def test_it_is_one_page():
    lines = Path(one_page.__file__).read_text("utf-8").splitlines()
    assert len(lines) <= 150
