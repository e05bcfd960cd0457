"""Frequencies and angles: powers of the base, exact at large positions; valid positions."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.positions.rotary import angles_of, check_positions, frequencies_of


@given(width=st.integers(1, 20), base=st.sampled_from([2, 1e4, 5e5]))
def test_frequencies_are_powers_of_the_base_one_for_each_pair(width, base):
    expected = [base ** (-2 * i / width) for i in range(math.ceil(width / 2))]
    assert frequencies_of(width, base).tolist() == pytest.approx(expected, rel=1e-14)


def test_angles_are_exact_where_float32_would_be_off():
    position = 16_777_217  # the first integer that float32 cannot represent
    angles = angles_of(torch.tensor([position]), frequencies_of(4, 1e4))
    assert angles.dtype == torch.float64
    assert angles.tolist()[0] == pytest.approx([position, position / 100], rel=1e-15)


def test_frequencies_are_numbers_even_where_modules_are_made_without_storage():
    with torch.device("meta"):
        assert frequencies_of(4, 1e4).tolist() == pytest.approx([1, 0.01])


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 3)])
def test_positions_of_one_row_or_of_each_sequence_pass(shape):
    check_positions(torch.zeros(shape, dtype=torch.long), 3, 2)
    check_positions(torch.zeros(shape))


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        (torch.zeros(4), r"positions has shape \(4,\); expected \(3,\)"),
        (torch.zeros(3, 3), r"shape \(3, 3\).*or \(2, 3\), a row for each"),
        (torch.zeros(1, 2, 3), r"shape \(1, 2, 3\)"),
        (torch.zeros(()), r"shape \(\)"),
        (torch.zeros(3, dtype=torch.bool), r"dtype torch\.bool; expected whole numbers"),
        (torch.zeros(3, dtype=torch.complex64), r"dtype torch\.complex64"),
    ],
)
def test_others_are_refused_with_the_shapes_that_fit(positions, words):
    with pytest.raises(ValueError, match=words):
        check_positions(positions, 3, 2)


def test_a_base_that_does_not_slow_anything_down_is_refused():
    with pytest.raises(ValueError, match=r"base=1: expected a number above 1"):
        frequencies_of(4, 1)
