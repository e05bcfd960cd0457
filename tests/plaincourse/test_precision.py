"""One table has the required precision of numbers, and too few digits are reported."""

from pathlib import Path

import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.checking.in_words import difference
from plaincourse.exercise.precision import COUNTED, EXACT, SUMMED, TABLE, USUAL

ROOT = Path(__file__).parents[2]


def test_the_guide_shows_the_table() -> None:
    page = (ROOT / "book" / "instructors.md").read_text("utf-8")
    rows = [f"| {each.of} | {each.rtol:g} | {each.atol:g} |" for each in TABLE]
    assert "|---|---|---|\n" + "\n".join(rows) + "\n\n" in page


@pytest.mark.parametrize(
    ("expected", "got", "precision", "said"),
    [
        (1.23456, 1.235, USUAL, ". That is right to 3 digits, and 5 are asked"),
        (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.001]), SUMMED, "3 digits, and 4 are asked"),
        (41 / 3, 13.667, COUNTED, "right to 4 digits, and 6 are asked"),
    ],
)
def test_a_rounded_number_is_told_how_many_digits_are_asked(expected, got, precision, said) -> None:
    assert str(difference(expected, got, precision)).endswith(said)


@pytest.mark.parametrize(
    ("expected", "got", "precision"),
    [
        (1.0, 1.1, USUAL),
        (0.0, 0.001, USUAL),
        (3, 4, COUNTED),
        (3, 10**30, COUNTED),  # beyond every integer type
        (3.0, -(10**400), COUNTED),
        (torch.tensor([1.0, 5.0]), torch.tensor([1.001, 6.0]), USUAL),  # only one is close
        (torch.tensor([1.0]), torch.tensor([1.0001]), EXACT),
    ],
)
def test_a_wrong_number_is_not_called_rounded(expected, got, precision) -> None:
    said = difference(expected, got, precision)
    assert said
    assert "digits" not in said


def test_a_number_beyond_all_types_is_graded_as_any_wrong_one() -> None:
    report = grade("10.causal_pairs", lambda **sizes: 10**30)
    assert report.score == 0
    assert str(10**30) in report.text()


@pytest.mark.parametrize(
    ("expected", "said"),
    [([1.0], ""), ([1.0, 0.0], " (1 of 2 differs)"), ([1.0, 2.0], " (2 of 2 differ)")],
)
def test_how_many_numbers_differ_is_said_where_there_are_several(
    expected: list[float], said: str
) -> None:
    words = difference(torch.tensor(expected), torch.zeros(len(expected)), USUAL)
    assert words == f"your output at [0] is 0; expected 1{said}"
