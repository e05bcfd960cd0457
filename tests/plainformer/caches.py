"""Small caches of every kind, for tests of their common laws."""

from collections.abc import Callable
from itertools import pairwise

import torch

from plainformer.cache import (
    ContiguousCache,
    LayerCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)

CAPACITY = 24


def sizes(b: int, g: int, d: int, e: int | None = None) -> dict:
    return {"batch": b, "n_kv_heads": g, "width": d, "value_width": e, "dtype": torch.float64}


def scattered_pages(b: int, g: int, d: int, e: int | None = None, **more) -> PagedCache:
    """Make a paged cache whose pages are not contiguous, because every second page is taken."""
    size = {"n_kv_heads": g, "width": d, "value_width": e, "dtype": torch.float64, **more}
    pool = PagePool(n_layers=1, n_pages=2 * max(b, 1) * (-(-CAPACITY // 3)), page_size=3, **size)
    pages = pool.allocate(pool.n_pages)
    pool.free(pages[::2])
    return PagedCache(pool, 0, [PageTable(pool) for _ in range(b)])


EXACT: dict[str, Callable[..., LayerCache]] = {
    "contiguous": lambda b, g, d, e=None: ContiguousCache(),
    "static": lambda b, g, d, e=None: StaticCache(capacity=CAPACITY, **sizes(b, g, d, e)),
    "wide window": lambda b, g, d, e=None: SlidingCache(window=CAPACITY, **sizes(b, g, d, e)),
    "paged": scattered_pages,
}


def chunks_of(total: int, cuts: list[int]) -> list[slice]:
    """Cut positions 0 to ``total`` into chunks at some places."""
    edges = sorted({0, total, *(cut % (total + 1) for cut in cuts)})
    return [slice(a, b) for a, b in pairwise(edges)]
