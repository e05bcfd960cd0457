"""The numbers of the heads lab are those of a MultiHeadAttention of plainformer."""

import json
import math
import shutil
from typing import Any

import pytest
import torch
from torch import Tensor

from plainformer import MultiHeadAttention, attention_weights
from tests.book.test_widget_parity import WIDGETS, in_node

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
FACTS = ((6, 10), (0, 6), (10, 13), (6, 10), (0, 6))
ENDINGS = torch.tensor([13, 13, 15, 14, 14])
ANSWERS = 23


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    text = (WIDGETS / "heads-lab.data.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(
        text.partition("export const MODELS = ")[2].rstrip().rstrip(";")
    )
    return found


def layer_of(model: dict[str, Any]) -> MultiHeadAttention:
    """Build the layer with these tables: words are one-hot, and heads as wide as the answers."""
    scores, adds = (torch.tensor(model[name], dtype=torch.float64) for name in ("scores", "adds"))
    h = len(scores)
    layer = MultiHeadAttention(
        d_model=ANSWERS, n_heads=h, head_width=ANSWERS, memory_width=16
    ).double()
    query = torch.zeros(h, ANSWERS, ANSWERS, dtype=torch.float64)
    key = torch.zeros(h, ANSWERS, 16, dtype=torch.float64)
    query[:, 0, 0] = math.sqrt(ANSWERS)  # undone by the scale
    key[:, 0] = scores
    state = {
        "query.weight": query.flatten(0, 1),
        "key.weight": key.flatten(0, 1),
        "value.weight": adds.transpose(1, 2).flatten(0, 1),
        "output.weight": torch.eye(ANSWERS).repeat(1, h),
    }
    layer.load_state_dict({name: tensor.double() for name, tensor in state.items()})
    return layer


def sentences(n: int) -> tuple[Tensor, Tensor]:
    """Draw facts and orders."""
    g = torch.Generator().manual_seed(4)
    facts = torch.stack([torch.randint(a, b, (n,), generator=g) for a, b in FACTS], dim=1)
    return facts, torch.rand(n, 5, generator=g).argsort(dim=1)


def memory(facts: Tensor, order: Tensor) -> Tensor:
    stems, endings = facts.gather(1, order), ENDINGS[order]
    one_hot = torch.nn.functional.one_hot
    return (one_hot(stems, 16) + one_hot(endings, 16)).double()


@pytest.mark.parametrize("size", ["1", "2", "4"])
@torch.no_grad()
def test_weights_and_logits_are_those_of_the_layer(models: dict[str, Any], size: str) -> None:
    layer, (facts, order) = layer_of(models[size]), sentences(6)
    asks = torch.zeros(6, 1, ANSWERS, dtype=torch.float64)
    asks[..., 0] = 1
    words = memory(facts, order)
    logits = layer(asks, words)[:, 0] + torch.tensor(models[size]["start"], dtype=torch.float64)
    query = layer.query(asks).unflatten(-1, (layer.n_heads, -1)).transpose(1, 2)
    weights = attention_weights(query, layer.keys_values(words)[0])[:, :, 0]
    inputs = [
        {"model": models[size], "facts": f, "order": o}
        for f, o in zip(facts.tolist(), order.tolist(), strict=True)
    ]
    core = "heads-lab.core.js"
    shown = in_node(core, "core.logits(x.model, x.facts, x.order)", inputs)
    torch.testing.assert_close(torch.tensor(shown, dtype=torch.float64), logits, rtol=0, atol=1e-9)
    shown = in_node(core, "core.weights(x.model, x.facts, x.order)", inputs)
    torch.testing.assert_close(torch.tensor(shown, dtype=torch.float64), weights, rtol=0, atol=1e-9)


def test_the_answer_below_the_lab_is_what_the_lab_shows(models: dict[str, Any]) -> None:
    cases = [("1", []), ("2", []), ("4", []), ("4", [2]), ("4", [3]), ("4", [2, 3])]
    inputs = [{"model": models[size], "silenced": silenced} for size, silenced in cases]
    shown = in_node("heads-lab.core.js", "core.shares(x.model, x.silenced)", inputs)
    rounded = [[round(100 * share) for share in shares] for shares in shown]
    assert rounded[0][0] == 39
    assert rounded[1][5] == rounded[2][5] == 100
    assert [rounded[3][3], rounded[3][4], rounded[4][3], rounded[4][4]] == [63, 67, 64, 50]
    assert max(rounded[5][3:5]) <= 25
