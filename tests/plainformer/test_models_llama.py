"""Llama: logits, gradients and cached steps compared with the transformers library."""

import json

import pytest
import torch

from plainformer.cache import ContiguousCache
from plainformer.mask_rules import Rule
from plainformer.models import Decoder, llama
from plainformer.models.checkpoints import UnsupportedCheckpoint
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

SIZES = {
    "vocab_size": 23,
    "hidden_size": 16,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
}
TOKENS = torch.randint(0, 23, (2, 27), generator=torch.Generator().manual_seed(0))
ROPE = {
    "default": {},
    "linear": {"factor": 3.0},
    "dynamic": {"factor": 3.0},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 8},
    "llama3": {
        "factor": 4.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8,
    },
}
ORIGINAL = "original_max_position_embeddings"


def reference(**changes):
    with in_double():
        config = transformers.LlamaConfig(**{**SIZES, **changes})
        return randomised(transformers.LlamaForCausalLM(config))


def logits_of(theirs, tokens=TOKENS, **more):
    with in_double():
        return theirs(tokens, **more).logits


def rope(kind, **more):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 500.0, **ROPE[kind], **more}}


@pytest.mark.parametrize("kind", ROPE)
def test_logits_and_gradients_equal_the_references(tmp_path, kind):
    # Dynamic scaling begins beyond the context; the others have a shorter original context.
    context = {"max_position_embeddings": 11} if kind == "dynamic" else {}
    theirs = reference(**rope(kind), **context)
    ours = loaded(theirs, tmp_path)
    pair = ours(TOKENS), logits_of(theirs)
    agree(*pair)
    agree_in_gradients(ours, theirs, llama.FAMILY, pair)


@pytest.mark.parametrize(
    "options",
    [
        {"beta_fast": 4.0, "beta_slow": 0.5},
        {"attention_factor": 1.3},
        {"truncate": False},
        {"mscale": 0.7, "mscale_all_dim": 0.5},
    ],
)
def test_options_of_yarn_equal_the_references(tmp_path, options):
    sizes = {"head_dim": 16, "max_position_embeddings": 400}
    trained = {"original_max_position_embeddings": 100}
    theirs = reference(**sizes, **rope("yarn", **trained, **options))
    plain = reference(**sizes, **rope("yarn", **trained))
    agree(loaded(theirs, tmp_path)(TOKENS), logits_of(theirs))
    assert not torch.allclose(logits_of(theirs), logits_of(plain))


@pytest.mark.parametrize(
    "changes",
    [
        {"attention_bias": True, "mlp_bias": True},
        {"mlp_bias": True},
        {"head_dim": 6},
        {"num_key_value_heads": 4},
        {"num_key_value_heads": 1, "tie_word_embeddings": True},
        {"hidden_act": "gelu", "rms_norm_eps": 0.1},
    ],
)
def test_other_settings_equal_the_references(tmp_path, changes):
    theirs = reference(**changes)
    ours = loaded(theirs, tmp_path)
    pair = ours(TOKENS), logits_of(theirs)
    agree(*pair)
    agree_in_gradients(ours, theirs, llama.FAMILY, pair)


@pytest.mark.parametrize("kind", ["default", "yarn", "llama3"])
def test_the_older_spelling_of_the_settings_means_the_same(tmp_path, kind):
    theirs = reference(**rope(kind))
    expected = loaded(theirs, tmp_path)(TOKENS)
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text())
    rope_parameters = settings.pop("rope_parameters")
    settings["rope_theta"] = rope_parameters.pop("rope_theta")
    rope_parameters["type"] = rope_parameters.pop("rope_type")
    settings["rope_scaling"] = None if kind == "default" else rope_parameters
    path.write_text(json.dumps(settings))
    assert torch.equal(load(tmp_path)(TOKENS), expected)


@pytest.mark.parametrize("kind", ["default", "linear", "yarn", "llama3"])
def test_cached_steps_equal_the_whole(tmp_path, kind):
    ours = loaded(reference(**rope(kind)), tmp_path)
    caches = [ContiguousCache() for _ in ours.blocks]
    steps = [ours(part, caches=caches) for part in TOKENS.split([13, 1, 9, 4], dim=1)]
    agree(torch.cat(steps, dim=1), ours(TOKENS))


def test_padding_on_the_left_equals_the_references(tmp_path):
    theirs = reference()
    ours = loaded(theirs, tmp_path)
    real = torch.arange(27).expand(2, 27) >= torch.tensor([[4], [0]])
    positions = (real.long().cumsum(-1) - 1).clamp_min(0)
    expected = logits_of(theirs, attention_mask=real.long(), position_ids=positions)
    agree(ours(TOKENS, mask=Rule(starts=torch.tensor([4, 0])))[real], expected[real])


