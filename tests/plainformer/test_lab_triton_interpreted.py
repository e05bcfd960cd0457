"""An address belongs to one tensor, or is refused with a name; memory has gaps."""

import pytest
import torch

from plainformer.lab.triton_interpreted import GAP, Arena, puzzles


def test_an_address_inside_a_tensor_is_let_through_and_its_neighbours_are_named() -> None:
    arena = Arena({"x": torch.arange(3.0), "out": torch.zeros(2, 2)})
    x, out = arena.tensors["x"], arena.tensors["out"]
    assert x.tolist() == [0.0, 1.0, 2.0]
    assert [arena.outside(x.data_ptr() + 4 * i) for i in range(3)] == ["", "", ""]
    assert arena.outside(x.data_ptr() - 4) == "number -1 of x, which has the numbers 0 to 2"
    assert arena.outside(x.data_ptr() + 12) == "number 3 of x, which has the numbers 0 to 2"
    assert arena.outside(out.data_ptr() + 16) == "number 4 of out, which has the numbers 0 to 3"


@pytest.mark.parametrize("offset", [1, 4 * GAP, -4 * GAP])
def test_an_address_between_numbers_or_far_away_is_refused(offset: int) -> None:
    arena = Arena({"x": torch.arange(3.0)})
    found = arena.outside(arena.tensors["x"].data_ptr() + offset)
    assert found == "an address that is far from every tensor"


def test_a_puzzle_has_the_right_output_of_its_inputs() -> None:
    found = puzzles()
    assert torch.equal(found["copy_vector"].inputs["x"], found["copy_vector"].output)
    rows = found["softmax_rows"]
    torch.testing.assert_close(rows.output.sum(dim=1), torch.ones(5))
    attention = found["attend_block"]
    query, key, value = attention.inputs.values()
    weights = torch.softmax(query.double() @ key.double().T / 4, dim=-1)
    torch.testing.assert_close(
        attention.output.double(), weights @ value.double(), atol=1e-5, rtol=1e-4
    )
