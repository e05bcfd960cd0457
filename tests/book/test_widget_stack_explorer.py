"""The numbers of the stack explorer are those of plainformer."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from plainformer.mask_rules import Rule
from plainformer.masks import causal
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder

ROOT = Path(__file__).parents[2]
CORE = ROOT / "book" / "_static" / "widgets" / "stack-explorer.core.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")

WORD = torch.tensor([[3, 0, 1, 1, 0, 3]])  # dabbad
CASES = ("decoder", "broken", "both", "window", "encoder", "prefix")  # boxes A to F


def config(layers: int, window: int | None = None) -> Config:
    return Config(
        vocabulary=8, d_model=16, n_layers=layers, n_heads=2, d_ff=32, context=8, window=window,
        positions="learned", norm="layer", feedforward="relu", bias=True, tied=False,
    )  # fmt: skip


def leaking() -> Tensor:
    mask = causal(6)
    mask[1, 4] = True
    return mask


def run_of(kind: str, layers: int, seed: int) -> Callable[[Tensor], Tensor]:
    """Make a model with large initial weights, and return a function that runs it on six tokens."""
    torch.manual_seed(seed)
    build: dict[str, Callable[[], nn.Module]] = {
        "encoder": lambda: Encoder(config(layers)),
        "both": lambda: EncoderDecoder(config(layers)),
        "window": lambda: Decoder(config(layers, window=2)),
    }
    model = build.get(kind, lambda: Decoder(config(layers)))().double().eval()
    for parameter in [p for p in model.parameters() if p.ndim == 2]:
        parameter.data *= 10
    masks = {"prefix": {"mask": Rule(prefix=3)}, "broken": {"mask": leaking(), "causal": False}}
    if kind == "both":

        def both(tokens: Tensor) -> Tensor:
            memory = model.encode(tokens[:, :3])
            written = model.decode(tokens[:, 3:], memory)
            return torch.cat([model.decoder.output(memory), written], dim=1)

        return both
    return lambda tokens: model(tokens, **masks.get(kind, {}))


@torch.no_grad()
def moves(kind: str, layers: int, seed: int) -> list[list[float]]:
    """Return the relative change of output i if token j becomes the next letter."""
    run = run_of(kind, layers, seed)
    before = run(WORD)[0]
    table = torch.zeros(6, 6, dtype=torch.float64)
    for j in range(6):
        other = WORD.clone()
        other[:, j] = (other[:, j] + 1) % 8
        after = run(other)[0]
        table[:, j] = (after - before).norm(dim=-1) / before.norm(dim=-1)
    return [[float(f"{x:.3g}") for x in row] for row in table.tolist()]


def expected() -> dict[str, list]:
    named = {
        kind: [moves(kind, layers, seed=0) for layers in (1, 2, 3)]
        for kind in ("encoder", "decoder", "both", "prefix", "window")
    }
    return {"named": named, "boxes": [moves(kind, 2, seed=i + 1) for i, kind in enumerate(CASES)]}


def in_node(expression: str) -> object:
    code = f"const core = await import({json.dumps(CORE.as_uri())});" + (
        f"console.log(JSON.stringify({expression}));"
    )
    command = [str(NODE), "--input-type=module", "--eval", code]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def flat(tables: object) -> list[float]:
    return torch.tensor(tables, dtype=torch.float64).flatten().tolist()


def test_every_number_is_plainformers():
    shown = in_node("{ named: core.NAMED, boxes: core.BOXES }")
    right = expected()
    assert shown["named"].keys() == right["named"].keys()
    for kind, tables in right["named"].items():
        assert flat(shown["named"][kind]) == pytest.approx(flat(tables), rel=0.02), kind
    assert flat(shown["boxes"]) == pytest.approx(flat(right["boxes"]), rel=0.02)


def test_the_answers_to_the_boxes_are_what_they_are():
    assert in_node("core.ANSWERS") == list(CASES)


def test_no_move_is_lost_by_rounding():
    for tables in (in_node("Object.values(core.NAMED).flat()"), in_node("core.BOXES")):
        assert all(x == 0 or x >= 1e-3 for table in tables for row in table for x in row)
