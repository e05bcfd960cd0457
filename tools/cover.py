"""Draw the picture of the landing page, from the package itself: python tools/cover.py."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import torch

from plainformer import attention_weights, masks, plotting

TO = Path(__file__).parents[1] / "book" / "_static" / "cover.png"
MEANING = {"the": (0, 0), "was": (0, 0), "bank": (1, 1), "river": (3, 0), "eroding": (2, 0)}
SENTENCE = ["the", "river", "bank", "was", "eroding"]

x = torch.tensor([MEANING[word] for word in SENTENCE], dtype=torch.float32)
plotting.several(
    {
        "every word may look": attention_weights(x, x),
        "a causal mask": attention_weights(x, x, masks.causal(len(SENTENCE))),
    },
    queries=SENTENCE,
    keys=SENTENCE,
)
plt.gcf().savefig(TO, dpi=200, metadata={"Software": None})
print(f"Made: {TO.relative_to(Path.cwd()) if TO.is_relative_to(Path.cwd()) else TO}")
