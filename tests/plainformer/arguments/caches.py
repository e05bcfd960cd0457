"""Rows for caches: their constructors, and attention that uses them."""

import torch

from plainformer.attention import attend_heads
from plainformer.cache import (
    ContiguousCache,
    Fp8Cache,
    Int8Cache,
    PackedPagedCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)
from plainformer.mask_rules import Rule
from plainformer.models import Config
from plainformer.models.caches import caches_for
from plainformer.positions import Alibi
from plainformer.scores import dot
from plainformer.sdpa import sdpa
from tests.plainformer.arguments.rows import Case, Other
from tests.plainformer.tensors import normal

META = torch.device("meta")
CONFIG = Config(vocabulary=11, d_model=8, n_layers=2, n_heads=2, context=32, window=6)
SIZES = {"batch": 1, "n_kv_heads": 2, "width": 4}
OTHER_SIZES = {
    "batch": 2,
    "n_kv_heads": 1,
    "width": 6,
    "value_width": 2,
    "value_in_key": True,
    "dtype": torch.bfloat16,
    "device": META,
}


def seen(cache):
    """Return the attributes of a cache, and the number of positions until it is full."""
    error = ""
    key = [t for t in vars(cache).values() if isinstance(t, torch.Tensor)]
    device = key[0].device if key else None
    if device == META:
        return device, cache.nbytes
    try:
        for i in range(40):
            b, g, d, e = getattr(cache, "sizes", (1, 2, 4, 4))
            x, y = (normal(b, g, 1, n, seed=i).to(device) for n in (d, e))
            cache.append(x, y)
    except ValueError as full:
        error = str(full)
    return cache.read(), cache.length, cache.nbytes, error


def made(kind):
    return lambda **arguments: seen(kind(**arguments))


def of_pool(**arguments):
    pool = PagePool(**arguments)
    errors, tables = "", [PageTable(pool)]
    caches = [PagedCache(pool, layer, tables) for layer in range(len(pool.layers))]
    g, d, e = pool.sizes
    for i in range(40):
        try:
            for cache in caches:
                cache.append(*(normal(1, g, 1, n, seed=i).to(arguments.get("device"))
                               for n in (d, e)))  # fmt: skip
        except ValueError as full:
            errors += str(full)
            break
    return [c.read() for c in caches], [c.nbytes for c in caches], errors, pool.free_pages


POOL = {"n_layers": 1, "n_pages": 4, "page_size": 3, "n_kv_heads": 2, "width": 4}
NEW = {"key": normal(1, 2, 3, 4, seed=8), "value": normal(1, 2, 3, 4, seed=9)}


def pool_of():
    return PagePool(**{**POOL, "n_layers": 2}, dtype=torch.float64)


def tabled(pages=0, length=0):
    pool = pool_of()
    table = PageTable(pool, pages=pool.allocate(pages), length=length)
    return table.pages, table.length, pool.free_pages


def paged(layer=0, sequences=1, foreign=False):
    pool = pool_of()
    tables = [PageTable(pool_of() if foreign else pool) for _ in range(sequences)]
    cache = PagedCache(pool, layer, tables)
    cache.append(*(x.expand(sequences, -1, -1, -1) for x in NEW.values()))
    return cache.read(), pool.layers


def packed(pool=False, layer=0, tables=2, segments=(1, 2)):
    ours = pool_of()
    cache = PackedPagedCache(
        pool_of() if pool else ours, layer, [PageTable(ours) for _ in range(tables)], segments
    )
    cache.append(*NEW.values())
    return cache.where(), cache.read(), ours.layers


KINDS = {
    "contiguous": ContiguousCache,
    "static": lambda: StaticCache(capacity=9, **SIZES, dtype=torch.float64),
    "sliding": lambda: SlidingCache(window=4, **SIZES, dtype=torch.float64),
    "int8": lambda: Int8Cache(capacity=9, **SIZES, dtype=torch.float64),
    "fp8": lambda: Fp8Cache(capacity=9, **SIZES, dtype=torch.float64),
    "paged": lambda: PagedCache(pool := pool_of(), 0, [PageTable(pool)]),
    "packed": lambda: PackedPagedCache(pool := pool_of(), 0, [PageTable(pool)], [3]),
}
HISTORY = normal(1, 2, 3, 4, seed=5), normal(1, 2, 3, 4, seed=6)
QUERY = normal(1, 2, 3, 4, seed=7)
ADDED = normal(1, 2, 3, 3, seed=8)


def attending(make):
    def result(**arguments):
        cache, asked = make(), []
        cache.append(*HISTORY)
        backend = arguments.pop("backend", attend_heads)

        def spy(*tensors, **more):
            asked.append(backend.__name__)
            return backend(*tensors, **more)

        return cache.attend(**arguments, backend=spy), asked

    return result


def attends(kind):
    packed = {"mask": Rule(window=2), "bias": Alibi(2)}
    written = {"mask": Rule(window=2).dense(3, 3), "bias": ADDED}
    return Case(
        ContiguousCache.attend,
        {"query": QUERY},
        {
            "query": 2 * QUERY,
            **(packed if kind == "packed" else written),
            "score": dot,
            "backend": sdpa,
        },
        attending(KINDS[kind]),
        name=f"attend of a cache that is {kind}",
    )


def for_config(**arguments):
    return [
        (type(cache).__name__, seen(cache), getattr(cache, "pool", None) and cache.pool.page_size)
        for cache in caches_for(**arguments)
    ]


CASES = [
    Case(StaticCache, {**SIZES, "capacity": 5}, {**OTHER_SIZES, "capacity": 6}, made(StaticCache)),
    Case(
        SlidingCache,
        {**SIZES, "window": 5},
        {**OTHER_SIZES, "window": 6, "sinks": 1, "slack": 2},
        made(SlidingCache),
    ),
    *(
        Case(
            kind.__init__,
            {**SIZES, "capacity": 5},
            {**OTHER_SIZES, "capacity": 6},
            made(kind),
            name=kind.__name__,
        )
        for kind in (Int8Cache, Fp8Cache)
    ),
    Case(
        PagePool,
        POOL,
        {
            **{name: other for name, other in OTHER_SIZES.items() if name != "batch"},
            "n_layers": 2,
            "n_pages": 5,
            "page_size": 2,
        },
        of_pool,
    ),
    Case(
        PageTable,
        {},
        {"pages": Other(1, refused="1 pages"), "length": Other(2, refused="length=2")},
        tabled,
        {"pool": "it counts in every row: pages are taken from it"},
    ),
    Case(
        PagedCache,
        {},
        {"pool": Other(True, "another pool"), "layer": 1, "tables": 2},
        lambda pool=False, layer=0, tables=1: paged(layer, tables, pool),
    ),
    Case(
        PackedPagedCache,
        {},
        {
            "pool": Other(True, "another pool"),
            "layer": 1,
            "tables": Other(3, "one table for each"),
            "segments": (2, 1),
        },
        packed,
    ),
    *(attends(kind) for kind in KINDS),
    Case(
        caches_for,
        {"config": CONFIG, "kind": "sliding", "batch": 1},
        {
            "config": Config(vocabulary=11, d_model=8, n_layers=1, n_heads=2, window=6),
            "kind": "contiguous",
            "batch": 2,
            "capacity": Other(9, beside={"kind": "static"}),
            "window": 5,
            "sinks": 1,
            "slack": 2,
            "page_size": Other(4, beside={"kind": "paged", "capacity": 8}),
            "dtype": torch.bfloat16,
            "device": META,
        },
        for_config,
    ),
]
