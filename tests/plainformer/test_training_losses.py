"""The loss: compared with PyTorch's, by hand, and for any content of padding."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from plainformer.training import NextToken
from plainformer.training.losses import summed_cross_entropy
from tests.plainformer.tensors import SEEDS, coins, normal
from tests.plainformer.training_runs import trainer


@given(seed=SEEDS, smoothing=st.sampled_from([0.0, 0.1, 0.5]))
def test_the_loss_is_pytorchs_over_the_positions_that_count(seed, smoothing):
    logits = normal(2, 5, 7, seed=seed).requires_grad_()
    targets = torch.randint(7, (2, 5), generator=torch.Generator().manual_seed(seed))
    counts = coins(2, 5, seed=seed)
    counts[0, 0] = True
    ours = summed_cross_entropy(logits, targets, counts.float(), smoothing=smoothing)
    theirs = F.cross_entropy(
        logits[counts], targets[counts], reduction="sum", label_smoothing=smoothing
    )
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)]
    torch.testing.assert_close(*gradients)


def test_weights_scale_each_position():
    logits = torch.tensor([[[0.0, math.log(3.0)], [0.0, 0.0]]])
    targets = torch.tensor([[1, 0]])
    loss = summed_cross_entropy(logits, targets, torch.tensor([[2.0, 0.5]]))
    torch.testing.assert_close(loss.item(), 2 * math.log(4 / 3) + 0.5 * math.log(2))


def test_padding_may_hold_what_is_no_token():
    targets = torch.tensor([[1, -1, 999]])
    weights = torch.tensor([[1.0, 0.0, 0.0]])
    loss = summed_cross_entropy(normal(1, 3, 4, seed=0), targets, weights)
    assert loss.isfinite()


def test_half_precision_logits_are_widened():
    logits = normal(1, 3, 50, seed=0).bfloat16()
    targets, weights = torch.tensor([[1, 2, 3]]), torch.ones(1, 3)
    loss = summed_cross_entropy(logits, targets, weights)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, summed_cross_entropy(logits.float(), targets, weights))


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_a_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing="):
        summed_cross_entropy(
            torch.zeros(1, 1, 2),
            torch.zeros(1, 1, dtype=torch.long),
            torch.ones(1, 1),
            smoothing=smoothing,
        )


@pytest.mark.parametrize("target", [-100, -1, -7, 5, 6, 2**40])
@pytest.mark.parametrize("weight", [1.0, 0.25, -1.0, math.nan])
def test_a_target_that_is_no_token_is_refused_where_it_counts(target, weight):
    logits, targets = normal(2, 3, 5, seed=0), torch.tensor([[1, 0, 4], [3, target, 2]])
    weights = torch.ones(2, 3)
    weights[1, 1] = weight
    words = rf"target {target} at row 1, position 1, .*expected a token from 0 to 4"
    with pytest.raises(ValueError, match=words) as caught:
        summed_cross_entropy(logits, targets, weights)
    advice = str(caught.value).partition("needs the weight 0: weights=")[2]
    obeyed = eval(advice, {"weights": weights, "targets": targets})
    found = summed_cross_entropy(logits, targets, obeyed)
    kept = targets != target
    torch.testing.assert_close(found, F.cross_entropy(logits[kept], targets[kept], reduction="sum"))


class Answers(NextToken):
    """Exclude some targets in the way of other libraries."""

    def __init__(self, target, weight):
        self.target, self.weight = target, weight

    def prepare(self, rows, keys=()):
        example = super().prepare(rows, keys)
        targets, weights = example.targets.clone(), example.weights.clone()
        targets[:, :4], weights[:, :4] = self.target, self.weight
        return replace(example, targets=targets, weights=weights)


@pytest.mark.parametrize("target", [-100, -1, 256, 999])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_training_refuses_such_a_target_by_name_and_learns_with_a_weight_of_0(
    tmp_path, target, accumulate
):
    run = trainer(tmp_path / "1", objective=Answers(target, 1.0), accumulate=accumulate)
    for call in (run.train_step, run.evaluate):
        with pytest.raises(ValueError, match=rf"target {target} at row 0, position 0, "):
            call()
    row = trainer(tmp_path / "0", objective=Answers(target, 0.0)).train_step()
    assert row["targets"] == 8 * 4
    assert abs(row["loss"] - math.log(256)) < 0.2
