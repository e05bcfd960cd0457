"""Weights of several dtypes are named; tokens may be integers of any dtype."""

import pytest
import torch

from plainformer.generation import generate
from plainformer.generation.lean.decoder import LeanDecoder
from plainformer.models import Config, Decoder, Encoder
from plainformer.models.mixed import one_dtype
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.serving import Engine, Request


def model_of(kind=Decoder, **changes):
    torch.manual_seed(0)
    sizes = {"vocabulary": 50, "d_model": 16, "n_layers": 2, "n_heads": 2, "context": 16}
    return kind(Config(**{**sizes, "tied": False, **changes})).eval().requires_grad_(False)


def served(model):
    engine = Engine(model, pages=10, page_size=2)
    engine.submit(Request(prompt=[1, 2, 3], max_new_tokens=2))
    return engine.run()


CALLS = {
    "call": lambda model: model(torch.tensor([[1, 2, 3]])),
    "generate": lambda model: generate(model, [[1, 2, 3]], max_new_tokens=2),
    "engine": served,
}
MIXED = {
    "embedding.weight": lambda model: model.embedding.float(),
    "output.weight": lambda model: model.output.float(),
    "blocks.1.attention.query.weight": lambda model: model.blocks[1].float(),
    "blocks.0.feedforward.up.weight": lambda model: model.blocks[0].feedforward.up.float(),
}


@pytest.mark.parametrize("call", list(CALLS))
@pytest.mark.parametrize("name", list(MIXED))
@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_matrices_of_several_dtypes_are_named(name, call, norm):
    model = model_of(norm=norm).bfloat16()
    MIXED[name](model)
    with pytest.raises(ValueError, match=r"several dtypes.*model\.to\(torch\.float32\)") as caught:
        CALLS[call](model)
    assert f"{name} in torch.float32" in str(caught.value)
    assert "in torch.bfloat16" in str(caught.value)
    CALLS[call](model.to(torch.float32))


@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_norms_may_be_wider_than_the_matrices(norm):
    model = model_of(norm=norm).bfloat16()
    for module in model.modules():
        if isinstance(module, RMSNorm | LayerNorm):
            module.float()
    for call in CALLS.values():
        call(model)


@pytest.mark.parametrize("error", [RuntimeError("odd"), torch.OutOfMemoryError("no room")])
def test_other_errors_pass_as_they_are(error):
    mixed = model_of()
    mixed.output.bfloat16()
    for model in [model_of()] + [mixed] * isinstance(error, torch.OutOfMemoryError):
        with pytest.raises(type(error)) as caught, one_dtype(model):
            raise error
        assert caught.value is error


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_tokens_and_their_types_are_whole_numbers_of_any_dtype(dtype):
    x = torch.tensor([[1, 2, 3]])
    decoder, encoder = model_of(), model_of(Encoder, token_types=2)
    assert torch.equal(decoder(x.to(dtype)), decoder(x))
    types = torch.tensor([[0, 1, 1]])
    assert torch.equal(encoder(x.to(dtype), types=types.to(dtype)), encoder(x, types=types))
    at = torch.arange(3)
    assert torch.equal(decoder.embed(x.to(dtype), at), decoder.embed(x, at))
    lean = LeanDecoder(decoder, capacity=9)
    right = lean.prefill(x), lean.step(torch.tensor([4]))
    lean.truncate(0)
    assert torch.equal(lean.prefill(x.to(dtype)), right[0])
    assert torch.equal(lean.step(torch.tensor([4], dtype=dtype)), right[1])
