"""Names and layouts of other libraries."""

import pytest
import torch

from plainformer.models import (
    Config,
    Decoder,
    EncoderDecoder,
    MaskedLanguageModel,
    bert,
    gpt2,
    llama,
    t5,
)
from plainformer.models.mapping import Family, Source
from tests.plainformer.tensors import normal

SMALL = {"vocabulary": 11, "d_model": 8, "n_layers": 3, "n_heads": 2, "context": 16}
OPTIONS = {
    "gpt2": {"positions": "learned", "norm": "layer", "bias": True, "feedforward": "gelu"},
    "llama": {"n_kv_heads": 1, "qkv_bias": True, "feedforward_bias": True},
    "t5": {"positions": "relative", "feedforward": "geglu_tanh", "n_encoder_layers": 2},
    "bert": {
        "positions": "learned",
        "norm": "layer",
        "bias": True,
        "feedforward": "gelu",
        "placement": "post",
        "embedding_norm": True,
        "token_types": 2,
    },
}
TABLES = {
    "gpt2": (Decoder, gpt2.sources),
    "llama": (Decoder, llama.sources),
    "t5": (EncoderDecoder, t5.sources),
    "bert": (MaskedLanguageModel, bert.masked_sources),
}


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
def test_the_parts_of_a_tensor_make_it_up_again(transposed, parts):
    sources = [Source("x", transposed, part, parts) for part in range(parts)]
    whole = normal(*sources[0].shape((4, 5)), seed=0)
    assert whole.numel() == 20 * parts
    together = torch.cat([source.take(whole) for source in sources])
    assert torch.equal(together.T if transposed else together, whole)
    assert all(source.take(whole).shape == (4, 5) for source in sources)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_every_parameter_has_its_source_and_none_is_shared(name, tied):
    model, sources = TABLES[name]
    config = Config(**SMALL, **OPTIONS[name], tied=tied)
    table = sources(config)
    parameters = {n for n, _ in model(config).named_parameters()}
    assert parameters <= set(table) <= parameters | {"output.weight", "decoder.output.weight"}
    assert len(set(table.values())) == len(table)


def test_a_prefix_and_an_old_spelling_are_taken_away_once():
    family = Family(
        model=Decoder,
        config=gpt2.config_from,
        sources=gpt2.sources,
        prefix="model.",
        spellings={r"gamma$": "weight"},
    )
    assert family.name("model.norm.gamma") == family.name("norm.weight") == "norm.weight"
    assert family.name("model.model.x") == "model.x"
    assert not family.is_harmless("norm.weight")
