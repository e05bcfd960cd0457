"""C4: memory that the forward pass takes beside its inputs, at 8192 positions."""

import os

import torch

from benchmarks.c01_tiled_forward import inputs
from benchmarks.c02_forward_backward import tiled
from benchmarks.harness import Row
from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule
from plainformer.meter import Meter

N = 8192
ROOM = 16 * 2**30  # bytes that must be free for plain attention at N; else N / 2 is measured


def peak(f: object, n: int) -> int:
    """Return the most bytes alive at once while attending, the output included."""
    with torch.no_grad(), Meter() as meter:
        f(*inputs_of(n))  # type: ignore[operator]
    return meter.peak


def inputs_of(n: int) -> tuple[torch.Tensor, ...]:
    """Return inputs that were made out of the meter's sight."""
    if n not in _made:
        _made[n] = inputs(n)
    return _made[n]


_made: dict[int, tuple[torch.Tensor, ...]] = {}


def measure(rounds: int) -> list[Row]:
    query = inputs_of(N)[0].nbytes
    ours = peak(tiled, N)
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    n = N if free > ROOM else N // 2
    inputs_of(n)
    naive = peak(lambda *x: attend_heads(*x, Rule()), n) * (N // n) ** 2
    measured = "measured" if n == N else f"4 × what was measured at N={n}"
    return [
        Row(
            id="C4",
            work=f"peak extra memory, causal forward, N={N}",
            peer="the query",
            value=ours / query,
            unit="× its size",
            goal=2.2,
            better="lower",
            note=f"{ours / 2**20:.1f} MiB, the output among it",
        ),
        Row(
            id="C4",
            work=f"peak extra memory, causal forward, N={N}",
            peer="plain attention",
            value=naive / ours,
            unit="× less",
            goal=100,
            better="higher",
            note=f"{naive / 2**20:.0f} MiB, {measured}",
        ),
    ]
