"""A saved model can be loaded; one that does not match its configuration is refused by name."""

import dataclasses
import re

import pytest
import torch
from torch import nn

from plainformer.models import Config, Decoder, Encoder, EncoderDecoder, pretrained

CONFIG = Config(vocabulary=13, d_model=8, n_layers=2, n_heads=2, context=16)


def wider(model):
    model.embedding = nn.Embedding(17, 8)
    model.output = nn.Linear(8, 17, bias=False)
    model.output.weight = model.embedding.weight


def own_output(model):
    model.output = nn.Linear(8, 13, bias=False)


def wider_with_its_own_output(model):
    wider(model)
    model.output = nn.Linear(8, 17, bias=False)


def smaller(model):
    model.embedding = nn.Embedding(11, 8)
    model.output = nn.Linear(8, 11, bias=False)
    model.output.weight = model.embedding.weight


MENDED = {
    wider: "vocabulary=17",
    smaller: "vocabulary=11",
    own_output: "tied=False",
    wider_with_its_own_output: "vocabulary=17, tied=False",
}


@pytest.mark.parametrize("change", MENDED)
def test_a_changed_model_is_refused_and_the_advice_makes_it_one_that_can_be_loaded(
    tmp_path, change
):
    model = Decoder(CONFIG).eval()
    change(model)
    with pytest.raises(ValueError, match=re.escape(MENDED[change])) as caught:
        pretrained.save(model, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    advice = re.search(r"model\.config = (dataclasses\.replace\(.*\))$", str(caught.value))
    model.config = eval(advice.group(1), {"dataclasses": dataclasses, "model": model})
    pretrained.save(model, tmp_path)
    loaded = pretrained.load(tmp_path)
    tokens = torch.tensor([[1, 5, 10]])
    assert torch.equal(loaded(tokens), model(tokens))


def half_of_the_layers(model):
    del model.blocks[1]


def another_norm(model):
    model.norm = nn.LayerNorm(8, bias=False)


def a_bias(model):
    model.output = nn.Linear(8, 13)
    model.output.weight = model.embedding.weight


def a_shared_layer(model):
    model.blocks[1] = model.blocks[0]


def a_buffer(model):
    model.register_buffer("seen", torch.zeros(3))


def a_part_more(model):
    model.blocks[0].feedforward.adapter = nn.ReLU()


def whole_numbers(model):
    model.norm.weight = nn.Parameter(torch.ones(8, dtype=torch.int32), requires_grad=False)


def no_numbers(model):
    model.norm.weight = nn.Parameter(torch.empty(8, device="meta"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (half_of_the_layers, r"blocks\.1\.attention\.query\.weight is missing"),
        (another_norm, r"norm is a LayerNorm, and config.json would make a RMSNorm"),
        (a_bias, r"output\.bias is not a tensor of such a model"),
        (a_shared_layer, r"blocks\.1\..* is missing"),
        (a_buffer, "seen is not a tensor of such a model"),
        (a_part_more, r"adapter is a ReLU, and config.json would make nothing"),
        (whole_numbers, r"norm\.weight is of torch\.int32"),
        (no_numbers, "holds no numbers"),
    ],
)
def test_what_a_configuration_cannot_say_is_refused_by_name(tmp_path, change, words):
    model = Decoder(CONFIG)
    change(model)
    with pytest.raises(ValueError, match=words):
        pretrained.save(model, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [Decoder, Encoder, EncoderDecoder])
@pytest.mark.parametrize("tied", [True, False])
def test_a_model_as_it_was_made_is_saved(tmp_path, kind, tied):
    model = kind(dataclasses.replace(CONFIG, tied=tied, positions="learned", norm="layer"))
    pretrained.save(model, tmp_path)
    loaded = dict(pretrained.load(tmp_path).named_parameters())
    assert all(torch.equal(p, loaded[name]) for name, p in model.named_parameters())
