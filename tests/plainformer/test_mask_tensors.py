"""Rules and functions of positions become tensors, for positions in any order."""

import pytest
import torch
from hypothesis import given

from plainformer import masks
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import at_positions, written_out
from tests.plainformer.masks_of_tomorrow import kinds
from tests.plainformer.tensors import AWKWARD_SIZES


@given(q=AWKWARD_SIZES, k=AWKWARD_SIZES)
def test_rules_and_functions_of_positions_are_written_out_aligned_bottom_right(q, k):
    seen = []

    def bias(q_positions, k_positions):
        seen.append((q_positions.tolist(), k_positions.tolist()))
        return torch.zeros(4, len(q_positions), len(k_positions))

    mask, added = written_out(Rule(), bias, q, k, torch.device("cpu"))
    assert mask[0, 0].equal(masks.causal(q, k))
    assert added.shape == (4, q, k)
    assert seen == [(list(range(k - q, k)), list(range(k)))]
    assert written_out(None, None, q, k, torch.device("cpu")) == (None, None)


@pytest.mark.parametrize("kind", kinds(1, 1))
def test_keys_out_of_order_are_masked_as_in_order(kind):
    rule, mask = kinds(2, 9)[kind]
    order = torch.tensor([3, 8, -1, 0, 7, 5])
    seen, bias = at_positions(rule, lambda q, k: q[:, None] - k, torch.arange(6, 9), order)
    right = mask[..., 6:, :][..., order.clamp_min(0)] & (order >= 0)
    assert torch.equal(seen, right)
    assert bias[0].tolist() == [3, -2, 6, 6, -1, 1]
