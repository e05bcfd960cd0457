"""Rounds for 14.speculative."""

import math

import torch
from torch import Generator, Tensor

from plaincourse.exercise import Inputs

ROUNDS = 300


def shares(*rows: list[float]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def of_random(g: Generator, n: int, v: int) -> Tensor:
    """Draw n distributions over v tokens, none of them near 0 anywhere."""
    weights = 0.1 + torch.rand(n, v, generator=g, dtype=torch.float64) ** 2
    return weights / weights.sum(dim=1, keepdim=True)


def one(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> Inputs:
    return {"p": p, "q": q, "guesses": guesses, "uniform": uniform}


def drawn(g: Generator, v: int, kept: list[bool]) -> Inputs:
    """Draw a round in which guesses are kept as specified, up to the first refused one."""
    n = len(kept)
    while True:
        p, q = of_random(g, n + 1, v), of_random(g, n, v)
        guesses = torch.randint(0, v, (n,), generator=g).tolist()
        uniform = torch.rand(n + 1, generator=g, dtype=torch.float64).tolist()
        inputs = one(p, q, guesses, uniform)
        ratios = [float(p[i, x] / q[i, x]) for i, x in enumerate(guesses)]
        as_said = all((u < r) == keep for u, r, keep in zip(uniform, ratios, kept, strict=False))
        near = any(abs(u - r) < 0.02 for u, r in zip(uniform, ratios, strict=False))
        if as_said and not near and clear(inputs):
            return inputs


def clear(inputs: Inputs) -> bool:
    """Return whether the last draw is clear of all borders, for any distribution it may use."""
    p, q, u = inputs["p"], inputs["q"], inputs["uniform"][-1]
    found = [p, q, (p[:-1] - q).clamp_min(0), (p[:-1] - q).abs()]
    sums = torch.cat([x.cumsum(dim=1) / x.sum(dim=1, keepdim=True) for x in found])
    return not ((sums - u).abs() < 0.005).any()


A, B = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]


def kept_or_not(g: Generator) -> list[Inputs]:
    """Draw rounds of one guess, in which the number of tokens shows whether it is kept."""
    found = [
        one(shares([0.4, 0.6], [1.0, 0.0]), shares([0.8, 0.2]), [0], [0.45, 0.3]),
        one(shares([0.4, 0.6], [1.0, 0.0]), shares([0.8, 0.2]), [0], [0.55, 0.3]),
        one(shares([0.4, 0.6], [1.0, 0.0]), shares([0.8, 0.2]), [1], [0.97, 0.5]),
    ]
    return [*found, *(drawn(g, v, [keep]) for v in (3, 4, 5) for keep in (True, False))]


def rounds(p: Tensor, q: Tensor, guesses: list[list[int]], uniform: list[list[float]]) -> Inputs:
    """Make an input of many rounds with one p and one q."""
    return {"p": p, "q": q, "guesses": torch.tensor(guesses), "uniform": torch.tensor(uniform)}


def fates(g: Generator, p: Tensor, q: Tensor) -> Inputs:
    """Draw rounds of one guess each, every token guessed with small numbers and with large ones."""
    guesses, uniform = [], []
    for x in range(p.shape[1]):
        for at in (0.05, 0.3, 0.55, 0.8):
            ratio, u = float(p[0, x] / q[0, x]), at
            while abs(u - ratio) < 0.02 or not clear(one(p, q, [x], [u, u])):
                u = at + 0.2 * float(torch.rand((), generator=g, dtype=torch.float64))
            last = u
            while abs(last - u) < 0.1 or not clear(one(p, q, [x], [u, last])):
                last = float(torch.rand((), generator=g, dtype=torch.float64))
            guesses.append([x])
            uniform.append([u, last])
    return rounds(p, q, guesses, uniform)


def one_guess(g: Generator) -> list[Inputs]:
    """Draw rounds of one guess each, kept or refused."""
    spread, draft = [0.3, 0.3, 0.1, 0.3], [0.1, 0.2, 0.5, 0.2]
    return [
        fates(g, shares(A, B), shares([0.1, 0.6, 0.3])),
        fates(g, shares(spread, [0.25] * 4), shares(draft)),
        *(fates(g, of_random(g, 2, v), of_random(g, 1, v)) for v in (4, 5)),
    ]


def several(g: Generator) -> list[Inputs]:
    """Draw rounds of several guesses, in which each place is the first refusal once."""
    ends = ([True, False], [False, True], [True, False, True], [False, False], [True, True, False])
    half, draft = [0.4, 0.6], [0.8, 0.2]
    spread, other = [0.3, 0.3, 0.1, 0.3], [0.1, 0.2, 0.5, 0.2]
    return [
        one(shares(half, half, [0.5, 0.5]), shares(draft, draft), [0, 0], [0.45, 0.3, 0.2]),
        one(shares(spread, spread, spread), shares(other, other), [2, 2], [0.7, 0.1, 0.9]),
        *(drawn(g, 4, list(each)) for each in (*ends, [True] * 3)),
    ]


def in_turn(g: Generator) -> list[Inputs]:
    """Draw rounds of guesses that most rules keep, and of impossible ones, which p = 0 refuses.

    In the last one each guess has p/q = 1/2, and the number of the second is above 1/4.
    """
    ends = ([True, False], [False, True], [True, False, True], [True, True, False], [True] * 3)
    found = []
    for kept in ends:
        n = len(kept)
        p, q = of_random(g, n + 1, 4), of_random(g, n, 4)
        guesses = torch.randint(0, 4, (n,), generator=g).tolist()
        for i, (x, keep) in enumerate(zip(guesses, kept, strict=True)):
            for row, share in ((p[i], 0.5 if keep else 0.0), (q[i], 0.4)):
                row[x] = 0.0
                row *= (1 - share) / row.sum()
                row[x] = share
        numbers = 0.05 + 0.25 * torch.rand(n + 1, generator=g, dtype=torch.float64)
        found.append(one(p, q, guesses, numbers.tolist()))
    half, draft = [0.3, 0.5, 0.2], [0.6, 0.2, 0.2]
    second = 0.26 + 0.03 * float(torch.rand((), generator=g, dtype=torch.float64))
    found.append(one(shares(half, half, A), shares(draft, draft), [0, 0], [0.1, second, 0.4]))
    return found


def whole_rounds(g: Generator) -> list[Inputs]:
    """Return the rounds of the prompt, and some of several guesses."""
    p, q = shares([0.4, 0.6], [1.0, 0.0]), shares([0.8, 0.2])
    return [one(p, q, [0], [0.45, 0.3]), one(p, q, [0], [0.55, 0.3]), *several(g)]


def odd_ones(g: Generator) -> list[Inputs]:
    """Draw certain guesses, an impossible one, and a round without guesses."""
    certain = shares([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    p = shares(A, B, [0.1, 0.1, 0.8])
    impossible = shares([0.0, 0.3, 0.7], A)
    found = [one(p, certain, [1, 2], [0.25, 0.7, 0.5]), one(p, certain, [1, 2], [0.4, 0.7, 0.5])]
    found.append(one(impossible, shares([0.5, 0.2, 0.3]), [0], [0.0, 0.0]))
    nothing = torch.zeros(0, 3, dtype=torch.float64)
    return [*found, one(shares(B), nothing, [], [0.3]), one(shares(A), nothing, [], [0.6])]


def many_rounds(g: Generator) -> list[Inputs]:
    """Draw guesses from q, and evenly spaced numbers in place of random ones."""
    found: list[Inputs] = []
    for p, q in (
        (shares(A, B), shares([0.2, 0.6, 0.2])),
        (shares([0.45, 0.55], [0.45, 0.55], [0.5, 0.5]), shares([0.9, 0.1], [0.9, 0.1])),
        (shares([0.6, 0.1, 0.3], [0.1, 0.8, 0.1]), shares([0.1, 0.5, 0.4])),
        (of_random(g, 3, 4), of_random(g, 2, 4)),
    ):
        n = len(q)
        steps = [math.sqrt(prime) % 1 for prime in (2, 3, 5, 7, 11)]
        numbers = torch.outer(
            torch.arange(1, ROUNDS + 1, dtype=torch.float64), torch.tensor(steps[: 2 * n + 1])
        )
        numbers = (numbers + torch.rand(2 * n + 1, generator=g, dtype=torch.float64)) % 1
        guesses = torch.stack(
            [(q[i].cumsum(0) <= numbers[:, n + 1 + i, None]).sum(1) for i in range(n)], dim=1
        ).clamp_max(q.shape[1] - 1)
        found.append({"p": p, "q": q, "guesses": guesses, "uniform": numbers[:, : n + 1]})
    return found
