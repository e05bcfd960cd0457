"""Sinusoidal positions: compared with the paper's formula, and their laws."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.positions import Sinusoidal

WIDTHS = st.integers(1, 9)
PLACES = st.integers(0, 10**6)


@given(width=WIDTHS, place=PLACES, base=st.sampled_from([10_000, 100.0]))
def test_components_are_the_papers_sines_and_cosines_whatever_the_width(width, place, base):
    vector = Sinusoidal(width, base).double()(torch.tensor([place]))[0]
    for i in range(width):
        angle = place / base ** (2 * (i // 2) / width)
        expected = math.cos(angle) if i % 2 else math.sin(angle)
        assert vector[i].item() == pytest.approx(expected, abs=1e-9), i


@given(place=PLACES, width=st.sampled_from([2, 6]), offset=st.integers(0, 1000))
def test_a_fixed_offset_is_a_fixed_rotation(place, width, offset):
    table = Sinusoidal(width).double()
    here, there, by = table(torch.tensor([place, place + offset, offset]))
    sin, cos = here[0::2], here[1::2]
    turned = torch.stack([sin * by[1::2] + cos * by[0::2], cos * by[1::2] - sin * by[0::2]], 1)
    torch.testing.assert_close(turned.flatten(), there, rtol=0, atol=1e-8)


@given(width=WIDTHS)
def test_rows_of_positions_give_rows_of_vectors(width):
    positions = torch.tensor([[0, 5, 2], [7, 7, 1]])
    module = Sinusoidal(width)
    assert module(positions).equal(torch.stack([module(row) for row in positions]))
    assert module(torch.arange(0)).shape == (0, width)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_vectors_follow_the_modules_dtype_and_their_angles_do_not(dtype):
    positions = torch.tensor([3, 1_000_000])
    module = Sinusoidal(8).bfloat16().to(dtype)
    assert module(positions).equal(Sinusoidal(8).double()(positions).to(dtype))
    assert not module.state_dict()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sinusoidal(0), "width=0: a width is at least 1"),
        (lambda: Sinusoidal(4, base=1), "base=1: expected a number above 1"),
        (lambda: Sinusoidal(4)(torch.zeros(1, 1, 1)), r"positions has shape \(1, 1, 1\)"),
        (lambda: Sinusoidal(4)(torch.tensor(1)), r"positions has shape \(\)"),
        (lambda: Sinusoidal(4)(torch.tensor([True])), "positions has dtype torch.bool"),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
