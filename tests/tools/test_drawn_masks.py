"""The masks and weights in the drawings are those of the package."""

import pytest
import torch
from tools.drawings import bottom_right, mask_gallery, mask_order, mask_shapes

from plainformer import masks, softmax


def test_the_drawn_masks_are_the_packages():
    n, q, real = mask_gallery.N, mask_gallery.Q, torch.tensor([mask_gallery.REAL])
    right = masks.padding(real, k=n)[0, 0].expand(n, n)
    document = torch.tensor(mask_gallery.DOCUMENT)
    want = (
        masks.causal(n),
        right,
        right.flip(-1),
        masks.causal(n) & right.flip(-1),
        masks.sliding_window(n, window=mask_gallery.WINDOW),
        masks.prefix(n, prefix=mask_gallery.PREFIX),
        masks.causal(n) & (document[:, None] == document),
        masks.causal(q, n),
    )
    drawn = [mask_gallery.grid(name) for name in mask_gallery.MASKS]
    assert drawn == [mask.tolist() for mask in want]
    assert masks.causal(bottom_right.K).tolist() == bottom_right.SQUARE
    assert masks.causal(bottom_right.Q, bottom_right.K).tolist() == bottom_right.BOTTOM_RIGHT
    padding = masks.padding(torch.tensor(mask_shapes.LENGTHS), k=mask_shapes.K)
    whole = padding.expand(2, 1, mask_shapes.K, mask_shapes.K)
    for panel, mask in enumerate((whole, whole[:, 0])):
        counts = mask.expand(2, 2, mask_shapes.K, mask_shapes.K)[:, :, 0].sum(-1)
        found = [[mask_shapes.seen(panel, b, h) for h in range(2)] for b in range(2)]
        assert counts.tolist() == found


def test_the_drawn_orders_of_mask_and_softmax_are_the_packages():
    mask = masks.causal(3)[1]
    for masked, after in zip(mask_order.MASKED, mask_order.AFTER, strict=True):
        row = torch.tensor([*mask_order.SCORES, masked], dtype=torch.float64)
        assert softmax(row).tolist() == pytest.approx(after)
        assert softmax(row, mask).tolist() == pytest.approx([*mask_order.BEFORE, 0])
