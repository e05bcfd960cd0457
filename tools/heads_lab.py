"""Write the numbers of the heads lab: models of chapter 04, trained by the chapter's own cells.

    python tools/heads_lab.py > book/_static/widgets/heads-lab.data.js

Only tables are stored for each model, because everything except softmax is linear: for each head,
the score that a stem and an ending add, and their contribution to the logits of the five facts.
"""

import contextlib
import io
import json
import math
from pathlib import Path
from typing import Any

import jupytext
import torch
from torch import Tensor

CHAPTER = Path(__file__).parents[1] / "book" / "04-many-heads.md"
NEEDED = ("import math\n", "class FactReader", "def train")
FACTS = ((6, 10), (0, 6), (10, 13), (6, 10), (0, 6))  # the possible stems for each fact


def chapter() -> dict[str, Any]:
    """Run the cells that define the model and its training."""
    names: dict[str, Any] = {}
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type == "code" and any(each in cell.source for each in NEEDED):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(cell.source, names)
    return names


def rounded(x: Tensor) -> Any:
    """Return nested lists with three decimals."""
    return [rounded(row) for row in x] if x.ndim else round(x.item(), 3)


@torch.no_grad()
def tables(model: Any) -> dict[str, Any]:
    """Return the scores (h, 16) and the additions to the logits (h, 16, 23), stems then endings."""
    layer = model.layer
    h, d = layer.n_heads, layer.query.weight.shape[0] // layer.n_heads
    parts = torch.cat([model.stem.weight, model.ending.weight])
    query = layer.query(model.query).reshape(h, d)
    key = layer.key(parts).reshape(16, h, d)
    value = layer.value(parts).reshape(16, h, d)
    w_output = layer.output.weight.T.reshape(h, d, -1)
    answers = [13 * fact + stem for fact, (a, b) in enumerate(FACTS) for stem in range(a, b)]
    scores = torch.einsum("hd,nhd->hn", query, key) / math.sqrt(d)
    adds = torch.einsum("nhd,hdm,am->hna", value, w_output, model.read.weight[answers])
    # A constant added to all scores does not change the weights: subtract the stems' mean.
    scores = scores - scores[:, :13].mean(dim=1, keepdim=True)
    return {
        "scores": rounded(scores),
        "adds": rounded(adds),
        "start": rounded(model.read.bias[answers]),
    }


def main() -> None:
    """Train and print the module."""
    names = chapter()
    models = {}
    for h in (1, 2, 4):
        torch.manual_seed(0)
        models[h] = tables(names["train"](names["FactReader"](h), names["five_facts"]))
    print("// Written by tools/heads_lab.py from the cells of chapter 04. Do not edit.")
    print("// Stems 0 to 12, then the endings -a, -o, -i; the answers of the five facts in a row.")
    print(f"export const MODELS = {json.dumps(models, separators=(',', ':'))};")


if __name__ == "__main__":
    main()
