"""Placements of the norm: each one's equation, DeepNorm's table, a stack of 100 layers."""

import pytest
import torch
from torch import nn

from plainformer.blocks import Block, PostNorm, PreNorm, SandwichNorm, deepnorm
from plainformer.feedforward import FeedForward
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm
from tests.plainformer.tensors import normal


def norm(x, scale):
    return scale * torch.nn.functional.layer_norm(x, x.shape[-1:])


def with_scale(width, scale=3.0):
    made = LayerNorm(width).double()
    nn.init.constant_(made.weight, scale)
    return made


def test_each_placement_computes_its_equation():
    x = normal(2, 3, 4, seed=0)
    pre, post, deep, sandwich = (
        PreNorm(with_scale, 4),
        PostNorm(with_scale, 4),
        PostNorm(with_scale, 4, alpha=2.5),
        SandwichNorm(with_scale, 4),
    )
    nn.init.constant_(sandwich.after.weight, 0.5)
    torch.testing.assert_close(pre(x, torch.tanh), x + norm(x, 3).tanh())
    torch.testing.assert_close(post(x, torch.tanh), norm(x + x.tanh(), 3))
    torch.testing.assert_close(deep(x, torch.tanh), norm(2.5 * x + x.tanh(), 3))
    torch.testing.assert_close(sandwich(x, torch.tanh), x + norm(norm(x, 3).tanh(), 0.5))


@pytest.mark.parametrize("placement", [PreNorm, SandwichNorm])
def test_a_sublayer_of_zeros_leaves_the_stream_alone(placement):
    x = normal(2, 3, 4, seed=0)
    assert placement(RMSNorm, 4).double()(x, torch.zeros_like).equal(x)


@pytest.mark.parametrize("placement", [PreNorm, PostNorm, SandwichNorm])
def test_only_the_sublayers_share_is_dropped_and_only_while_training(placement):
    x = normal(1, 50, 40, seed=0)
    wrapper = placement(RMSNorm, 40, dropout=0.25).double()
    seen = []
    wrapper.dropout.register_forward_hook(lambda _, given, out: seen.append((given[0], out)))
    torch.manual_seed(0)
    y = wrapper(x, torch.tanh)
    given, out = seen[0]
    if placement is not PostNorm:
        torch.testing.assert_close(y, x + out)
    kept = out != 0
    assert kept.double().mean().item() == pytest.approx(0.75, abs=0.03)
    torch.testing.assert_close(out[kept], given[kept] / 0.75)
    if placement is PreNorm:
        torch.testing.assert_close(given, wrapper.norm(x).tanh())
    assert wrapper.eval()(x, torch.tanh).equal(placement(RMSNorm, 40).double()(x, torch.tanh))


def test_deepnorm_gives_the_papers_table():
    assert deepnorm(encoder_layers=0, decoder_layers=8) == {"decoder": (2.0, 8**-0.5)}
    encoder = deepnorm(encoder_layers=18, decoder_layers=0)["encoder"]
    assert encoder == pytest.approx((36**0.25, 144**-0.25))
    both = deepnorm(encoder_layers=6, decoder_layers=16)
    mixed = (6**4 * 16) ** (1 / 16)
    assert both["encoder"] == pytest.approx((0.81 * mixed, 0.87 / mixed))
    assert both["decoder"] == pytest.approx((48**0.25, 192**-0.25))


@pytest.mark.parametrize(("n", "m"), [(0, 0), (-1, 3), (3, -1)])
def test_a_model_without_layers_is_named(n, m):
    with pytest.raises(ValueError, match=f"encoder_layers={n}, decoder_layers={m}: expected at"):
        deepnorm(encoder_layers=n, decoder_layers=m)


def deep_stack(alpha, beta, *, layers=100, m=16):
    """Stack post-norm blocks, their weights drawn by Xavier's rule with the paper's gains."""
    blocks = []
    for _ in range(layers):
        block = Block(
            attention=MultiHeadAttention(d_model=m, n_heads=2),
            feedforward=FeedForward(d_model=m, bias=False),
            residual=lambda: PostNorm(LayerNorm, m, alpha=alpha),
        )
        for name, weight in block.named_parameters():
            if weight.ndim == 2:
                looks = name.startswith(("attention.query", "attention.key"))
                nn.init.xavier_normal_(weight, gain=1.0 if looks else beta)
        blocks.append(block)
    return nn.Sequential(*blocks).double()


def through(alpha, beta, seed):
    """Measure how 100 layers scale a small change of the input, and a gradient."""
    torch.manual_seed(seed)
    stack, x = deep_stack(alpha, beta), normal(1, 6, 16, seed=seed)
    small = 1e-6 * normal(1, 6, 16, seed=seed + 1)
    y = stack(x)
    (y * normal(1, 6, 16, seed=seed + 2)).sum().backward()
    first, last = (stack[i].feedforward.down.weight.grad.norm() for i in (0, -1))
    change = (stack(x + small) - y).norm() / small.norm()
    return change.item(), (first / last).item()


def test_changes_and_gradients_come_through_100_layers_with_deepnorm_and_not_without():
    alpha, beta = deepnorm(encoder_layers=100, decoder_layers=0)["encoder"]
    for seed in (0, 1):
        assert all(0.7 < measure < 1.4 for measure in through(alpha, beta, seed))
        assert all(measure < 0.1 for measure in through(1.0, 1.0, seed))
