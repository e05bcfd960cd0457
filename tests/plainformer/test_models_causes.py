"""If tensors and settings disagree, the wrong setting is named, with the tensors' value."""

import json

import pytest
import torch
from safetensors.torch import save_file

from plainformer.models import Config, Decoder, Encoder, bert, llama
from plainformer.models.checkpoints import CheckpointMismatch, UnsupportedCheckpoint
from plainformer.models.pretrained import load, save
from plainformer.models.settings import Settings
from tests.plainformer.small_checkpoints import GPT2, change_settings, write_gpt2

LLAMA = {
    "model_type": "llama",
    "vocab_size": 11,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
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


def written(folder, settings, **changed):
    """Write a checkpoint with these settings, then change its config.json."""
    if settings is GPT2:
        write_gpt2(folder)
    else:
        read, sources, build = {
            "llama": (llama.config_from, llama.sources, Decoder),
            "bert": (bert.config_from, bert.encoder_sources, Encoder),
        }[settings["model_type"]]
        config = read(Settings(settings))
        shapes = {name: tuple(p.shape) for name, p in build(config).named_parameters()}
        table = sources(config)
        tensors = {table[ours].name: torch.ones(shape) for ours, shape in shapes.items()}
        save_file(tensors, folder / "model.safetensors")
    kept = {name: value for name, value in {**settings, **changed}.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept))
    return folder


@pytest.mark.parametrize(
    ("settings", "changed", "cause"),
    [
        (GPT2, {"n_positions": None}, "config.json does not give n_positions, .* n_positions=16"),
        (GPT2, {"n_positions": 20}, "n_positions=20, and the tensors fit n_positions=16"),
        (GPT2, {"vocab_size": 12}, "vocab_size=12, and the tensors fit vocab_size=11"),
        (GPT2, {"n_embd": 16}, "n_embd=16, and the tensors fit n_embd=8"),
        (GPT2, {"n_inner": 16}, "n_inner=16, and the tensors fit n_inner=32"),
        (GPT2, {"n_layer": 3}, "n_layer=3, and the tensors fit n_layer=1"),
        (LLAMA, {"intermediate_size": 16}, "intermediate_size=16, .* intermediate_size=12"),
        (LLAMA, {"num_key_value_heads": 4}, "num_key_value_heads=4, .* num_key_value_heads=2"),
        (LLAMA, {"num_hidden_layers": 1}, "num_hidden_layers=1, .* num_hidden_layers=2"),
        (LLAMA, {"head_dim": 4}, "head_dim=4, .* head_dim=2"),
        (GPT2, {"tie_word_embeddings": False}, "embeddings=False, .* tie_word_embeddings=True"),
        (LLAMA, {"attention_bias": True}, "attention_bias=True, .* attention_bias=False"),
        (BERT, {"type_vocab_size": 3}, "type_vocab_size=3, .* type_vocab_size=2"),
        (BERT, {"max_position_embeddings": None}, "max_position_embeddings, .*embeddings=16"),
    ],
)
def test_the_setting_that_contradicts_the_tensors_is_named(tmp_path, settings, changed, cause):
    with pytest.raises(CheckpointMismatch, match="The likely cause: .*" + cause) as caught:
        load(written(tmp_path, settings, **changed))
    assert str(caught.value).count("fit ") == 2, "no other setting is blamed"


def test_several_causes_are_all_named(tmp_path):
    with pytest.raises(CheckpointMismatch, match=r"vocab_size=11.*n_positions=16|n_pos.*vocab_s"):
        load(written(tmp_path, GPT2, vocab_size=12, n_positions=20))


def test_what_the_caller_asked_for_is_not_blamed_on_the_file(tmp_path):
    with pytest.raises(CheckpointMismatch, match=r"context=40 was asked for, .*fit context=16"):
        load(written(tmp_path, GPT2), context=40)


def test_a_model_of_ours_speaks_of_its_own_fields(tmp_path):
    save(Decoder(Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2)), tmp_path)
    with pytest.raises(CheckpointMismatch, match=r"d_ff=40 was asked for, and the tensors fit"):
        load(tmp_path, d_ff=40)


@pytest.mark.parametrize(
    ("left_out", "other"),
    [
        ("n_positions", "n_ctx"),
        ("n_positions", "max_position_embeddings"),
        ("n_embd", "hidden_size"),
        ("n_layer", "num_hidden_layers"),
        ("n_head", "num_attention_heads"),
    ],
)
def test_a_setting_under_its_other_name_is_read(tmp_path, left_out, other):
    expected = load(written(tmp_path, GPT2)).config
    settings = {**GPT2, left_out: None, other: GPT2[left_out]}
    assert load(written(tmp_path, GPT2, **settings)).config == expected


def test_a_setting_that_is_given_twice_with_different_values_is_refused(tmp_path):
    with pytest.raises(UnsupportedCheckpoint, match="n_embd=8 and hidden_size=16 are one setting"):
        load(written(tmp_path, GPT2, hidden_size=16))


def test_tensors_that_no_setting_explains_get_no_cause(tmp_path):
    written(tmp_path, LLAMA)
    tensors = {"model.norm.weight": torch.ones(9)}
    save_file(tensors, tmp_path / "model.safetensors")
    change_settings(tmp_path, num_hidden_layers=1)
    with pytest.raises(CheckpointMismatch):
        load(tmp_path)


@pytest.mark.parametrize("given", ["</s>", ["2"], 2.5, [True], {"id": 2}])
@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
def test_an_end_token_that_is_no_number_is_refused_with_a_way_out(tmp_path, given, file):
    written(tmp_path, GPT2)
    path = tmp_path / file
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, "eos_token_id": given}))
    with pytest.raises(UnsupportedCheckpoint, match=r"eos_token_id=.*load\(…, end_tokens=\[2\]\)"):
        load(tmp_path)
    assert load(tmp_path, end_tokens=[2]).config.end_tokens == (2,)


@pytest.mark.parametrize(
    ("scaling", "more", "context"),
    [
        ({"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}, {}, 128),
        ({"rope_type": "yarn", "factor": 2.0}, {}, 64),
        ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}, {}, 32),
        ({"type": "linear", "factor": 2.5}, {}, 80),
        ({"type": "dynamic", "factor": 3.0}, {}, 96),
        (
            {
                "rope_type": "llama3",
                "factor": 32.0,
                "original_max_position_embeddings": 8,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
            },
            {},
            32,
        ),
        (None, {}, 32),
    ],
)
def test_the_context_is_what_the_scaling_reaches(tmp_path, scaling, more, context):
    model = load(written(tmp_path, LLAMA, rope_scaling=scaling, **more))
    assert model.config.context == context
    model(torch.zeros(1, context, dtype=torch.long))
