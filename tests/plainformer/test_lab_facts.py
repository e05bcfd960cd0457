"""The task of 32 facts, and the stacks that learn it."""

import math

import pytest
import torch
from torch import nn

from plainformer.blocks import deepnorm
from plainformer.lab import facts


def test_each_question_is_asked_once_and_only_the_whole_question_tells_the_answer() -> None:
    assert len({tuple(row) for row in facts.QUESTIONS.tolist()}) == 32
    assert facts.QUESTIONS[:, 0].max() < facts.RELATIONS <= facts.QUESTIONS[:, 1].min()
    counts = facts.ANSWER.bincount(minlength=facts.ANSWERS)
    assert counts.sum() == 32
    shares = [n / 32 for n in counts.tolist() if n]
    assert facts.floor() == pytest.approx(-sum(p * math.log(p) for p in shares), rel=1e-6)


@pytest.mark.parametrize(
    "place", ["post", "pre", "sandwich", "deep", "llama", "no sum", "no norm", "bare"]
)
def test_every_placement_learns_and_has_a_gradient_everywhere(place: str) -> None:
    model = facts.Facts(place, 2, seed=0)
    losses = [float(loss) for loss in facts.training(model, rate=0.002, steps=60)]
    assert losses[-1] < 0.7 * losses[0]
    assert all(weight.grad is not None for weight in model.parameters())
    assert facts.first_over_last(model) > 0


def test_a_place_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="place='above'"):
        facts.stack("above", 2)


def test_a_block_without_a_sum_passes_on_the_update_alone() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 3, 32)
    (alone,) = facts.stack("no sum", 1)
    nn.init.zeros_(alone.feedforward.down.weight)
    nn.init.zeros_(alone.feedforward.down.bias)
    assert not alone(x).any()
    (bare,) = facts.stack("bare", 1)
    bare.load_state_dict(alone.state_dict(), strict=False)
    assert not bare(x).any()
    (bare,) = facts.stack("no norm", 1)
    for part in (bare.attention.output, bare.feedforward.down):
        nn.init.zeros_(part.weight)
        if part.bias is not None:
            nn.init.zeros_(part.bias)
    torch.testing.assert_close(bare(x), x)


def test_weights_that_write_begin_smaller_where_that_is_asked() -> None:
    torch.manual_seed(1)
    plain = facts.stack("pre", 8)
    torch.manual_seed(1)
    scaled = facts.stack("pre", 8, scaled=True)
    torch.manual_seed(1)
    deep = facts.stack("deep", 8)
    beta = deepnorm(encoder_layers=0, decoder_layers=8)["decoder"][1]
    for name, weight in plain.named_parameters():
        ends = name.split(".")[-2]
        if weight.ndim == 2:
            less = 0.25 if ends in ("output", "down") else 1.0
            torch.testing.assert_close(scaled.get_parameter(name), less * weight)
            less = beta if ends in ("value", "output", "up", "down") else 1.0
            torch.testing.assert_close(deep.get_parameter(name), less * weight)


def test_the_rate_rises_over_the_warm_up() -> None:
    moved = {}
    for warmup in (0, 10):
        model = facts.Facts("pre", 1, seed=0)
        before = model.output.weight.detach().clone()
        for _ in facts.training(model, rate=0.01, warmup=warmup, steps=1):
            pass
        moved[warmup] = (model.output.weight - before).abs().max().item()
    assert moved[0] == pytest.approx(0.01, rel=0.01)
    assert moved[10] == pytest.approx(0.001, rel=0.01)


def test_a_linear_branch_passes_back_as_much_as_it_writes() -> None:
    model = facts.Facts("post", 1, seed=0, m=256)
    block = model.blocks[0]
    linear = nn.Linear(256, 256, bias=False)
    nn.init.normal_(linear.weight, std=1 / 16)
    block.attention = block.feedforward = linear
    wrote, passed = facts.branches(model)
    assert passed == pytest.approx(1, rel=0.05)
    assert wrote == pytest.approx(1, rel=0.15)
