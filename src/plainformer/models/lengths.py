"""Check that sequences fit the context, and that the caches of all layers agree on the length."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakSet

from plainformer.cache.base import LayerCache
from plainformer.models.config import Config

# Caches that hold positions of a failed call, which cannot be removed.
_spoilt: WeakSet[LayerCache] = WeakSet()


def check_length(length: int, config: Config) -> None:
    """Refuse sequences longer than the context.

    Args:
        length: number of positions, including those in caches.
        config: the model's configuration.

    Raises:
        ValueError: names the number of positions and the limit.
    """
    if length > config.context:
        raise ValueError(
            f"{length} positions do not fit the model's context of {config.context}: shorten the "
            f"prompt, generate fewer tokens{longer_context(config, length)}"
        )


def longer_context(config: Config, length: int) -> str:
    """Return advice on how to extend the context, for a message; empty for learned positions.

    Args:
        config: the model's configuration.
        length: number of positions needed.
    """
    if config.positions == "learned":
        return ""
    return (
        f", or let the model read on, with load(folder, context={length}) or "
        f"model.config = dataclasses.replace(model.config, context={length})"
    )


def check_caches(caches: Sequence[LayerCache] | None, layers: int) -> None:
    """Refuse a wrong number of caches, or caches of different lengths.

    Args:
        caches: the caches of one call, or None.
        layers: number of layers.

    Raises:
        ValueError: names the number of caches, or the length of each, or reports that a failed call
            left extra positions in them.
    """
    if caches is None:
        return
    if len(caches) != layers:
        raise ValueError(f"{len(caches)} caches for {layers} layers: expected one for each layer")
    lengths = [cache.length for cache in caches]
    if _spoilt and any(cache in _spoilt and cache.length for cache in caches):
        raise ValueError(
            "an error interrupted the pass that wrote into these caches, and what it wrote over "
            "cannot be brought back: make new ones, or truncate all to 0, and read the sequence "
            "again"
        )
    if len(set(lengths)) > 1:
        raise ValueError(
            f"the caches of {layers} layers hold {lengths} positions: expected equally many, as "
            f"each layer adds its own. Truncate all to at most {min(lengths)}, or make new ones"
        )


@contextmanager
def taken_back(*groups: Sequence[LayerCache] | None) -> Iterator[None]:
    """Remove the positions appended to caches if an error interrupts the block.

    A cache that cannot remove them, such as a sliding one, is marked, and :func:`check_caches` then
    refuses it.

    Args:
        *groups: caches of all layers; None for none.

    Cost: one check of each cache.
    """
    before = [(cache, cache.length) for caches in groups for cache in caches or ()]
    try:
        yield
    except BaseException:
        for cache, length in before:
            if cache.length > length:
                try:
                    cache.drop_last(cache.length - length)
                except ValueError:
                    _spoilt.add(cache)
        raise
    if _spoilt:
        _spoilt.difference_update([cache for cache, _ in before])
