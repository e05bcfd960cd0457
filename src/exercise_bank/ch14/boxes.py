"""Speculative samplers in closed boxes: exact in several ways, or silently wrong.

A sampler takes the model's distributions, p (n + 1, v), the draft's declared distributions, q (n,
v), and a number of rounds. It returns the tokens of each round (rounds, n + 1), with -1 after the
end of a round. The same arguments give the same tokens. `again(salt)` of a sampler returns the same
sampler with other draws.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from exercise_bank.arguments import numbers, whole
from exercise_bank.closing import closed

Box = Callable[[Tensor, Tensor, int], Tensor]
FAULTS = (
    "none",
    "keeps all",
    "other draft",
    "by p alone",
    "from p",
    "not clipped",
    "bonus row",
)
SOUND = ("as in the paper", "one token", "without a draft", "coupled")
MOST = 200_000


def box(kind: str, salt: int = 0) -> Box:
    """Return a sampler with a fault, or an exact one of its own kind, under an uninformative name.

    Args:
        kind: a fault, or one of the sound ways.
        salt: changes the draws for the same arguments.
    """

    def sampler(p: Tensor, q: Tensor, rounds: int) -> Tensor:
        weights = torch.cat([p, q]).flatten() * torch.arange(1, p.numel() + q.numel() + 1)
        seed = int(1e6 * weights.sum().item()) + 7919 * len(p) + rounds + 104729 * salt
        g = torch.Generator().manual_seed(seed % 2**31)
        if kind == "without a draft":
            return torch.stack([drawn(g, row, rounds) for row in p], dim=1)
        found = _rounds(g, kind, p, q, rounds)
        if kind == "one token":
            found[:, 1:] = -1
        return found

    made: Box = closed(sampler, _taken)
    made.again = lambda other: box(kind, other)  # type: ignore[attr-defined]
    return made


def _taken(p: Any, q: Any, rounds: Any) -> tuple[Tensor, Tensor, int]:
    p, q, rounds = _shares("p", p), _shares("q", q), whole("rounds", rounds, 1, MOST)
    if len(p) != len(q) + 1 or p.shape[1] != q.shape[1]:
        raise ValueError(
            f"p is {tuple(p.shape)} and q {tuple(q.shape)}: expected (n + 1, v) and (n, v)"
        )
    return p, q, rounds


def drawn(g: Generator, weights: Tensor, count: int) -> Tensor:
    """Draw tokens (count,) by weights (v,), which need not sum to 1."""
    sums = weights.cumsum(dim=0)
    u = torch.rand(count, generator=g, dtype=torch.float64) * sums[-1]
    return torch.searchsorted(sums, u, right=True).clamp_max(len(weights) - 1)


def residual(p: Tensor, q: Tensor) -> Tensor:
    """Return the positive part of p - q, or p itself if that is zero everywhere."""
    more = (p - q).clamp_min(0)
    return more if more.sum() > 0 else p


def _rounds(g: Generator, kind: str, p: Tensor, q: Tensor, rounds: int) -> Tensor:
    n = len(q)
    found = torch.full((rounds, n + 1), -1)
    going = torch.ones(rounds, dtype=torch.bool)
    for i in range(n):
        if kind == "coupled":  # one number both keeps and replaces a guess
            both = torch.minimum(p[i], q[i])
            which = drawn(g, torch.cat([both, p[i] - both]), rounds)
            kept, tokens = which < len(both), which % len(both)
        else:
            tokens, kept = _judged(g, kind, p[i], q[i], rounds)
        found[going, i] = tokens[going]
        going &= kept
    last = p[n - 1] if kind == "bonus row" and n else p[n]
    bonus = drawn(g, last, rounds)
    found[going, n] = bonus[going]
    return found


def _judged(g: Generator, kind: str, p: Tensor, q: Tensor, rounds: int) -> tuple[Tensor, Tensor]:
    """Return the tokens for one place (rounds,), and which of them are kept guesses."""
    from_draft = q**2 if kind == "other draft" else q
    guesses = drawn(g, from_draft, rounds)
    ratio = p if kind == "by p alone" else p / q.clamp_min(1e-300)
    u = torch.rand(rounds, generator=g, dtype=torch.float64)
    kept = u < ratio[guesses]
    if kind == "keeps all":
        kept = torch.ones_like(kept)
    weights = residual(p, q)
    if kind == "from p":
        weights = p
    if kind == "not clipped" and not torch.equal(p, q):
        weights = (p - q).abs()
    return torch.where(kept, guesses, drawn(g, weights, rounds)), kept


def _shares(name: str, given: Any) -> Tensor:
    given = torch.as_tensor(given) if isinstance(given, (list, tuple, np.ndarray)) else given
    shares = numbers(name, given, 2).detach().to(torch.float64)
    sums = shares.sum(dim=1)
    if (shares < 0).any() or not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        raise ValueError(f"each row of {name} is to sum to 1, without a number below 0")
    return shares / sums[:, None]
