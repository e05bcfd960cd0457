"""Names and layouts of other libraries; all tensors that do not fit are reported at once."""

import json

import pytest
import torch
from safetensors.torch import save_file

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
from plainformer.models.settings import Settings
from tests.plainformer.small_checkpoints import GPT2, change, change_settings, write_gpt2
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
LLAMA = {
    "model_type": "llama",
    "vocab_size": 11,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
}
T5 = {
    "model_type": "t5",
    "vocab_size": 11,
    "d_model": 8,
    "d_kv": 4,
    "d_ff": 12,
    "num_layers": 1,
    "num_heads": 2,
    "feed_forward_proj": "gated-gelu",
}
BERT = {
    "model_type": "bert",
    "vocab_size": 11,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": 16,
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


UNTIED = {
    "gpt2": (gpt2.FAMILY, GPT2),
    "llama": (llama.FAMILY, LLAMA),
    "mistral": (llama.MISTRAL, {**LLAMA, "model_type": "mistral"}),
    "qwen2": (llama.QWEN2, {**LLAMA, "model_type": "qwen2"}),
    "t5": (t5.FAMILY, T5),
    "bert": (bert.family_of(["cls.predictions.bias"]), BERT),
}
TABLE = {"gpt2": "wte", "t5": "shared", "bert": "embeddings.word_embeddings"}
HEAD = {"bert": "cls.predictions.decoder.weight"}


def untied(folder, kind, edit, *, tied=False, **more):
    """Write a checkpoint whose output has its own matrix, edited."""
    family, settings = UNTIED[kind]
    settings = {**settings, "tie_word_embeddings": False, **more}
    config = family.config(Settings(settings), [HEAD.get(kind, "lm_head.weight")])
    shapes = {name: p.shape for name, p in family.model(config).named_parameters()}
    pairs = [(ours, source) for ours, source in family.sources(config).items() if ours in shapes]
    drawn = {
        source.name: normal(*source.shape(tuple(shapes[ours])), seed=i, dtype=torch.float32)
        for i, (ours, source) in enumerate(pairs)
    }
    edit(drawn)
    save_file(drawn, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({**settings, "tie_word_embeddings": tied}))
    return drawn


@pytest.mark.parametrize("kind", UNTIED)
def test_an_output_that_is_not_tied_stands_in_for_no_embedding(tmp_path, kind):
    table = TABLE.get(kind, "embed_tokens") + ".weight"
    untied(tmp_path, kind, lambda tensors: tensors.pop(table))
    words = rf"missing: {table}. The likely cause: .* fit tie_word_embeddings=True"
    with pytest.raises(CheckpointMismatch, match=words):
        load(tmp_path)


GATED = {"mlp.gate_proj": 12, "mlp.up_proj": 12, "mlp.down_proj": 8}


@pytest.mark.parametrize(
    ("kind", "biases"),
    [
        ("mistral", {"self_attn.o_proj": 8}),
        ("mistral", GATED),
        ("mistral", {"self_attn.q_proj": 8, "self_attn.k_proj": 4, "self_attn.v_proj": 4}),
        ("qwen2", {"self_attn.o_proj": 8}),
        ("qwen2", GATED),
    ],
)
def test_no_setting_is_advised_that_cannot_be_made(tmp_path, kind, biases):
    names = {f"layers.0.{name}.bias": torch.zeros(size) for name, size in biases.items()}
    untied(tmp_path, kind, lambda tensors: tensors.update(names))
    with pytest.raises(CheckpointMismatch, match=rf"extra: {', '.join(sorted(names))}$"):
        load(tmp_path)


@pytest.mark.parametrize("settings", [{}, {"scale_decoder_outputs": False}])
@pytest.mark.parametrize("names", [["decoder"], ["encoder"], ["encoder", "decoder"]])
def test_an_embedding_is_found_under_its_other_names_beside_an_output(tmp_path, names, settings):
    def rename(tensors):
        shared = tensors.pop("shared.weight")
        tensors.update({f"{name}.embed_tokens.weight": shared.clone() for name in names})

    drawn = untied(tmp_path, "t5", rename, **settings)
    model = load(tmp_path)
    assert torch.equal(model.encoder.embedding.weight, drawn[f"{names[0]}.embed_tokens.weight"])
    assert torch.equal(model.decoder.output.weight, drawn["lm_head.weight"])


def test_two_embeddings_that_differ_are_refused_by_what_they_are(tmp_path):
    def add(tensors):
        tensors["decoder.embed_tokens.weight"] = tensors["shared.weight"] + 1

    untied(tmp_path, "t5", add)
    words = r"one tensor for both: decoder.embed_tokens.weight from shared.weight$"
    with pytest.raises(CheckpointMismatch, match=words):
        load(tmp_path)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral", "bert"])
def test_the_way_out_of_two_tensors_that_are_tied_is_said(tmp_path, kind):
    drawn = untied(tmp_path, kind, lambda tensors: None, tied=True)
    with pytest.raises(CheckpointMismatch, match=r"ties them: .*\bload\(…, tied=False\)"):
        load(tmp_path)
    model = load(tmp_path, tied=False)
    assert torch.equal(model.output.weight, drawn[HEAD.get(kind, "lm_head.weight")])
    change_settings(tmp_path, tie_word_embeddings=False)
    assert torch.equal(load(tmp_path).output.weight, model.output.weight)


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
