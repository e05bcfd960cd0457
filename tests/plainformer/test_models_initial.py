"""Initial weights: their spread, and equal stream sizes in deep and shallow models."""

import math

import pytest
import torch

from plainformer.blocks import deepnorm
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder

WIDE = {"vocabulary": 400, "d_model": 96, "n_heads": 4, "feedforward": "gelu", "bias": True}


def spread(parameter):
    return float(parameter.detach().std())


def test_what_writes_to_the_stream_begins_smaller():
    block = Decoder(Config(**WIDE, n_layers=8)).blocks[3]
    for layer in (block.attention.query, block.attention.value, block.feedforward.up):
        assert spread(layer.weight) == pytest.approx(0.02, rel=0.05)
    for layer in (block.attention.output, block.feedforward.down):
        assert spread(layer.weight) == pytest.approx(0.02 / math.sqrt(16), rel=0.05)
    assert not block.attention.output.bias.any()


def test_three_sublayers_count_three_times():
    model = EncoderDecoder(Config(**WIDE, n_layers=4, n_encoder_layers=2))
    block = model.decoder.blocks[0]
    expected = 0.02 / math.sqrt(12)
    assert spread(block.cross_attention.output.weight) == pytest.approx(expected, rel=0.05)
    block = model.encoder.blocks[0]
    assert spread(block.feedforward.down.weight) == pytest.approx(0.02 / 2, rel=0.05)


def test_embeddings_begin_small_and_tied_logits_too():
    torch.manual_seed(0)
    model = Decoder(Config(**WIDE, n_layers=2))
    assert spread(model.embedding.weight) == pytest.approx(0.02, rel=0.05)
    loss = torch.nn.functional.cross_entropy(
        model(torch.randint(0, 400, (4, 16))).flatten(0, 1), torch.randint(0, 400, (64,))
    )
    assert float(loss.detach()) == pytest.approx(math.log(400), rel=0.02)


@pytest.mark.parametrize("kind", [Decoder, Encoder, EncoderDecoder])
def test_deep_norm_weighs_the_residual_and_shrinks_what_passes(kind):
    n, m = (2 if kind is not Decoder else 0), (4 if kind is not Encoder else 0)
    config = Config(**WIDE, n_layers=4, n_encoder_layers=n or None, placement="deep")
    model, expected = kind(config), deepnorm(encoder_layers=n, decoder_layers=m)
    stacks = {
        "encoder": model if kind is Encoder else getattr(model, "encoder", None),
        "decoder": model if kind is Decoder else getattr(model, "decoder", None),
    }
    for role, (alpha, beta) in expected.items():
        block = stacks[role].blocks[0]
        assert block.attention_residual.alpha == alpha
        assert spread(block.attention.value.weight) == pytest.approx(0.02 * beta, rel=0.05)
        assert spread(block.attention.query.weight) == pytest.approx(0.02, rel=0.05)
