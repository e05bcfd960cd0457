"""Rotary frequencies of transformers, for comparison with the package's."""

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from plainformer.positions.rotary import frequencies_of
from plainformer.positions.rotary_scaling import Scaling

BASES = [10_000.0, 500_000.0]
WIDTHS = [2, 8, 64, 128]
FACTORS = [1.0, 2.0, 8.0, 40.0]


def theirs(kind, *, width, base, length=None, **options):
    """Return transformers' frequencies, and its factor for cosines and sines."""
    config = LlamaConfig(
        hidden_size=width,
        num_attention_heads=1,
        max_position_embeddings=4096,
        rope_parameters={"rope_type": kind, "rope_theta": base, **options},
    )
    return ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)


def check_equal(scaling: Scaling, expected, *, width, base, length=1):
    """Compare a scaling's frequencies and magnitude with those of :func:`theirs`."""
    frequencies, magnitude = expected
    ours = scaling.scale(frequencies_of(width, base), length)
    assert ours.dtype == torch.float64
    torch.testing.assert_close(ours.float(), frequencies, rtol=3e-6, atol=0)
    assert scaling.magnitude == pytest.approx(magnitude, rel=1e-12)
