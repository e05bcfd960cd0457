"""C2: attention in tiles, forward and recomputing backward, against the fused C++ kernel."""

from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.c01_tiled_forward import LENGTHS, fused, inputs, turns
from benchmarks.harness import Row, compare
from plainformer import flash
from plainformer.mask_rules import Rule


def step(attend: Callable[..., Tensor], tensors: tuple[Tensor, ...], upstream: Tensor) -> object:
    """Go forward and back through an attention."""
    return torch.autograd.grad(attend(*tensors), tensors, upstream)


def tiled(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return flash.attend(query, key, value, Rule())


def measure(rounds: int) -> list[Row]:
    rows = []
    for n in LENGTHS:
        tensors = inputs(n, grad=True)
        upstream = torch.randn(1, 8, n, 64)
        times = compare(
            {
                "tiles": lambda x=tensors, u=upstream: step(tiled, x, u),
                "kernel": lambda x=tensors, u=upstream: step(fused, x, u),
            },
            **turns(n, rounds),
        )
        low, high = times.spread("tiles", "kernel")
        rows.append(
            Row(
                id="C2",
                work=f"causal forward + backward, B1 H8 D64, N={n}",
                peer="SDPA's C++ kernel",
                value=times.ratio("tiles", "kernel"),
                unit="× its time",
                goal=0.95 if n <= 1024 else 1.05,
                better="lower",
                note=f"quartiles {low:.2f} and {high:.2f}; {times.median('tiles') * 1e3:.1f} ms",
            )
        )
    return rows
