"""A task that needs attention: find the sense of an ambiguous word from a clue in the sentence.

A sentence has six words in random order: *bank*, *bat*, one clue for each, two fillers. A clue may
be missing; then the answer is "unknown".
"""

import torch
from jaxtyping import Int
from torch import Tensor

WORDS = ("the", "was", "bank", "bat", "river", "loan", "cave", "ball")
SENSES = ("river bank", "money bank", "animal bat", "sports bat", "unknown")
SKIPPED = -100
"""The label of a word that is not ambiguous; PyTorch's cross-entropy ignores it."""

_PLAIN = torch.tensor([0, 1, 2, 3, 0, 0])
_CLUES = torch.tensor([[4, 5, 0], [6, 7, 1]])  # of bank, of bat; the last is a filler
_ANSWERS = torch.tensor([[0, 1, 4], [2, 3, 4]])  # the sense that goes with each clue


def sentences(n: int) -> tuple[Int[Tensor, "b q"], Int[Tensor, "b q"]]:
    """Draw sentences of six words, and the sense of each word.

    Each clue is one of two or missing, with equal probability and independently. Without the clues,
    the best guess is right in 1/3 of the cases.

    Returns:
        Indices into ``WORDS``; indices into ``SENSES``, or :data:`SKIPPED`.
    """
    word = _PLAIN.repeat(n, 1)
    sense = torch.full((n, 6), SKIPPED)
    for i, clue in enumerate(torch.randint(3, (2, n))):
        word[:, 4 + i], sense[:, 2 + i] = _CLUES[i, clue], _ANSWERS[i, clue]
    order = torch.rand(n, 6).argsort(dim=1)
    return word.gather(1, order), sense.gather(1, order)
