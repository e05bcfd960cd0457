"""T5 1.0 and 1.1: logits, gradients and cached steps compared with transformers."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from plainformer.cache import ContiguousCache
from plainformer.mask_rules import Rule
from plainformer.models import EncoderDecoder, t5
from plainformer.models.checkpoints import UnsupportedCheckpoint
from plainformer.models.pretrained import load
from plainformer.models.settings import Settings
from tests.plainformer.reference_models import (
    agree,
    agree_in_gradients,
    in_double,
    randomised,
    saved,
    transformers,
)
from tests.plainformer.small_checkpoints import change_settings

SIZES = {
    "vocab_size": 23,
    "d_model": 12,
    "d_kv": 5,
    "d_ff": 20,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 20,
}
VERSIONS = {
    "1.0": {},
    "1.1": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
}
DRAW = torch.Generator().manual_seed(0)
SOURCE = torch.randint(0, 23, (2, 33), generator=DRAW)
TARGET = torch.randint(0, 23, (2, 29), generator=DRAW)
LENGTHS = torch.tensor([33, 21])
REAL = (torch.arange(33) < LENGTHS[:, None]).long()
RULE = Rule(causal=False, lengths=LENGTHS)


def reference(version="1.0", **changes):
    config = transformers.T5Config(**{**SIZES, **VERSIONS[version], **changes})
    model = transformers.T5ForConditionalGeneration(config)
    if version == "1.1":  # a separate output matrix
        model.lm_head.weight = nn.Parameter(torch.empty(23, 12))
    return randomised(model)


def logits_of(theirs, **more):
    with in_double():
        return theirs(input_ids=SOURCE, decoder_input_ids=TARGET, **more).logits


@pytest.mark.parametrize("version", VERSIONS)
def test_logits_and_gradients_equal_the_references(tmp_path, version):
    theirs = reference(version)
    ours = load(saved(theirs, tmp_path))
    assert isinstance(ours, EncoderDecoder)
    assert (ours.decoder.output.weight is ours.encoder.embedding.weight) == (version == "1.0")
    pair = ours(SOURCE, TARGET, source_mask=RULE), logits_of(theirs, attention_mask=REAL)
    agree(*pair)
    agree_in_gradients(ours, theirs, t5.FAMILY, pair)


@pytest.mark.parametrize("activation", ["gelu", "gated-silu"])
def test_other_feed_forwards_equal_the_references(tmp_path, activation):
    theirs = reference(feed_forward_proj=activation, layer_norm_epsilon=0.1)
    agree(load(saved(theirs, tmp_path))(SOURCE, TARGET), logits_of(theirs))


def test_a_source_padded_on_the_left_equals_the_references(tmp_path):
    theirs = reference()
    real = REAL.flip(-1)
    rule = Rule(causal=False, starts=33 - LENGTHS)
    found = load(saved(theirs, tmp_path))(SOURCE, TARGET, source_mask=rule)
    agree(found, logits_of(theirs, attention_mask=real))


def test_a_target_padded_on_the_left_equals_the_references(tmp_path):
    theirs = reference()
    real = torch.arange(29).expand(2, 29) >= torch.tensor([[6], [0]])
    expected = logits_of(theirs, decoder_attention_mask=real.long())
    mask = Rule(starts=torch.tensor([6, 0]))
    agree(load(saved(theirs, tmp_path))(SOURCE, TARGET, mask=mask)[real], expected[real])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("backend", ["plain", "sdpa"])
def test_cached_steps_equal_the_whole(tmp_path, version, backend):
    ours = load(saved(reference(version), tmp_path), attention=backend)
    memory = ours.encode(SOURCE, mask=RULE)
    caches = [[ContiguousCache() for _ in ours.decoder.blocks] for _ in range(2)]
    options = {"memory_mask": RULE, "caches": caches[0], "memory_caches": caches[1]}
    steps = [ours.decode(t, memory, **options) for t in TARGET.split([11, 1, 1, 16], dim=1)]
    agree(torch.cat(steps, dim=1), ours(SOURCE, TARGET, source_mask=RULE))
    assert [cache.length for cache in caches[1]] == [33] * 3


def test_version_is_told_by_older_settings_too(tmp_path):
    theirs = reference("1.1")
    saved(theirs, tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    del settings["scale_decoder_outputs"]
    settings["tie_word_embeddings"] = False
    (tmp_path / "config.json").write_text(json.dumps(settings))
    agree(load(tmp_path)(SOURCE, TARGET), logits_of(theirs))


def test_shards_are_read_as_one_file_is(tmp_path):
    theirs = reference()
    whole = load(saved(theirs, tmp_path / "whole"))
    shards = load(saved(theirs, tmp_path / "shards", max_shard_size="4KB"))
    assert len(list((tmp_path / "shards").glob("model-*.safetensors"))) > 2
    assert torch.equal(whole(SOURCE, TARGET), shards(SOURCE, TARGET))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("feed_forward_proj", "gated-relu"),
        ("is_encoder_decoder", False),
        ("d_kv", None),
        ("dense_act_fn", "gelu"),  # the reference would use it instead of feed_forward_proj
        ("is_gated_act", True),
        ("is_causal", None),
    ],
)
def test_settings_that_are_not_built_are_refused_by_name(setting, value):
    with pytest.raises(UnsupportedCheckpoint, match=setting):
        t5.config_from(Settings({**SIZES, setting: value}))


def test_outputs_are_not_scaled_where_the_file_says_null(tmp_path):
    saved(reference(), tmp_path)
    change_settings(tmp_path, scale_decoder_outputs=None)
    theirs = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path)
    agree(load(tmp_path)(SOURCE, TARGET), logits_of(theirs.double().eval()))


def test_an_output_that_older_files_repeat_stays_tied(tmp_path):
    expected = load(saved(reference(), tmp_path))(SOURCE, TARGET)
    settings = json.loads((tmp_path / "config.json").read_text())
    del settings["scale_decoder_outputs"]
    (tmp_path / "config.json").write_text(json.dumps(settings))
    tensors = load_file(tmp_path / "model.safetensors")
    copies = ("lm_head.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    tensors |= {name: tensors["shared.weight"].clone() for name in copies}
    save_file(tensors, tmp_path / "model.safetensors")
    again = load(tmp_path)
    assert again.config.tied
    assert torch.equal(again(SOURCE, TARGET), expected)