def test_shards_and_prefixes_make_no_difference(tmp_path):
    theirs = reference(tie_word_embeddings=True)
    whole = loaded(theirs, tmp_path / "whole")(TOKENS)
    saved(theirs, tmp_path / "shards", max_shard_size="4KB")
    assert len(list((tmp_path / "shards").glob("model-*.safetensors"))) > 2
    saved(theirs.model, tmp_path / "bare")
    for folder in ("shards", "bare"):
        assert torch.equal(load(tmp_path / folder)(TOKENS), whole)


def test_a_longer_context_is_taken_where_positions_have_no_end(tmp_path):
    theirs = reference(max_position_embeddings=16)
    with pytest.raises(ValueError, match="27 positions do not fit the model's context of 16"):
        loaded(theirs, tmp_path)(TOKENS)
    agree(load(tmp_path, context=64)(TOKENS), logits_of(theirs))


def test_the_buffers_of_older_files_are_known():
    for name in ("model.layers.1.self_attn.rotary_emb.inv_freq", "rotary_emb.inv_freq"):
        assert llama.FAMILY.is_harmless(llama.FAMILY.name(name))
    assert not llama.FAMILY.is_harmless("layers.1.self_attn.q_norm.weight")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_act": "relu2"}, "hidden_act='relu2'.*'silu'"),
        ({"rope_scaling": {"type": "longrope", "factor": 2.0}}, "type='longrope'.*'yarn'"),
        ({"rope_parameters": {"rope_type": "linear"}}, "rope_parameters lacks 'factor'"),
        ({"rope_parameters": "linear"}, "rope_parameters='linear' is not an object"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor=0.5"),
        ({"attention_bias": "yes"}, "attention_bias='yes' is not true or false"),
        ({"is_causal": False}, "is_causal=False is not supported"),
        ({"rope_interleaved": True}, "rope_interleaved=True is not supported"),
        (
            {"rope_parameters": {"rope_theta": 500.0}, "rope_theta": 700.0},
            "rope_theta is given twice, as 500.0 and as 700.0",
        ),
        (
            {"rope_parameters": {"rope_type": "yarn", "type": "linear", "factor": 2.0}},
            "rope_type is given twice, as 'yarn' and as 'linear'",
        ),
        (
            {"rope_parameters": {**ROPE["yarn"], "type": "yarn"}, f"{ORIGINAL}": 9},
            f"{ORIGINAL} is given twice, as 8 and as 9",
        ),
    ],
)
def test_settings_that_are_not_built_are_refused_by_name(changes, words):
    with pytest.raises(UnsupportedCheckpoint, match=words):
        llama.config_from(Settings({**SIZES, **changes}))


@pytest.mark.parametrize("settings", [{"rope_theta": 0}, {"rope_parameters": {"rope_theta": 0.0}}])
def test_a_base_of_zero_is_not_taken_for_one_that_is_left_out(settings):
    config = llama.config_from(Settings({**SIZES, **settings}))
    with pytest.raises(ValueError, match=r"base=0.0: expected a number above 1"):
        Decoder(config)


@pytest.mark.parametrize("kind", ["linear", "yarn", "dynamic"])
def test_two_places_that_contradict_each_other_are_refused(tmp_path, kind):
    # The advice of many model cards, on a current file: add rope_scaling to config.json.
    saved(reference(), tmp_path)
    change_settings(tmp_path, rope_scaling={"rope_type": kind, **ROPE[kind]})
    with pytest.raises(UnsupportedCheckpoint, match=r"rope_parameters=.* and rope_scaling=.* diff"):
        load(tmp_path)


def test_two_places_that_say_the_same_are_read(tmp_path):
    theirs = reference(**rope("yarn"))
    expected = loaded(theirs, tmp_path)(TOKENS)
    change_settings(tmp_path, rope_scaling={"type": "yarn", **ROPE["yarn"]}, rope_theta=500.0)
    assert torch.equal(load(tmp_path)(TOKENS), expected)


def test_dynamic_scaling_counts_from_the_context_whatever_is_called_original(tmp_path):
    theirs = reference(**rope("dynamic", **{ORIGINAL: 7}), max_position_embeddings=14)
    agree(loaded(theirs, tmp_path)(TOKENS), logits_of(theirs))


def test_what_a_scaling_does_not_know_is_refused_by_name(tmp_path):
    saved(reference(), tmp_path)
    change_settings(tmp_path, rope_parameters={"rope_theta": 500.0, "factor": 2.0})
    with pytest.raises(UnsupportedCheckpoint, match=r"rope_parameters\.factor=2\.0"):
        load(tmp_path)
