"""C1: attention in tiles of plain PyTorch, forward, against the fused C++ kernel."""

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.harness import Row, compare
from plainformer import flash
from plainformer.mask_rules import Rule

LENGTHS = (512, 1024, 2048, 4096, 8192)


def inputs(n: int, *, size: float = 1.0, grad: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries (times ``size``), keys and values: one sequence, 8 heads of width 64."""
    torch.manual_seed(n)
    query, key, value = (torch.randn(1, 8, n, 64) for _ in range(3))
    query, key, value = (x.requires_grad_(grad) for x in (query * size, key, value))
    return query, key, value


def fused(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def turns(n: int, rounds: int) -> dict[str, int]:
    """Choose how often to call in a round, and how many rounds: long calls need fewer."""
    return {"repeat": max(1, 1024 // n), "rounds": rounds if n <= 2048 else max(5, rounds // 2)}


def measure(rounds: int) -> list[Row]:
    rows = []
    for n in LENGTHS:
        query, key, value = inputs(n)
        with torch.no_grad():
            times = compare(
                {
                    "tiles": lambda x=(query, key, value): flash.attend(*x, Rule()),
                    "kernel": lambda x=(query, key, value): fused(*x),
                },
                **turns(n, rounds),
            )
        low, high = times.spread("tiles", "kernel")
        rows.append(
            Row(
                id="C1",
                work=f"causal forward, B1 H8 D64, N={n}",
                peer="SDPA's C++ kernel",
                value=times.ratio("tiles", "kernel"),
                unit="× its time",
                goal=1.0 if n <= 1024 else 1.15,
                better="lower",
                note=f"quartiles {low:.2f} and {high:.2f}; {times.median('tiles') * 1e3:.1f} ms",
            )
        )
    return rows
