"""More ways in which 11.lazy goes wrong."""

from functools import partial

import torch
from torch import Tensor

from exercise_bank.ch11.mistakes.lazy_code import Both, first_sight_counts, nan_for_nothing, walk
from exercise_bank.skills import said


def nan_and_counted(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    """Let a first block of -inf set the maximum."""
    output = nan_for_nothing(scores, value, block, tau)[0]
    return output, first_sight_counts(scores, value, block, tau)[1]


def counted_once(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, count.clamp(max=1)


def old_maximum_kept(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    """Rescale l and o, and continue with the old maximum."""
    q = len(scores)
    used, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        first = used < -1e8  # no maximum yet
        used = torch.where(first, top, used)
        moves = ~first & (top > used + tau)
        fade = torch.where(moves, torch.exp(used - top), 1.0)
        safe = used.masked_fill(used == -torch.inf, 0.0)
        weights = torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        count = count + moves
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def first_score(
    scores: Tensor, value: Tensor, block: int, tau: float, *, compared: bool = False
) -> Both:
    """Set the maximum in use to the first visible score of the first block that has one."""
    counts = []
    for row in scores:
        used, count = torch.tensor(torch.nan), 0
        for part in row.split(block):
            top = part.max()
            if top == -torch.inf:
                continue
            first = bool(used.isnan())
            if first:
                used = part[0]
            if (compared or not first) and top > used + tau:
                used, count = top, count + 1
        counts.append(count)
    return walk(scores, value, block, tau)[0], torch.tensor(counts)


MORE = (
    said(
        "old-maximum-kept",
        old_maximum_kept,
        "A rescaling changes l and o.",
        "You rescale l and o to the larger maximum, but keep the old one in use. The new block is "
        "then added in the old unit, and a later one of the same height counts again.",
        "Which maximum is in use after the scores 0 and 10 with tau = 2?",
        "All terms of l are exp(score - used), with the same used.",
        "Set the maximum in use to the block's maximum where you rescale.",
    ),
    said(
        "first-score",
        first_score,
        "The first score is the first maximum.",
        "Your maximum in use begins with the first score of the first block, not with the largest "
        "one.",
        "Which maximum is in use after one block with the scores 0 and 9?",
        "The whole first block is known before the first decision.",
        "Begin with the largest score of the first block.",
        variants=(partial(first_score, compared=True),),
        kind="form",
    ),
)
