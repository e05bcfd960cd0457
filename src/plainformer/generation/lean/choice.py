"""Which kernel reads a matrix faster on this processor: found out by running both, once.

No rule about processors would hold for long. On one with matrix units and a BLAS of its maker's,
the plain product is a fifth faster than bags; on another bags are twice as fast.
"""

import time
from collections.abc import Sequence
from functools import cache

import torch

from plainformer.generation.lean.bags import Bags
from plainformer.generation.lean.products import Plain, Product

WIDTH, MATRICES, ROUNDS = 1024, 8, 5  # 32 MB of float32: more than a core's own cache holds


@cache
def fastest(dtype: torch.dtype) -> type[Bags] | type[Plain]:
    """Return the kind of product that reads one vector's weights faster here.

    Args:
        dtype: type of the weights.

    Cost: 70 MB for a moment and about 0.1 s, once for each type in a process.
    """
    kinds: tuple[type[Bags] | type[Plain], ...] = (Bags, Plain)
    weight = torch.full((WIDTH, WIDTH), 0.5)
    stacks = [[kind(weight, None, dtype) for _ in range(MATRICES)] for kind in kinds]
    x = torch.ones(1, WIDTH)
    with torch.inference_mode():
        rounds = [[_seconds(stack, x) for stack in stacks] for _ in range(ROUNDS)]
    times = [min(column) for column in zip(*rounds, strict=True)]
    return kinds[times.index(min(times))]


def _seconds(products: Sequence[Product], x: torch.Tensor) -> float:
    start = time.perf_counter()
    for product in products:
        product(x)
    return time.perf_counter() - start
