"""Write the numbers of the interactive picture of chapter 09: ``python tools/head_detective.py``.

The page does not run a model. The heads' attention maps, their scores and the cost of their removal
are computed here once, from the model of the package; a test compares the file with it.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer import looking
from plainformer.lab.storyteller import BALLADS, held_out, storyteller
from plainformer.looking import ablated, recorded
from plainformer.models import Decoder

OUT = Path(__file__).parents[1] / "book/_static/widgets/head-detective.data.js"
TEXTS = {
    "a refrain that comes back": "* mice sing brave often . the foxes near the owl see the king . "
    "* sing brave often .",
    "a verb and its subject": "* mice sing brave often . the fox near the owls sleeps .",
    "a longer way to the verb": "the owl that the kings fear follows the old hen . "
    "* quiet child runs hen . * runs hen .",
}
HEADS = [(layer, head) for layer in (0, 1) for head in range(4)]


def losses(model: Decoder, tokens: Tensor) -> Tensor:
    """Return the loss of each word except the first, (b, n - 1)."""
    with torch.no_grad():
        logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")


def weights(model: Decoder, tokens: Tensor) -> Tensor:
    """Return the weights of all heads side by side, (b, 8, n, n)."""
    with torch.no_grad(), recorded(model) as seen:
        model(tokens)
    return torch.cat(seen.weights, dim=1)


def songs(count: int = 64, size: int = 12) -> Tensor:
    """Draw refrains of random words, each repeated once."""
    draw = np.random.default_rng(0)
    words = [i for i in range(46) if i != BALLADS.stop]
    verse = np.stack([draw.permutation(words)[:size] for _ in range(count)])
    star, stop = (np.full((count, 1), i) for i in (BALLADS.star, BALLADS.stop))
    return torch.from_numpy(np.concatenate([star, verse, stop], axis=1)).repeat(1, 2)


def scores(model: Decoder) -> dict[str, Any]:
    """Return three scores for each head, and those of uniform weights."""
    documents, tests = held_out(32)[:, :-1], songs()[:, :-1]
    stops = (documents == BALLADS.stop) | (documents == BALLADS.star)

    def each(on_documents: Tensor, on_tests: Tensor) -> Tensor:
        return torch.stack(
            [
                looking.previous_token(on_documents),
                looking.marked(on_documents, stops),
                looking.induction(on_tests, tests),
            ]
        )

    found = each(weights(model, documents), weights(model, tests))
    chance = each(*(_uniform(tokens) for tokens in (documents, tests)))
    return {"heads": _short(found.T), "uniform": _short(chance[:, 0])}


def _uniform(tokens: Tensor) -> Tensor:
    n = tokens.shape[1]
    row = torch.ones(n, n).tril() / torch.arange(1, n + 1)[:, None]
    return row.expand(len(tokens), 1, n, n)


def text(model: Decoder, words: str) -> dict[str, Any]:
    """Return the maps on one text, the loss of each next word, and each head's effect on it."""
    tokens = torch.from_numpy(BALLADS.encode(words))[None]
    maps, loss = weights(model, tokens[:, :-1])[0], losses(model, tokens)[0]
    worth = []
    for head in HEADS:
        with ablated(model, [head]):
            worth.append(losses(model, tokens)[0] - loss)
    return {
        "words": words.split(),
        "maps": [[_short(row[: i + 1]) for i, row in enumerate(each)] for each in maps],
        "loss": _short(loss),
        "worth": _short(torch.stack(worth)),
    }


def _short(x: Tensor) -> Any:
    return (x.double().numpy().round(3) + 0.0).tolist()


def data() -> dict[str, Any]:
    """Return all data of the picture."""
    model = storyteller()
    texts = {name: text(model, words) for name, words in TEXTS.items()}
    return {"scores": scores(model), "texts": texts}


if __name__ == "__main__":
    lines = [
        "// Written by tools/head_detective.py from the model of the package.",
        "export const DATA = ",
    ]
    OUT.write_text(lines[0] + "\n" + lines[1] + json.dumps(data(), separators=(",", ":")) + ";\n")
