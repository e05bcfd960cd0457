"""The numbers of the softmax stepper are those of plainformer."""

import math
import shutil

import pytest
import torch

from plainformer.online_softmax import Partial
from tests.book.test_widget_parity import in_node, same

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CORE = "softmax-stepper.core.js"
STATES = "core.steps({ ...x, keys: core.ROWS[x.row] })"
WRITTEN = "(y) => y === -Infinity ? '-Infinity' : y"  # JSON has no infinity
SHOWN = (
    f"{STATES}.map((s) => [s.m, s.total, s.weighted, core.output(s), core.lse(s)].map({WRITTEN}))"
)


@pytest.mark.parametrize("row", ["text", "large", "masked", "rising"])
@pytest.mark.parametrize("slack", [0, 3])
def test_each_state_is_that_of_the_package(row, slack):
    settings = [{"row": row, "order": "left", "width": w, "slack": slack} for w in (1, 2, 3, 8)]
    (keys,) = in_node(CORE, f"core.ROWS[x.row].map((key) => key.map({WRITTEN}))", [{"row": row}])
    scores = torch.tensor([[float(score) for score, *_ in keys]], dtype=torch.float64)
    value = torch.tensor([[float(v)] for _, v, _ in keys], dtype=torch.float64)
    for setting, states in zip(settings, in_node(CORE, SHOWN, settings), strict=True):
        width, so_far = setting["width"], Partial.of(scores[:, :0], value[:0])
        assert len(states) == math.ceil(len(keys) / width)
        for i, state in enumerate(states):
            part = slice(i * width, (i + 1) * width)
            so_far = so_far.extend(scores[:, part], value[part], slack=slack)
            parts = (
                so_far.largest,
                so_far.total,
                so_far.weighted,
                so_far.output,
                so_far.lse[:, None],
            )
            same([float(x) for x in state], torch.cat(parts, dim=-1)[0])


def test_the_row_of_the_text_is_the_one_that_is_drawn():
    from tools.drawings.online_softmax import BLOCKS

    (keys,) = in_node(CORE, "core.ROWS.text", [{}])
    assert [tuple(key[:2]) for key in keys] == [pair for block in BLOCKS for pair in block]
