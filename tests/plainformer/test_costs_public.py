"""The formulas give the parameter counts of public models' checkpoints."""

from dataclasses import replace

import pytest
import torch

from plainformer.costs import MODELS, PUBLIC, cache_bytes_per_token
from plainformer.models import Decoder

PLAIN = [model for model in MODELS if model.latent is None]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_parameters_by_formula_are_the_published_ones(model):
    assert model.parameters == model.published


@pytest.mark.parametrize("model", PLAIN, ids=lambda model: model.name)
def test_the_shape_builds_a_decoder_with_so_many_parameters(model):
    layers = 2  # the rest follows from the difference of one layer
    with torch.device("meta"):
        few, fewer = (Decoder(replace(model.config, n_layers=n)) for n in (layers, layers - 1))
    sizes = [sum(p.numel() for p in decoder.parameters()) for decoder in (few, fewer)]
    more = (model.config.n_layers - layers) * (sizes[0] - sizes[1])
    assert sizes[0] + more == model.published


def test_a_mixture_of_experts_computes_a_token_with_few_of_its_parameters():
    # DeepSeek-AI reports 21 of 236 billion and 37 of 671 billion.
    active = [PUBLIC[name].active / 1e9 for name in ("DeepSeek-V2", "DeepSeek-V3")]
    assert active == pytest.approx([21, 37], abs=0.6)
    assert all(model.active == model.parameters for model in PLAIN)


def test_bytes_of_cache_for_a_token_of_public_models():
    kib = {
        model.name: cache_bytes_per_token(model.config, latent=model.latent) / 1024
        for model in MODELS
    }
    assert kib == {
        "GPT-2": 36,
        "Llama 2 7B": 512,
        "Llama 3 8B": 128,
        "Llama 3 70B": 320,
        "Mistral 7B": 128,
        "Qwen2 7B": 56,
        "DeepSeek-V2": 67.5,
        "DeepSeek-V3": 68.625,
    }


def test_each_model_says_where_its_sizes_stand():
    assert all("config.json" in model.source for model in MODELS)
    assert list(PUBLIC) == [model.name for model in MODELS]
