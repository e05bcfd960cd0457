"""Write the storyteller for the interactive picture of chapter 14: ``python tools/sampler_lab.py``.

The page runs the model itself: its weights in half precision, as base64, in the order of ``PARTS``.
A test compares the page's results with those of the package.
"""

import base64
import json
from pathlib import Path

import torch

from plainformer.lab.storyteller import BALLADS, storyteller

OUT = Path(__file__).parents[1] / "book/_static/widgets/storyteller.data.js"
PARTS = (
    "attention_residual.norm",
    "attention.query",
    "attention.key",
    "attention.value",
    "attention.output",
    "feedforward_residual.norm",
    "feedforward.gate",
    "feedforward.up",
    "feedforward.down",
)


def weights() -> bytes:
    """Return all weights, the embedding first and the last norm at the end."""
    state = storyteller().state_dict()
    names = [f"blocks.{layer}.{part}.weight" for layer in (0, 1) for part in PARTS]
    order = ["embedding.weight", *names, "norm.weight"]
    return torch.cat([state[name].flatten() for name in order]).half().numpy().tobytes()


def data() -> dict[str, object]:
    """Return the data of the picture."""
    config = storyteller().config
    return {
        "words": BALLADS.words,
        "width": config.d_model,
        "heads": config.n_heads,
        "layers": config.n_layers,
        "inner": storyteller().blocks[0].feedforward.gate.weight.shape[0],
        "base": config.rotary_base,
        "context": config.context,
        "eps": config.norm_eps,
        "weights": base64.b64encode(weights()).decode(),
    }


if __name__ == "__main__":
    text = json.dumps(data(), separators=(",", ":"))
    OUT.write_text(f"// Written by tools/sampler_lab.py.\nexport const DATA = {text};\n")
