"""Mistral and Qwen2: logits, gradients and greedy tokens as in transformers; errors."""

import json

import pytest
import torch

from plainformer.generation import generate
from plainformer.models import llama
from plainformer.models.checkpoints import CheckpointError, UnsupportedCheckpoint
from plainformer.models.pretrained import load
from plainformer.models.settings import Settings
from tests.plainformer.reference_models import (
    agree,
    agree_in_gradients,
    in_double,
    loaded,
    randomised,
    saved,
    transformers,
)
from tests.plainformer.small_checkpoints import change_settings
from tests.plainformer.test_models_llama import SIZES, TOKENS, logits_of

KIN = {
    "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM, llama.MISTRAL),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM, llama.QWEN2),
}
MODELS = [
    ("mistral", {"sliding_window": 5}),
    ("mistral", {"sliding_window": None, "head_dim": 6}),
    ("mistral", {"sliding_window": 2, "num_key_value_heads": 1}),
    ("qwen2", {}),
    ("qwen2", {"rms_norm_eps": 0.1}),
    ("qwen2", {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0}),
    ("qwen2", {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 2}),
    ("qwen2", {"use_sliding_window": False, "sliding_window": 5, "max_window_layers": 0}),
]
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}


def reference(kind, **changes):
    config, model, _ = KIN[kind]
    with in_double():
        return randomised(model(config(**{**SIZES, "eos_token_id": None, **changes})))


@pytest.mark.parametrize(("kind", "changes"), MODELS)
def test_logits_and_gradients_equal_the_references(tmp_path, kind, changes):
    theirs = reference(kind, **changes)
    ours = loaded(theirs, tmp_path)
    pair = ours(TOKENS), logits_of(theirs)
    agree(*pair)
    agree_in_gradients(ours, theirs, KIN[kind][2], pair)


@pytest.mark.parametrize(("kind", "changes"), MODELS)
def test_greedy_tokens_equal_the_references(tmp_path, kind, changes):
    theirs = reference(kind, **changes)
    options = {"max_new_tokens": 16, "do_sample": False, "pad_token_id": 0}
    with in_double():
        expected = theirs.generate(TOKENS[:, :9], **options)[:, 9:]
    ours = loaded(theirs, tmp_path)
    assert generate(ours, TOKENS[:, :9], max_new_tokens=16).tokens == expected.tolist()
    assert len(set(expected.flatten().tolist())) > 4


@pytest.mark.parametrize("kind", KIN)
def test_scaled_positions_equal_the_references(tmp_path, kind):
    theirs = reference(kind, rope_parameters={"rope_theta": 500.0, **YARN})
    agree(loaded(theirs, tmp_path)(TOKENS), logits_of(theirs))


def test_what_a_file_leaves_out_is_what_the_reference_takes():
    sizes = {**SIZES, "num_attention_heads": 32, "hidden_size": 64}
    del sizes["max_position_embeddings"], sizes["num_key_value_heads"]
    for kind, read in (("mistral", llama.mistral_from), ("qwen2", llama.qwen2_from)):
        theirs, ours = KIN[kind][0](**sizes), read(Settings(sizes))
        assert ours.n_kv_heads == theirs.num_key_value_heads
        assert ours.context == theirs.max_position_embeddings
        assert ours.window == theirs.sliding_window
        assert ours.norm_eps == theirs.rms_norm_eps


@pytest.mark.parametrize(("kind", "changes"), [MODELS[0], MODELS[3], MODELS[5]])
def test_under_the_name_of_llama_they_are_refused(tmp_path, kind, changes):
    saved(reference(kind, **changes), tmp_path)
    change_settings(tmp_path, model_type="llama")
    with pytest.raises(CheckpointError, match=r"sliding_window|layer_types"):
        load(tmp_path)


def test_a_mistral_without_a_window_is_a_llama(tmp_path):
    theirs = reference("mistral", sliding_window=None)
    mistral = loaded(theirs, tmp_path)
    assert mistral.config.window is None
    expected = mistral(TOKENS)
    change_settings(tmp_path, model_type="llama")
    assert torch.equal(load(tmp_path)(TOKENS), expected)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"use_sliding_window": True, "max_window_layers": 1}, "a window of 4096 in 1 of 2 layers"),
        ({"layer_types": ["sliding_attention"] * 2}, "a window of None in 2 of 2 layers"),
        ({"layer_types": ["full_attention"]}, "for each of 2 layers"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "expected 'full_attention' or"),
        ({"use_mrope": True}, "use_mrope=True is not supported"),
        ({"is_causal": False}, "is_causal=False is not supported"),
        ({"is_causal": None}, "is_causal=None is not supported"),
        ({"mlp_bias": True}, "mlp_bias=True is not supported"),
    ],
)
def test_settings_that_are_not_built_are_refused_by_name(changes, words):
    with pytest.raises(UnsupportedCheckpoint, match=words):
        llama.qwen2_from(Settings({**SIZES, **changes}))


def test_biases_that_the_kind_does_not_have_are_not_read_as_if_it_had(tmp_path):
    for kind in KIN:
        saved(reference(kind), tmp_path / kind)
        change_settings(tmp_path / kind, attention_bias=True)
        with pytest.raises(UnsupportedCheckpoint, match="attention_bias=True"):
            load(tmp_path / kind)
        change_settings(tmp_path / kind, attention_bias=False, mlp_bias=False)
        load(tmp_path / kind)
        assert json.loads((tmp_path / kind / "config.json").read_text())["model_type"] == kind
