"""C8: one step of a cache, one layer: append one token, and attend."""

from collections.abc import Callable

import torch

from benchmarks.harness import Row, compare
from plainformer.cache import (
    Fp8Cache,
    Int8Cache,
    LayerCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)
from plainformer.mask_rules import Rule
from plainformer.sdpa import sdpa

THREADS = 1
HEADS, WIDTH, LENGTH = 12, 64, 1024
REPEAT = 20


def measure(rounds: int) -> list[Row]:
    torch.manual_seed(0)
    with torch.inference_mode():
        return _measure(max(rounds, 15) * 4)


def _measure(rounds: int) -> list[Row]:
    room = {"batch": 1, "capacity": LENGTH + 64, "width": WIDTH}
    static = StaticCache(n_kv_heads=HEADS, **room)
    int8, fp8 = Int8Cache(n_kv_heads=HEADS, **room), Fp8Cache(n_kv_heads=HEADS, **room)
    contestants = {
        "static": step(static),
        "ring": step(ring(), length=LENGTH),
        "paged": step(paged(scattered=True)),
        "paged in a row": step(paged(scattered=False)),
        "groups": step(StaticCache(n_kv_heads=HEADS // 4, **room), heads=HEADS // 4),
        "int8": step(int8),
        "fp8": step(fp8),
    }
    times = compare(contestants, rounds=rounds, repeat=REPEAT)
    flat = compare(
        {"16k": step(ring(), length=16 * 1024), "1k": step(ring(), length=1024)},
        rounds=rounds,
        repeat=REPEAT,
    )

    def row(work: str, name: str, goal: float | None) -> Row:
        low, high = times.spread(name, "static")
        note = f"quartiles {low:.2f} to {high:.2f}; {times.median(name) * 1e6:.0f} µs"
        return Row(id="C8", work=work, peer="static slice, full heads",
                   value=times.ratio(name, "static"), unit="× its time", goal=goal,
                   better="lower", note=note)  # fmt: skip

    return [
        row("ring of 512 + 4 sinks, T=1024", "ring", 0.45),
        row("pages of 128, scattered, T=1024", "paged", 1.35),
        row("pages of 128, in a row, T=1024", "paged in a row", None),
        row("4 query heads to a key, T=1024", "groups", 0.22),
        row("INT8, T=1024", "int8", 2.0),
        row("FP8, T=1024", "fp8", None),
        Row(id="C8", work="INT8, bytes", peer="static, float32", value=int8.nbytes / static.nbytes,
            unit="× its bytes", goal=0.28, better="lower"),
        Row(id="C8", work="ring step at position 16k", peer="the same at 1k",
            value=flat.ratio("16k", "1k"), unit="× its time", goal=1.1, better="lower"),
    ]  # fmt: skip


def ring() -> LayerCache:
    return SlidingCache(batch=1, window=512, sinks=4, n_kv_heads=HEADS, width=WIDTH)


def paged(*, scattered: bool) -> LayerCache:
    """Make a paged cache; scattered, no two of its pages lie in a row."""
    pool = PagePool(n_layers=1, n_pages=20, page_size=128, n_kv_heads=HEADS, width=WIDTH)
    if scattered:
        pool.free(pool.allocate(20)[::2])
    return PagedCache(pool, 0, [PageTable(pool)])


def step(cache: LayerCache, *, heads: int = HEADS, length: int = LENGTH) -> Callable[[], object]:
    """Fill a cache up to ``length``, and return one step at its end that can be repeated."""
    for start in range(0, length - 1, 1024):
        n = min(1024, length - 1 - start)
        cache.append(torch.randn(1, heads, n, WIDTH), torch.randn(1, heads, n, WIDTH))
    key, value = torch.randn(1, heads, 1, WIDTH), torch.randn(1, heads, 1, WIDTH)
    query, rule = torch.randn(1, HEADS, 1, WIDTH), Rule()

    def run() -> object:
        cache.append(key, value)
        out = cache.attend(query, rule, backend=sdpa)
        if not isinstance(cache, SlidingCache):  # a ring goes on: it is as fast at any position
            cache.truncate(length - 1)
        return out

    return run
