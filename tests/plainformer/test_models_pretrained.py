"""Loading and saving: lossless round trips, and errors that name the cause."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from plainformer.models import (
    Config,
    Decoder,
    Encoder,
    EncoderDecoder,
    MaskedLanguageModel,
    pretrained,
)
from plainformer.models.checkpoints import (
    CheckpointError,
    CheckpointMismatch,
    UnsupportedCheckpoint,
)
from plainformer.models.pretrained import load, save
from tests.plainformer.small_checkpoints import GPT2, change, change_settings, write_gpt2

SMALL = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 16}
TOKENS = torch.arange(5)[None]


@pytest.fixture
def folder(tmp_path):
    return write_gpt2(tmp_path)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kind", [Decoder, Encoder, EncoderDecoder, MaskedLanguageModel])
def test_what_was_saved_comes_back(tmp_path, kind, tied):
    model = kind(Config(**SMALL, tied=tied, dropout=0.1, window=3, positions="relative"))
    save(model, tmp_path)
    again = load(tmp_path)
    assert type(again) is kind
    assert again.config == model.config
    expected, found = dict(model.named_parameters()), dict(again.named_parameters())
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert not again.training


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "rotary", "alibi"])
def test_whatever_positions_it_has_a_model_computes_the_same_again(tmp_path, positions):
    model = Decoder(Config(**SMALL, positions=positions)).double().eval()
    save(model, tmp_path)
    assert torch.equal(load(tmp_path)(TOKENS), model(TOKENS))


def test_a_loaded_model_can_be_saved_and_trained(folder, tmp_path):
    model = load(folder)
    save(model, tmp_path / "ours")
    again = load(tmp_path / "ours")
    assert torch.equal(model(TOKENS), again(TOKENS))
    again(TOKENS).sum().backward()
    assert all(p.grad is not None for p in again.parameters())


def test_the_dtype_is_the_files_unless_one_is_asked_for(folder):
    assert {p.dtype for p in load(folder).parameters()} == {torch.float32}
    change(folder, lambda t: t.update({n: x.bfloat16() for n, x in t.items()}))
    assert {p.dtype for p in load(folder).parameters()} == {torch.bfloat16}
    assert {p.dtype for p in load(folder, dtype=torch.float64).parameters()} == {torch.float64}
    change(folder, lambda t: t.update({"wte.weight": t["wte.weight"].float()}))
    assert {p.dtype for p in load(folder).parameters()} == {torch.float32}


def test_fields_of_the_configuration_can_be_changed(folder):
    assert load(folder, attention="plain", dropout=0.5).config.attention == "plain"
    with pytest.raises(ValueError, match="depth is no field"):
        load(folder, depth=3)
    with pytest.raises(ValueError, match="context is 'long', expected"):
        load(folder, context="long")


def test_a_change_that_makes_no_model_is_not_blamed_on_the_file(folder):
    words = r"load\(…, attention='quick'\): attention='quick': expected one of"
    with pytest.raises(ValueError, match=words) as caught:
        load(folder, attention="quick")
    assert not isinstance(caught.value, CheckpointError)
    change_settings(folder, n_head=3)
    with pytest.raises(UnsupportedCheckpoint, match=r"config.json: d_model=8 is not divisible"):
        load(folder, attention="plain")


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        ({"attn_logit_softcapping": 30.0}, "attn_logit_softcapping=30.0"),
        ({"use_qk_norm": False, "x": [1]}, r"use_qk_norm=False, x=\[1\]"),
    ],
)
def test_settings_that_nobody_reads_are_all_named(folder, unknown, words):
    change_settings(folder, left_out=None, n_ctx=16, resid_pdrop=0.1, **unknown)
    with pytest.raises(
        UnsupportedCheckpoint, match=f"config.json: not known here.*: {words}. Take"
    ):
        load(folder)


# Further entries in the configurations of released GPT-2 models, which are not read.
RELEASED = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1,
    "bos_token_id": 50256,
    "embd_pdrop": 0.1,
    "eos_token_id": 50256,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "n_ctx": 16,
    "n_special": 0,
    "output_past": True,
    "predict_special_tokens": True,
    "pruned_heads": {},
    "resid_pdrop": 0.1,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
}


# Further entries by other versions of the transformers library and related tools.
WRITTEN = {
    "_attn_implementation": "eager",
    "_commit_hash": "607a30d",
    "add_cross_attention": False,
    "cls_token_id": 2,
    "diversity_penalty": 0.0,
    "encoder_no_repeat_ngram_size": 0,
    "is_decoder": False,
    "mask_token_id": 4,
    "num_beam_groups": 1,
    "output_scores": False,
    "remove_invalid_values": False,
    "return_dict_in_generate": False,
    "tf_legacy_loss": False,
    "tie_encoder_decoder": False,
    "typical_p": 1.0,
    "unsloth_version": "2024.9",
    "use_bfloat16": False,
}


@pytest.mark.parametrize("settings", [RELEASED, WRITTEN], ids=["released", "written"])
def test_settings_that_change_nothing_are_no_obstacle(folder, settings):
    expected = load(folder)(TOKENS)
    change_settings(folder, left_out=None, **settings)
    assert torch.equal(load(folder)(TOKENS), expected)


@pytest.mark.parametrize("name", ["is_decoder", "add_cross_attention", "tie_encoder_decoder"])
def test_settings_of_other_architectures_are_refused_by_name(folder, name):
    change_settings(folder, **{name: True})
    with pytest.raises(UnsupportedCheckpoint, match=f"{name}=True is not supported"):
        load(folder)


def test_the_tokens_that_end_a_text_are_kept(folder, tmp_path):
    assert load(folder).config.end_tokens == ()
    change_settings(folder, eos_token_id=3)
    assert load(folder).config.end_tokens == (3,)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [3, 5]}))
    model = load(folder)
    assert model.config.end_tokens == (3, 5)
    save(model, tmp_path / "ours")
    assert load(tmp_path / "ours").config.end_tokens == (3, 5)
    assert load(folder, end_tokens=()).config.end_tokens == ()


def test_a_pickle_beside_the_configuration_is_named_with_the_way_out(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    words = r"neither model.safetensors nor .*; pytorch_model.bin is a pickle.*save_pretrained"
    with pytest.raises(CheckpointError, match=words):
        load(folder)


def test_a_file_is_no_folder_and_a_device_must_be_here(folder):
    with pytest.raises(CheckpointError, match=r"model.safetensors is a file: give the folder"):
        load(folder / "model.safetensors")
    with pytest.raises(ValueError, match="device abacus: not a device that works here"):
        load(folder, device="abacus")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device cuda: not a device that works here"):
            load(folder, device="cuda")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({**GPT2, "model_type": "mamba"}, "model_type='mamba' is not supported.*'bert', 'gpt2'"),
        ({k: v for k, v in GPT2.items() if k != "model_type"}, "model_type='' is not supported"),
        ({**GPT2, "n_embd": 2**30, "vocab_size": 2**31 - 1, "n_head": 1}, "overflow"),
        ({**GPT2, "n_embd": 10**40, "n_head": 1}, "n_embd=10+ is beyond any tensor"),
        ({**GPT2, "n_embd": -8}, "d_model=-8: expected at least 1"),
        ({**GPT2, "n_head": 3}, "d_model=8 is not divisible by n_heads=3"),
        ({**GPT2, "vocab_size": "many"}, "vocab_size='many' is not a whole number"),
        ({"model_type": "plainformer"}, "model='' is not supported.*Decoder"),
        (
            {"model_type": "plainformer", "model": "Decoder", "config": {"d_modl": 8}},
            "d_model is missing.*d_modl is no field",
        ),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(folder, settings, words):
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(UnsupportedCheckpoint, match=words):
        load(folder)


def test_more_layers_than_tensors_are_refused_before_they_are_built(folder):
    (folder / "config.json").write_text(json.dumps({**GPT2, "n_layer": 10**9}))
    with pytest.raises(CheckpointMismatch, match="most of 1000000000 layers, of 16 tensors"):
        load(folder)


def test_a_damaged_configuration_within_the_weights_is_refused(folder):
    path = folder / "model.safetensors"
    save_file(load_file(path), path, metadata={"config.json": '{"model_type": '})
    with pytest.raises(CheckpointError, match=r"model.safetensors is no readable JSON"):
        load(folder)


def test_other_modules_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match=r"model is a Linear; expected one of \['Decoder'"):
        save(torch.nn.Linear(2, 2), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("survives", [0, 1])
def test_who_is_killed_while_saving_keeps_the_old_model(tmp_path, monkeypatch, survives):
    old, new = Decoder(Config(**SMALL)), Decoder(Config(**{**SMALL, "d_model": 12}))
    save(old, tmp_path)
    calls, real = [], pretrained.write_atomically

    def killed(path, write):
        calls.append(path)
        if len(calls) > survives:
            raise KeyboardInterrupt
        real(path, write)

    monkeypatch.setattr(pretrained, "write_atomically", killed)
    with pytest.raises(KeyboardInterrupt):
        save(new, tmp_path)
    assert torch.equal(load(tmp_path)(TOKENS), old.eval()(TOKENS))
