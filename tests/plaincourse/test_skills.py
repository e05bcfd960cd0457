"""A rung that tests one skill ignores errors in the others, but no other errors."""

import pytest
import torch
from torch import Tensor

from exercise_bank.skills import agrees, both_types, in_proportion, in_single


def right(x: Tensor) -> Tensor:
    return 2 * x


X = torch.tensor([[1.0, -2.0], [3.0, 0.5]])
BY_ROWS = in_proportion(right, "rows are doubled")
AS_ONE = in_proportion(right, "all is doubled", rows=False)


@pytest.mark.parametrize("law", [BY_ROWS, AS_ONE])
@pytest.mark.parametrize("factor", [1e-3, 1.0, 70.0])
def test_a_factor_is_overlooked(law, factor):
    assert law({"x": X}, factor * right(X)) is None


def test_each_row_may_have_a_factor_of_its_own_or_all_share_one():
    uneven = right(X) * torch.tensor([[1.0], [5.0]])
    assert BY_ROWS({"x": X}, uneven) is None
    assert AS_ONE({"x": X}, uneven).startswith("all is doubled. Row after row, yours is")


@pytest.mark.parametrize(
    "wrong",
    [
        -2 * X,
        0 * X,
        X + 0.01,
        X.flip(0),
        torch.full_like(X, torch.nan),
        X[:1],
        torch.ones(2, 2),
        None,
    ],
)
def test_what_is_not_in_proportion_is_said(wrong):
    assert BY_ROWS({"x": X}, wrong)


def test_a_sign_is_overlooked_where_it_is_to_be():
    law = in_proportion(right, "rows are doubled", signed=False)
    assert law({"x": X}, -right(X)) is None
    assert law({"x": X}, 0 * X)


def test_one_side_of_an_output_is_compared_and_no_other():
    sizes = agrees(right, lambda inputs, out: out.abs(), "the sizes")
    assert sizes({"x": X}, -right(X)) is None
    assert sizes({"x": X}, X).startswith("the sizes: yours at [0, 0] is 1; expected 2")
    assert sizes({"x": X}, X[0]) == "your output has shape (2,); expected (2, 2)"


def test_inputs_are_drawn_in_one_type_or_in_both():
    def draw(g):
        return [{"x": torch.randn(2, generator=g, dtype=torch.float64), "n": 3}]

    (single,) = in_single(draw)(torch.Generator().manual_seed(1))
    assert single["x"].dtype == torch.float32
    assert single["n"] == 3
    first, second = both_types(draw)(torch.Generator().manual_seed(1))
    assert [first["x"].dtype, second["x"].dtype] == [torch.float32, torch.float64]
    torch.testing.assert_close(first["x"], second["x"].float())
