"""Names and layouts of other libraries; of tensors that do not fit all is said at once."""

import json

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
from plainformer.models.checkpoints import (
    CheckpointError,
    CheckpointMismatch,
    UnsupportedCheckpoint,
)
from plainformer.models.mapping import Family, Source
from plainformer.models.pretrained import load
from tests.plainformer.small_checkpoints import GPT2, change, write_gpt2
from tests.plainformer.tensors import normal

TOKENS = torch.arange(5)[None]
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


@pytest.fixture
def folder(tmp_path):
    return write_gpt2(tmp_path)


def test_everything_that_does_not_fit_is_said_at_once(folder):
    def edit(tensors):
        del tensors["h.0.ln_1.bias"], tensors["ln_f.weight"]
        tensors["h.1.ln_1.bias"] = torch.zeros(8)
        tensors["h.0.mlp.c_fc.weight"] = tensors["h.0.mlp.c_fc.weight"].T
        tensors["h.0.attn.bias"] = torch.zeros(1, 1, 4, 4)

    change(folder, edit)
    with pytest.raises(CheckpointMismatch) as caught:
        load(folder)
    assert caught.value.faults == {
        "missing": ["h.0.ln_1.bias", "ln_f.weight"],
        "extra": ["h.1.ln_1.bias"],
        "misshapen": ["h.0.mlp.c_fc.weight is (32, 8), expected (8, 32)"],
    }
    assert "missing: h.0.ln_1.bias, ln_f.weight; extra: h.1.ln_1.bias" in str(caught.value)


def test_a_change_that_the_format_has_no_tensors_for_is_said(folder):
    with pytest.raises(
        CheckpointMismatch, match=r"without a place in this format.*blocks\.0\."
    ) as at:
        load(folder, placement="sandwich")
    assert len(at.value.faults) == 1


def test_another_vocabulary_is_refused(folder):
    (folder / "config.json").write_text(json.dumps({**GPT2, "vocab_size": 12}))
    words = r"wte.weight is \(11, 8\), expected \(12, 8\). The likely cause: .* vocab_size=12,"
    with pytest.raises(CheckpointMismatch, match=words):
        load(folder)


def test_quantised_weights_are_refused(folder):
    change(folder, lambda t: t.update({"ln_f.weight": torch.ones(8, dtype=torch.int8)}))
    with pytest.raises(
        CheckpointMismatch, match=r"quantised, or no floating-point numbers: ln_f\.w"
    ):
        load(folder)
    (folder / "config.json").write_text(json.dumps({**GPT2, "quantization_config": {"bits": 4}}))
    with pytest.raises(UnsupportedCheckpoint, match="quantization_config"):
        load(folder)


def test_a_repeated_tensor_must_repeat(folder):
    change(folder, lambda t: t.update({"lm_head.weight": t["wte.weight"].clone()}))
    model = load(folder)
    assert model.output.weight is model.embedding.weight
    change(folder, lambda t: t.update({"lm_head.weight": t["wte.weight"] + 1}))
    with pytest.raises(CheckpointMismatch, match=r"ties them: lm_head.weight from wte.weight"):
        load(folder)


def test_a_repeated_tensor_stands_in_for_the_other(folder):
    expected = load(folder)(TOKENS)
    change(folder, lambda t: t.update({"lm_head.weight": t.pop("wte.weight")}))
    assert torch.equal(load(folder)(TOKENS), expected)


def test_a_tensor_with_and_without_prefix_is_refused(folder):
    change(folder, lambda t: t.update({"transformer.ln_f.bias": torch.zeros(8)}))
    with pytest.raises(CheckpointMismatch, match=r"given twice: ln_f.bias"):
        load(folder)


def test_nan_weights_are_refused_where_that_is_asked(folder):
    change(folder, lambda t: t["h.0.ln_1.bias"].fill_(torch.nan))
    assert load(folder)(TOKENS).isnan().any()
    with pytest.raises(CheckpointError, match=r"h.0.ln_1.bias holds NaN"):
        load(folder, finite=True)


def test_no_weights_are_drawn_only_to_be_written_over(folder, monkeypatch):
    def normal_(x, *_, **__):
        assert x.is_meta
        return x

    monkeypatch.setattr(torch.Tensor, "normal_", normal_)
    model = load(folder)
    assert {p.device.type for p in model.parameters()} == {"cpu"}
