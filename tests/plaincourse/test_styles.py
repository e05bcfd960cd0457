"""A style changes an answer's arithmetic or types, but not the belief behind it."""

import math

import numpy as np
import pytest
import torch

from plaincourse.proving.styles import STYLES, styled


def in_style(name, answer):
    return next((made, style) for called, made, style in styled(answer) if called == name)


def weights(scores):
    hidden = scores.masked_fill(torch.ones(2, 3).triu(1).bool(), -math.inf)
    return torch.softmax(hidden, -1) @ scores.mT


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_style_says_nearly_the_same(name, dtype):
    scores = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.1, -2.0]], dtype=dtype)
    made, style = in_style(name, weights)
    torch.testing.assert_close(
        made(scores).double(), weights(scores).double(), rtol=1e-5, atol=1e-6
    )
    assert style.engaged == ((name, dtype) != ("in other types", torch.float64))


def test_minus_infinity_becomes_a_large_number():
    made, style = in_style("with -1e9 for -∞", lambda x: torch.where(x > 0, x, -math.inf))
    assert made(torch.tensor([1.0, -1.0])).tolist() == [1.0, -1e9]
    assert style.engaged


def test_types_change_and_values_stay():
    made, _ = in_style("in other types", lambda: (1, 2.5, True, torch.tensor([1])))
    one, half, true, whole = made()
    assert [type(each) for each in (one, half, true)] == [np.int64, np.float64, np.bool_]
    assert whole.dtype == torch.int32
    assert (one, half, true) == (1, 2.5, True)


def test_other_digits_are_few():
    made, _ = in_style("with other last digits", lambda: (np.full(3, 1.5), 2.5, 3.0))
    array, number, whole = made()
    assert 0 < abs(array - 1.5).max() < 1e-6
    assert 0 < abs(number - 2.5) < 2e-6
    assert whole == 3.0


def test_a_number_beyond_float32_stays_as_it_was():
    made, style = in_style("in the other precision", torch.exp)
    large = torch.tensor([300.0], dtype=torch.float64)
    assert torch.equal(made(large), large.exp())
    assert not style.engaged


def test_what_a_style_cannot_change_is_not_counted():
    for name in STYLES:
        made, style = in_style(name, lambda word: word + "!")
        assert made("so") == "so!"
        assert not style.engaged


def test_a_module_runs_in_a_style():
    class Twice(torch.nn.Module):
        def forward(self, x):
            return torch.softmax(2 * x, -1)

    made, style = in_style("written out", Twice)
    x = torch.randn(2, 3)
    torch.testing.assert_close(made()(x), Twice()(x))
    assert style.engaged
