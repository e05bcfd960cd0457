"""The numbers of the rotary dials are those of plainformer."""

import shutil

import pytest
import torch

from plainformer.positions import Rotary
from tests.book.test_widget_parity import in_node, same

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CORE = "rotary-dials.core.js"


def vectors(on: list[bool]) -> torch.Tensor:
    """Return a vector of width 8 in pairs, with norm 1 in each plane that is on."""
    x = torch.zeros(1, 1, 1, 8, dtype=torch.float64)
    x[..., 0::2] = torch.tensor(on, dtype=torch.float64)
    return x


@pytest.mark.parametrize(
    "on", [[True] * 4, [True, False, False, False], [False, True, True, False]]
)
def test_scores_are_those_of_turned_vectors(on):
    rotary = Rotary(8, layout="pairs")
    pairs = [(i, j) for i in (0, 3, 17, 256) for j in (0, 1, 44, 128)]
    got = in_node(
        CORE, "core.score(x.i - x.j, x.on)", [{"i": i, "j": j, "on": on} for i, j in pairs]
    )
    x = vectors(on)
    expected = [
        (rotary(x, torch.tensor([i])) * rotary(x, torch.tensor([j]))).sum() for i, j in pairs
    ]
    same(got, torch.stack(expected))


def test_hands_stand_where_the_package_turns_them():
    cos, sin = Rotary(8).turns(torch.tensor([0, 5, 63, 200]))
    expression = (
        "core.FREQUENCIES.map((f) => core.hand(x.t, f)).flatMap((a) => [Math.cos(a), Math.sin(a)])"
    )
    got = in_node(CORE, expression, [{"t": t} for t in (0, 5, 63, 200)])
    same(got, torch.stack([cos, sin], dim=-1).flatten(-2))


def test_the_frequencies_are_those_of_the_package():
    (got,) = in_node(CORE, "core.FREQUENCIES", [{}])
    same(got, Rotary(8).frequencies)
