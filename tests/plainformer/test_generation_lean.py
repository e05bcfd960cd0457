"""The lean decoder gives the decoder's logits in each step, and refuses unsupported options."""

import pytest
import torch
from torch.nn import functional as F

from plainformer.cache.base import CacheFull
from plainformer.generation import generate
from plainformer.generation.lean import LeanDecoder, NotLean
from plainformer.models import Config, Decoder
from plainformer.positions import Rotary

KINDS = {
    "gpt2": {"positions": "learned", "norm": "layer", "bias": True, "feedforward": "gelu_tanh"},
    "llama": {"n_kv_heads": 2, "tied": False},
    "pairs": {"rotary_layout": "pairs", "n_kv_heads": 1, "feedforward": "geglu"},
    "sinusoidal": {"positions": "sinusoidal", "feedforward": "relu", "qkv_bias": True},
    "none": {"positions": "none", "norm": "layer", "feedforward": "gelu", "score": "dot"},
    "scaled": {"embedding_scale": 3.0, "output_scale": 0.5, "output_bias": True},
    "yarn": {"rotary_scaling": "yarn", "rotary_factor": 4.0, "rotary_context": 8},
    "geglu_tanh": {"feedforward": "geglu_tanh", "norm": "layer", "head_width": 6},
}
FOREIGN = {
    "alibi": {"positions": "alibi"},
    "window": {"window": 3},
    "post": {"placement": "post"},
    "sandwich": {"placement": "sandwich"},
    "types": {"token_types": 2},
    "embedding_norm": {"embedding_norm": True},
    "dynamic": {"rotary_scaling": "dynamic", "rotary_factor": 2.0},
}


def decoder(seed: int = 0, *, width: int = 24, dtype=torch.float64, **kind) -> Decoder:
    """Make a decoder whose weights are all random, including norms and biases."""
    config = Config(vocabulary=37, d_model=width, n_layers=2, n_heads=4, context=32, **kind)
    model = Decoder(config).to(dtype).eval()
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            spread = 0.5 if parameter.ndim == 1 else parameter.shape[-1] ** -0.5
            noise = torch.randn(parameter.shape, generator=rng, dtype=torch.float64)
            parameter.copy_(spread * noise + (parameter.ndim == 1))
    return model


def text(b: int, q: int = 20, seed: int = 5) -> torch.Tensor:
    return torch.randint(37, (b, q), generator=torch.Generator().manual_seed(seed))


def logits(lean: LeanDecoder, tokens: torch.Tensor, chunks=(5, 3)) -> torch.Tensor:
    """Read some chunks and the rest in steps; return the logits after each read."""
    found, at = [], 0
    for n in chunks:
        found.append(lean.prefill(tokens[:, at : at + n]))
        at += n
    return torch.stack([*found, *(lean.step(tokens[:, i]) for i in range(at, tokens.shape[1]))], 1)


