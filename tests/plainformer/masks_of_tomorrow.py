"""Kinds of masks that are not in the package, each a Rule with its own field."""

from dataclasses import dataclass

import torch
from torch import Tensor

from plainformer.mask_rules import Rule


def pairs(q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """Return queries as columns and keys as rows, (#b, 1, q, 1) and (#b, 1, 1, k)."""
    q, k = (x if x.ndim == 2 else x[None] for x in (q_positions, k_positions))
    return q[:, None, :, None], k[:, None, None, :]


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunked(Rule):
    """Hide other chunks, as in Llama 4's chunked attention."""

    chunk: int | None = None

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (q, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        return seen if self.chunk is None else seen & (q // self.chunk == k // self.chunk)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByDefault(Chunked):
    """The same with a default that hides keys."""

    chunk: int | None = 7


@dataclass(frozen=True, kw_only=True, eq=False)
class Dilated(Rule):
    """Show every third position, so that visibility depends only on the distance."""

    step: int = 1

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (q, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        return seen & ((q - k) % self.step == 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Landmarks(Rule):
    """Show some earlier positions to all, also outside the window: a field that adds keys."""

    every: int = 0

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (q, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        return seen | ((k >= 0) & (k <= q) & (k % self.every == 0)) if self.every else seen


@dataclass(frozen=True, kw_only=True, eq=False)
class Documents(Rule):
    """Hide other documents of a row, with a field (b, n) of document numbers."""

    numbers: Tensor | None = None

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (q, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        if self.numbers is None:
            return seen
        of = self.numbers[:, None, :]
        b = of.shape[0]
        of_q = of.expand(b, 1, -1).gather(2, q[:, :, :, 0].expand(b, 1, -1))[..., :, None]
        of_k = of.gather(2, k[:, :, 0].clamp_min(0).expand(b, 1, -1))[..., None, :]
        return seen & (of_q == of_k)


@dataclass(frozen=True, kw_only=True, eq=False)
class Unread(Rule):
    """Add a field without using it in the mask."""

    chunk: int | None = None


class Plain(Rule):
    """Override the mask without a field, to show every second key."""

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (_, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        return seen & (k % 2 == 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Finished(Chunked):
    """Override all methods, as a complete implementation of chunked attention would."""

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return super().allows(q_positions, k_positions)

    def sees(self, queries: range, keys: range) -> bool | None:
        whole = Rule.sees(Rule(causal=self.causal), queries, keys)
        if whole is False or self.chunk is None:
            return whole
        first, last = (r[0] // self.chunk for r in (queries, keys))
        ends = [r[-1] // self.chunk for r in (queries, keys)]
        if ends[0] < last or ends[1] < first:
            return False
        return whole if first == last == ends[0] == ends[1] else None


@dataclass(frozen=True, kw_only=True, eq=False)
class OnTop(Finished):
    """Hide more than a class that overrides all methods, whose results are then no longer valid."""

    odd: bool = False

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        seen, (_, k) = super().allows(q_positions, k_positions), pairs(q_positions, k_positions)
        return seen & (k % 2 == 1) if self.odd else seen


def numbers(b: int, n: int) -> Tensor:
    """Number the documents of b rows, each 5 + row positions long."""
    return torch.stack([torch.arange(n) // (5 + row) for row in range(b)])


def kinds(b: int, n: int) -> dict[str, tuple[Rule, Tensor]]:
    """Return rules by name, each with its mask (·, 1, n, n) computed independently."""
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    past = j <= i
    of = numbers(b, n)
    chunked = past & (i // 7 == j // 7)
    masks = {
        "chunk": (Chunked(chunk=7), chunked),
        "chunk by default": (ByDefault(), chunked),
        "chunk in a window": (Chunked(chunk=7, window=3), chunked & (i - j < 3)),
        "step": (Dilated(step=3), past & ((i - j) % 3 == 0)),
        "every": (Landmarks(every=5, window=2), past & ((i - j < 2) | (j % 5 == 0))),
        "no field": (Plain(), past & (j % 2 == 0)),
        "all answers": (Finished(chunk=7), chunked),
        "answers of a parent": (OnTop(chunk=7, odd=True), chunked & (j % 2 == 1)),
    }
    found = {name: (rule, mask[None, None]) for name, (rule, mask) in masks.items()}
    same = (of[:, :, None] == of[:, None, :]) & past
    found["numbers"] = (Documents(numbers=of), same[:, None])
    return found
