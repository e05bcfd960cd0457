"""Memory of tiled attention: no tensor of size q·k, forward or backward, and a stated peak."""

import pytest
import torch

from plainformer import flash
from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule
from plainformer.meter import Meter
from plainformer.positions import Alibi
from tests.plainformer.tensors import normal

N, H, D = 2048, 4, 64
QUERY = N * H * D * 4


def measured(f, mask, **options):
    inputs = [normal(1, H, N, D, seed=i, dtype=torch.float32).requires_grad_() for i in range(3)]
    with Meter() as forward:
        out = f(*inputs, mask, **options)
    with Meter() as backward:
        gradients = torch.autograd.grad(out.sum(), inputs)
    assert len(gradients) == 3
    return forward, backward


@pytest.mark.parametrize(
    ("mask", "bias"), [(Rule(), None), (Rule(window=300, sinks=4), None), (None, Alibi(H))]
)
def test_nothing_of_size_q_by_k_is_ever_made(mask, bias):
    forward, backward = measured(flash.attend, mask, bias=bias)
    for meter in (forward, backward):
        assert not meter.makes(N, N)
        assert meter.largest.nbytes <= max(QUERY, H * 128 * 1024 * 8)  # h tiles, of positions


def test_the_peak_is_the_output_and_a_few_tiles_forward_three_gradients_backward():
    forward, backward = measured(flash.attend, Rule())
    assert forward.peak <= 1.6 * QUERY
    assert backward.peak <= 4.5 * QUERY


def test_plain_attention_would_be_noticed():
    forward, backward = measured(attend_heads, Rule())
    assert forward.makes(N, N)
    assert backward.makes(N, N)
    assert forward.peak > 16 * QUERY
