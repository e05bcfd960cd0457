"""Diaries of who went where: the answer is in the last line about the person in the question."""

import torch
from jaxtyping import Int
from torch import Tensor

WHO = ("dog", "man", "cat", "bird")
ROOMS = ("kitchen", "garden", "hall", "cellar")
WORDS = 20  # 16 lines, 4 questions


def diaries(n: int, count: int) -> tuple[Int[Tensor, "count words"], Int[Tensor, " count"]]:
    """Draw diaries of a number of lines and a question; a line is one word, ``4 * who + room``.

    Args:
        n: lines.
        count: number of diaries.

    Returns:
        The words, the last of which is the question ("where is the dog?" is 16), and the right
        rooms.
    """
    who, room = torch.randint(4, (2, count, n))
    asked = who[:, :1]  # one of those who occur
    order = torch.rand(count, n).argsort(dim=1)
    who, room = who.gather(1, order), room.gather(1, order)
    last = ((who == asked) * torch.arange(1, n + 1)).argmax(dim=1)
    words = torch.cat([4 * who + room, 16 + asked], dim=1)
    return words, room[torch.arange(count), last]


def three_back(n: int, count: int) -> tuple[Int[Tensor, "count words"], Int[Tensor, " count"]]:
    """Draw ``count`` texts of ``n`` words and a question about the third word before it."""
    words = torch.randint(16, (count, n + 1))
    words[:, -1] = 16
    return words, words[:, n - 3]
