"""Learned positions: one row each, and an error that names the limit."""

import pytest
import torch

from plainformer.positions import Learned


def test_each_position_has_its_row_in_any_order_and_shape():
    module = Learned(5, 3)
    positions = torch.tensor([[4, 0], [1, 1]])
    assert module(positions).equal(torch.nn.functional.embedding(positions, module.weight))
    assert module(torch.arange(0)).shape == (0, 3)


def test_they_begin_small_and_different():
    torch.manual_seed(0)
    module = Learned(200, 50)
    assert module.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert [name for name, _ in module.named_parameters()] == ["weight"]


def test_a_position_gets_the_gradient_of_all_its_uses():
    module = Learned(4, 2)
    module(torch.tensor([[1, 3], [1, 1]])).sum().backward()
    assert module.weight.grad.tolist() == [[0, 0], [3, 3], [0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Learned(0, 3), "context=0, width=3: both must be at least 1"),
        (lambda: Learned(3, 0), "context=3, width=0"),
        (lambda: Learned(3, 2)(torch.tensor([0, 3])), r"positions 0\.\.3 do not fit a context of"),
        (lambda: Learned(3, 2)(torch.tensor([[-1, 2]])), r"positions -1\.\.2 do not fit"),
        (lambda: Learned(3, 2)(torch.tensor(1)), r"positions has shape \(\); expected \(q,\)"),
        (lambda: Learned(3, 2)(torch.tensor([True])), "expected whole numbers"),
        (lambda: Learned(3, 2)(torch.tensor([0.5])), "expected whole numbers"),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
