"""Make one cache for each layer of a model, from the name of a kind of cache."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from plainformer.cache import (
    ContiguousCache,
    Fp8Cache,
    Int8Cache,
    LayerCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)
from plainformer.models.config import Config
from plainformer.unknown_fields import check_known

Sizes = dict[str, Any]


def caches_for(
    config: Config,
    kind: str,
    *,
    batch: int,
    capacity: int | None = None,
    window: int | None = None,
    sinks: int = 0,
    slack: int = 0,
    page_size: int = 128,
    dtype: torch.dtype = torch.float32,
    device: torch.device | None = None,
) -> list[LayerCache]:
    """Make a cache for each layer of a model.

    Args:
        config: the model's configuration.
        kind: "contiguous", "static", "sliding", "paged", "int8" or "fp8".
        batch: sequences b.
        capacity: the largest number of positions; the model's context when left out.
        window: window of a sliding cache, in positions; the configuration's when left out.
        sinks: number of first positions that a sliding cache keeps.
        slack: number of latest positions that a sliding cache can always remove again.
        page_size: positions in a page.
        dtype: dtype of keys and values.
        device: device of keys and values.

    Raises:
        ValueError: the kind is unknown, a sliding cache has no window, or the configuration has a
            field that is not one of :class:`Config`.
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: expected one of {sorted(KINDS)}")
    check_known(config, Config, "caches_for")
    window = config.window if window is None else window
    sizes = {
        "batch": batch,
        "n_kv_heads": config.n_heads if config.n_kv_heads is None else config.n_kv_heads,
        "width": config.width_of_heads,
        "dtype": dtype,
        "device": device,
    }
    options = {
        "capacity": config.context if capacity is None else capacity,
        "window": window,
        "sinks": sinks,
        "slack": slack,
        "page_size": page_size,
    }
    return KINDS[kind](config.n_layers, sizes, options)


def _static(n_layers: int, sizes: Sizes, options: Sizes) -> list[LayerCache]:
    return [StaticCache(**sizes, capacity=options["capacity"]) for _ in range(n_layers)]


def _sliding(n_layers: int, sizes: Sizes, options: Sizes) -> list[LayerCache]:
    if options["window"] is None:
        raise ValueError("window=None: a sliding cache needs one, here or in the configuration")
    ring = {name: options[name] for name in ("window", "sinks", "slack")}
    return [SlidingCache(**sizes, **ring) for _ in range(n_layers)]


def _paged(n_layers: int, sizes: Sizes, options: Sizes) -> list[LayerCache]:
    batch, page_size = sizes["batch"], options["page_size"]
    pool = PagePool(
        n_layers=n_layers,
        n_pages=max(1, batch * -(-options["capacity"] // page_size)),
        page_size=page_size,
        **{name: size for name, size in sizes.items() if name != "batch"},
    )
    tables = [PageTable(pool) for _ in range(batch)]
    return [PagedCache(pool, layer, tables) for layer in range(n_layers)]


KINDS: Mapping[str, Callable[[int, Sizes, Sizes], list[LayerCache]]] = {
    "contiguous": lambda n, sizes, options: [ContiguousCache() for _ in range(n)],
    "static": _static,
    "sliding": _sliding,
    "paged": _paged,
    "int8": lambda n, s, o: [Int8Cache(**s, capacity=o["capacity"]) for _ in range(n)],
    "fp8": lambda n, s, o: [Fp8Cache(**s, capacity=o["capacity"]) for _ in range(n)],
}
