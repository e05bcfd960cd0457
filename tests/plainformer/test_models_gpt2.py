"""GPT-2: logits, gradients and cached steps compared with the transformers library."""

import pytest
import torch

from plainformer.cache import ContiguousCache
from plainformer.mask_rules import Rule
from plainformer.models import Decoder, gpt2
from plainformer.models.checkpoints import UnsupportedCheckpoint
from plainformer.models.pretrained import load
from plainformer.models.settings import Settings
from tests.plainformer.reference_models import (
    agree,
    agree_in_gradients,
    loaded,
    randomised,
    saved,
    transformers,
)

SIZES = {"vocab_size": 23, "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 16}
TOKENS = torch.randint(0, 23, (2, 7), generator=torch.Generator().manual_seed(0))


def reference(**changes):
    return randomised(transformers.GPT2LMHeadModel(transformers.GPT2Config(**SIZES, **changes)))


def test_logits_and_gradients_equal_the_references(tmp_path):
    theirs = reference(layer_norm_epsilon=1e-3)
    ours = loaded(theirs, tmp_path)
    assert isinstance(ours, Decoder)
    assert ours.output.weight is ours.embedding.weight
    pair = ours(TOKENS), theirs(TOKENS).logits
    agree(*pair)
    agree_in_gradients(ours, theirs, gpt2.FAMILY, pair)


@pytest.mark.parametrize("activation", ["gelu", "gelu_pytorch_tanh", "relu"])
def test_other_activations_and_widths_equal_the_references(tmp_path, activation):
    theirs = reference(activation_function=activation, n_inner=20)
    agree(loaded(theirs, tmp_path)(TOKENS), theirs(TOKENS).logits)


def test_an_untied_output_is_read(tmp_path):
    theirs = reference(tie_word_embeddings=False)
    ours = loaded(theirs, tmp_path)
    assert ours.output.weight is not ours.embedding.weight
    agree(ours(TOKENS), theirs(TOKENS).logits)


def test_padding_on_the_left_equals_the_references(tmp_path):
    theirs = reference()
    ours = loaded(theirs, tmp_path)
    real = torch.tensor([[0, 0, 1, 1, 1, 1, 1], [1] * 7])
    positions = (real.cumsum(-1) - 1).clamp_min(0)
    expected = theirs(TOKENS, attention_mask=real, position_ids=positions).logits
    found = ours(TOKENS, mask=Rule(starts=torch.tensor([2, 0])))
    agree(found[real.bool()], expected[real.bool()])


def test_cached_steps_equal_the_whole(tmp_path):
    ours = loaded(reference(), tmp_path)
    caches = [ContiguousCache() for _ in ours.blocks]
    steps = [ours(part, caches=caches) for part in TOKENS.split([3, 1, 2, 1], dim=1)]
    agree(torch.cat(steps, dim=1), ours(TOKENS))


def test_a_bare_model_without_prefix_is_read(tmp_path):
    theirs = reference()
    ours = loaded(theirs.transformer, tmp_path)
    agree(ours(TOKENS), theirs(TOKENS).logits)


def test_all_tensors_of_a_released_file_are_known():
    table = gpt2.sources(gpt2.config_from(Settings(SIZES)))
    for name in ("transformer.h.1.attn.bias", "h.0.attn.masked_bias"):
        assert gpt2.FAMILY.is_harmless(gpt2.FAMILY.name(name))
    assert not gpt2.FAMILY.is_harmless("h.0.attn.c_attn.bias")
    assert len(table) == 2 * (6 + 6 + 4) + 5


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("scale_attn_by_inverse_layer_idx", True),
        ("scale_attn_weights", False),
        ("add_cross_attention", True),
        ("is_causal", False),
        ("is_causal", None),
        ("activation_function", "quick_gelu"),
        ("n_layer", "two"),
        ("n_embd", None),
    ],
)
def test_settings_that_are_not_built_are_refused_by_name(setting, value):
    with pytest.raises(UnsupportedCheckpoint, match=setting):
        gpt2.config_from(Settings({**SIZES, setting: value}))


def test_shards_are_read_as_one_file_is(tmp_path):
    theirs = reference()
    whole = loaded(theirs, tmp_path / "whole")
    saved(theirs, tmp_path / "shards", max_shard_size="4KB")
    assert len(list((tmp_path / "shards").glob("model-*.safetensors"))) > 2
    shards = load(tmp_path / "shards")
    assert torch.equal(whole(TOKENS), shards(TOKENS))
