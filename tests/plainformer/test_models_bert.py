"""BERT: logits and gradients compared with transformers, with padding and two sentences."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from plainformer.mask_rules import Rule
from plainformer.models import Encoder, MaskedLanguageModel, bert
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

SIZES = {
    "vocab_size": 23,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
}
DRAW = torch.Generator().manual_seed(0)
TOKENS = torch.randint(0, 23, (2, 7), generator=DRAW)
TYPES = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 0]])
LENGTHS = torch.tensor([7, 4])
REAL = (torch.arange(7) < LENGTHS[:, None]).long()
RULE = Rule(causal=False, lengths=LENGTHS)


def reference(model=transformers.BertForMaskedLM, **changes):
    # With a pad token the reference drops the gradient of that token's embedding.
    return randomised(model(transformers.BertConfig(**SIZES, pad_token_id=None, **changes)))


def test_logits_and_gradients_equal_the_references(tmp_path):
    theirs = reference(layer_norm_eps=1e-3)
    ours = loaded(theirs, tmp_path)
    assert isinstance(ours, MaskedLanguageModel)
    expected = theirs(TOKENS, attention_mask=REAL, token_type_ids=TYPES).logits
    pair = ours(TOKENS, mask=RULE, types=TYPES), expected
    agree(*pair)
    agree_in_gradients(ours, theirs, bert.family_of(["cls.predictions.bias"]), pair)


@pytest.mark.parametrize("activation", ["gelu_new", "relu"])
def test_without_padding_types_are_zero_and_all_is_seen(tmp_path, activation):
    theirs = reference(hidden_act=activation, tie_word_embeddings=False)
    agree(loaded(theirs, tmp_path)(TOKENS), theirs(TOKENS).logits)


def test_padding_on_the_left_counts_positions_from_the_first_token(tmp_path):
    ours = loaded(reference(), tmp_path)
    padded = torch.cat([torch.full((2, 3), 9), TOKENS], dim=1)
    found = ours(padded, mask=Rule(causal=False, starts=torch.tensor([3, 3])))
    agree(found[:, 3:], ours(TOKENS))


def test_an_encoder_without_a_head_is_read_as_one(tmp_path):
    theirs = reference(transformers.BertModel)
    ours = loaded(theirs, tmp_path)
    assert isinstance(ours, Encoder)
    expected = theirs(TOKENS, attention_mask=REAL, token_type_ids=TYPES).last_hidden_state
    agree(ours(TOKENS, mask=RULE, types=TYPES), expected)


def test_the_head_for_pairs_of_sentences_is_left_alone(tmp_path):
    theirs = reference(transformers.BertForPreTraining)
    agree(loaded(theirs, tmp_path)(TOKENS), theirs(TOKENS).prediction_logits)


def test_the_older_spelling_of_norms_is_read(tmp_path):
    expected = load(saved(reference(), tmp_path))(TOKENS)
    tensors = load_file(tmp_path / "model.safetensors")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    renamed = {}
    for name, tensor in tensors.items():
        for new, spelling in old.items():
            name = name.replace(new, spelling)
        renamed[name] = tensor
    assert renamed.keys() != tensors.keys()
    save_file(renamed, tmp_path / "model.safetensors")
    assert torch.equal(load(tmp_path)(TOKENS), expected)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("is_decoder", True),
        ("add_cross_attention", True),
        ("position_embedding_type", "relative_key"),
        ("hidden_act", "swish"),
    ],
)
def test_settings_that_are_not_built_are_refused_by_name(setting, value):
    with pytest.raises(UnsupportedCheckpoint, match=setting):
        bert.config_from(Settings({**SIZES, setting: value}))
