"""Generation masks with two mistakes: one about later keys, one about filler."""

from functools import partial
from itertools import product

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

#: Mistakes about later keys, and the message for each.
ORDER = {
    "first-positions": "You treat the queries as the first positions, though they are the last.",
    "strictly-before": "Your queries attend to earlier positions and not to their own.",
    "one-ahead": "Your queries attend to the position after their own as well.",
    "any-order": "Your queries attend to real keys that come later.",
}
#: Mistakes about filler, and the message for each.
FILLER = {
    "on-the-right": "You take the first lengths[b] places for real; here the filler comes first.",
    "one-too-many": "You hide the first real token of each sequence.",
    "one-too-few": "Your mask takes the last place of filler for real.",
    "length-of-filler": "You read lengths as the number of filler places.",
    "from-the-longest": "You count the filler from the longest sequence, not from k.",
    "sees-itself": "In your mask a filler position attends to itself.",
    "none": "Your mask does not depend on lengths, so filler is open.",
}
#: Pairs that are described elsewhere, or that are one mistake.
LEFT_OUT = {
    ("first-positions", "on-the-right"),
    ("first-positions", "one-too-many"),
    ("one-ahead", "one-too-many"),
    ("any-order", "sees-itself"),
    ("any-order", "none"),
}


def masked(lengths: Tensor, q: int, k: int, *, order: str, filler: str) -> Tensor:
    """Make a mask that is wrong about later keys and about filler."""
    key, query = torch.arange(k), torch.arange(k - q, k)[:, None]
    column = lengths[:, None]
    causal = {
        "first-positions": key <= query - (k - q),
        "strictly-before": key < query,
        "one-ahead": key <= query + 1,
        "any-order": torch.ones(q, k, dtype=torch.bool),
    }[order]
    real = {
        "on-the-right": key < column,
        "one-too-many": key > k - column,
        "one-too-few": key >= k - column - 1,
        "length-of-filler": key >= column,
        "from-the-longest": key >= column.max() - column,
        "sees-itself": key >= k - column,
        "none": torch.ones(len(lengths), k, dtype=torch.bool),
    }[filler]
    mask = causal & real[:, None, None, :]
    own = (key == query) & ~real[:, None, None, :]
    return mask | own if filler == "sees-itself" else mask


PAIRS = tuple(
    Misconception(
        name=f"{order}-and-filler-{filler}",
        answer=partial(masked, order=order, filler=filler),
        believed="Both conditions hold.",
        says=f"{ORDER[order]} {FILLER[filler]}",
        hints=(
            "q=1, k=3, a full sequence: how many keys are open to the query?",
            "Of 3 places, which one does a sequence of 1 token use?",
            "Query i is at place k - q + i, and the tokens begin at place k - lengths[b].",
        ),
    )
    for order, filler in product(ORDER, FILLER)
    if (order, filler) not in LEFT_OUT
)