def wanted(model: Decoder, tokens: torch.Tensor, chunks=(5, 3)) -> torch.Tensor:
    reads = [*torch.tensor(chunks).cumsum(0) - 1, *range(sum(chunks), tokens.shape[1])]
    with torch.no_grad():
        return model(tokens)[:, torch.tensor(reads)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("b", [1, 3])
def test_each_step_gives_the_decoders_logits(kind, b):
    model, tokens = decoder(**KINDS[kind]), text(b)
    lean = LeanDecoder(model, batch=b, capacity=20, weights="float64")
    torch.testing.assert_close(logits(lean, tokens), wanted(model, tokens), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("b", [1, 3])
def test_float32_errs_at_most_twice_what_the_decoder_errs(kind, b):
    model, tokens = decoder(width=64, dtype=torch.float32, **KINDS[kind]), text(b)
    plain = wanted(model, tokens).double()
    found = logits(LeanDecoder(model, batch=b, capacity=20), tokens).double()
    exact = wanted(model.double(), tokens)
    assert (found - exact).norm() <= 2 * (plain - exact).norm()
    assert (found - exact).abs().max() <= 2 * (plain - exact).abs().max()


@pytest.mark.parametrize("weights", ["bfloat16", "int8"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("b", [1, 3])
def test_narrow_weights_move_the_logits_little_and_the_loss_less(weights, kind, b):
    model, tokens = decoder(width=64, dtype=torch.float32, **KINDS[kind]), text(b, 30)
    found = logits(LeanDecoder(model, batch=b, capacity=30, weights=weights), tokens, (1,))
    exact = wanted(model, tokens, (1,))
    assert 0 < (found - exact).norm() <= 0.06 * exact.norm()
    before, after = (
        F.cross_entropy(x[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()) for x in (exact, found)
    )
    assert abs(after - before) < 0.02 * before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("b", [1, 4])
def test_it_generates_the_tokens_that_plain_generation_does(kind, b):
    model, prompts = decoder(dtype=torch.float32, **KINDS[kind]), text(b, 7)
    found = LeanDecoder(model, batch=b, capacity=26).generate(prompts, max_new_tokens=20)
    assert found.tolist() == generate(model, prompts, max_new_tokens=20).tokens


def test_generation_begins_anew_and_draws_as_it_is_told():
    model, prompts = decoder(dtype=torch.float32), text(2, 4)
    lean = LeanDecoder(model, batch=2, capacity=10)
    first = lean.generate(prompts, max_new_tokens=7)
    assert torch.equal(lean.generate(prompts, max_new_tokens=7), first)
    worst = lean.generate(prompts, max_new_tokens=7, choose=lambda logits: logits.argmin(-1))
    with torch.no_grad():
        assert torch.equal(worst[:, 0], model(prompts)[:, -1].argmin(-1))


def test_truncated_equals_never_read():
    model, tokens = decoder(**KINDS["llama"]), text(2)
    lean = LeanDecoder(model, batch=2, capacity=20, weights="float64")
    logits(lean, tokens[:, :9].flip(1))
    lean.truncate(0)
    lean.prefill(tokens[:, :4])
    logits(lean, tokens.flip(1)[:, :9])
    lean.truncate(4)
    assert lean.length == 4
    found = lean.step(tokens[:, 4])
    torch.testing.assert_close(found, wanted(model, tokens[:, :5], (5,))[:, 0])


def test_partly_turned_heads_are_decoded_too():
    model, tokens = decoder(**KINDS["llama"]), text(1)
    for block in model.blocks:
        block.attention.rotary = Rotary(6, rotated=4)
    lean = LeanDecoder(model, capacity=20, weights="float64")
    torch.testing.assert_close(logits(lean, tokens), wanted(model, tokens), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_model_with_a_part_that_it_leaves_out_is_refused(kind):
    with pytest.raises(NotLean, match=r"use the model itself|do not change"):
        LeanDecoder(decoder(**FOREIGN[kind]), capacity=8)


def test_nothing_is_read_beyond_the_capacity():
    model, tokens = decoder(), text(1)
    lean = LeanDecoder(model, capacity=6, weights="float64")
    assert lean.store.nbytes == 2 * 2 * 4 * 6 * 6 * 8
    with pytest.raises(CacheFull, match="capacity of 6"):
        lean.prefill(tokens[:, :7])
    lean.prefill(tokens[:, :5])
    found = lean.step(tokens[:, 5])
    with pytest.raises(CacheFull, match="1 more do not fit"):
        lean.step(tokens[:, 6])
    assert lean.length == 6
    lean.truncate(5)
    torch.testing.assert_close(lean.step(tokens[:, 5]), found)
    with pytest.raises(CacheFull):
        lean.generate(tokens[:, :4], max_new_tokens=4)
    assert lean.generate(tokens[:, :4], max_new_tokens=3).shape == (1, 3)


def test_bad_input_is_refused_and_nothing_is_lost():
    model, tokens = decoder(), text(2)
    lean = LeanDecoder(model, batch=2, capacity=20, weights="float64")
    lean.prefill(tokens[:, :4])
    for bad in (-1, 37):
        with pytest.raises(ValueError, match=f"token {bad} is outside the vocabulary of 37"):
            lean.step(torch.tensor([0, bad]))
        with pytest.raises(ValueError, match=f"token {bad} is outside"):
            lean.prefill(torch.tensor([[0, 1], [bad, 1]]))
    with pytest.raises(ValueError, match="expected those of 2"):
        lean.step(tokens[:1, 0])
    with pytest.raises(ValueError, match="at least one"):
        lean.prefill(tokens[:, :0])
    with pytest.raises(ValueError, match="max_new_tokens=0"):
        lean.generate(tokens[:, :2], max_new_tokens=0)
    with pytest.raises(ValueError, match="length=9"):
        lean.truncate(9)
    torch.testing.assert_close(lean.step(tokens[:, 4]), wanted(model, tokens[:, :5], (5,))[:, 0])


def test_impossible_sizes_and_types_are_refused():
    model = decoder()
    with pytest.raises(ValueError, match="33 positions do not fit the model's context of 32"):
        LeanDecoder(model, capacity=33)
    with pytest.raises(ValueError, match="capacity=0"):
        LeanDecoder(model, capacity=0)
    with pytest.raises(ValueError, match="weights='int4': expected one of float64"):
        LeanDecoder(model, capacity=8, weights="int4")


def test_later_changes_of_the_model_are_seen_when_a_text_begins_and_not_within_one():
    model, tokens = decoder(), text(1)
    lean = LeanDecoder(model, capacity=20, weights="float64")
    before = wanted(model, tokens)
    begun = lean.prefill(tokens[:, :5])
    with torch.no_grad():
        for block in model.blocks:
            block.attention.query.weight.zero_()
            block.feedforward.down.weight.zero_()
    rest = [lean.prefill(tokens[:, 5:8]), *(lean.step(t) for t in tokens[:, 8:].t())]
    torch.testing.assert_close(torch.stack([begun, *rest], 1), before, rtol=1e-9, atol=1e-11)
    lean.truncate(0)
    after = wanted(model, tokens)
    torch.testing.assert_close(logits(lean, tokens), after, rtol=1e-9, atol=1e-11)
