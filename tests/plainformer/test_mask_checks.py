"""Masks that would be misread are refused: dtype, shape, polarity."""

import pytest
import torch

from plainformer import masks


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8])
def test_a_mask_that_is_not_boolean_is_refused_with_the_way_out(dtype):
    mask = torch.ones(2, 2, dtype=dtype)
    for use in (lambda: masks.combine(mask), lambda: masks.check(mask, torch.zeros(2, 2))):
        with pytest.raises(ValueError, match=r"expected torch.bool, True = may look.*mask == 0"):
            use()


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (2, 4, 5), (6, 1, 4, 5), (2, 3, 4), (2, 5), (1, 2, 3, 4, 5), (2, 3, 5, 4)]
)
def test_a_mask_that_does_not_fit_is_refused_naming_the_axes(shape):
    if shape == (3, 4, 5):  # one matrix per head: fits h=3, and is therefore allowed
        masks.check(torch.ones(shape, dtype=torch.bool), torch.zeros(2, 3, 4, 5))
        return
    with pytest.raises(ValueError, match=r"does not broadcast to scores.*b=2, h=3, q=4, k=5"):
        masks.check(torch.ones(shape, dtype=torch.bool), torch.zeros(2, 3, 4, 5))


def test_scores_with_many_axes_are_still_described():
    with pytest.raises(ValueError, match=r"does not broadcast.*\(q=3, k=4\)"):
        masks.check(torch.ones(9, dtype=torch.bool), torch.zeros(1, 1, 2, 3, 4))


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_causal_mask_upside_down_is_refused(n):
    with pytest.raises(ValueError, match=r"upside down.*pass ~mask"):
        masks.check(~masks.causal(n), torch.zeros(n, n))


def test_masks_that_only_look_odd_are_let_through():
    masks.check(torch.zeros(3, 3, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(torch.eye(3, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(torch.zeros(1, 1, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(masks.causal(2, 4), torch.zeros(2, 4))
