"""The matrix of combinations, with the reasons why some are not defined."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from plainformer.mask_rules import Rule

BACKENDS = ("plain", "SDPA", "online", "tiles", "Triton")
HEADS = ("MHA", "GQA", "MQA", "cross")
POSITIONS = ("none", "sinusoidal", "rotary", "ALiBi")
CACHES = ("contiguous", "static", "sliding", "paged", "INT8", "FP8")
GRADIENTS = "whole, gradients"
FEEDINGS = (
    "whole",
    GRADIENTS,
    *(f"{cache}, {how}" for cache in CACHES for how in ("steps", "chunks")),
)
MASKS = ("none", "causal", "window", "sinks", "prefix", "left", "right", "random")
DTYPES = ("float32", "bfloat16", "float16")

LOSSY = ("INT8", "FP8")
CHUNKS = (4, 1, 4)  # the first has the prefix; the last is longer than the window
N, WINDOW, SINKS, PREFIX = sum(CHUNKS), 3, 1, 2


@dataclass(frozen=True)
class Cell:
    """One combination."""

    backend: str
    heads: str
    positions: str
    feeding: str
    mask: str
    dtype: str

    @property
    def cache(self) -> str | None:
        """The cache for the keys, or None if all is computed at once."""
        return None if self.feeding.startswith("whole") else self.feeding.split(",")[0]

    @property
    def chunks(self) -> tuple[int, ...]:
        """The number of new positions in each call."""
        if self.cache is None:
            return (N,)
        return CHUNKS if self.feeding.endswith("chunks") else (1,) * N


def rule(mask: str) -> Rule | None:
    """Return the rule of a mask's name; None for "none" and for the random mask."""
    return {
        "causal": Rule(),
        "window": Rule(window=WINDOW),
        "sinks": Rule(window=WINDOW, sinks=SINKS),
        "prefix": Rule(prefix=PREFIX),
        "left": Rule(starts=_two(0, 3)),
        "right": Rule(lengths=_two(N, 6)),
    }.get(mask)


def undefined(cell: Cell) -> str | None:
    """Return why a combination is undefined or not supported, or None."""
    cross, cached = cell.heads == "cross", cell.cache is not None
    if cross and cell.positions == "ALiBi":
        return "distances between queries and a memory are undefined"
    if cross and cell.mask not in ("none", "right", "random"):
        return "a memory has no causal order"
    if cross and cell.cache == "sliding":
        return "a memory is always kept whole"
    if cached and not cross and cell.mask in ("none", "random"):
        return "a cached query cannot see later keys"
    if cached and cell.mask == "random":
        return "the mask covers all queries, but a step has only some"
    if cell.cache == "sliding" and cell.mask not in ("window", "sinks"):
        return "keys outside the window are no longer stored"
    if cached and cell.mask == "prefix" and cell.feeding.endswith("steps"):
        return "a prefix has to come in one step"
    return not_offered(cell)


def not_offered(cell: Cell) -> str | None:
    """Return why a back end does not support a combination, for which callers use another one."""
    if cell.backend == "Triton" and cell.mask not in ("none", "causal", "window"):
        return "the kernel does not support the mask"
    if cell.backend == "Triton" and cell.cache not in (None, "static"):
        return "the interpreter is slow, so only one cache is tested"
    return None


def cells() -> Iterator[Cell]:
    """Yield all combinations, defined or not."""
    axes = itertools.product(BACKENDS, HEADS, POSITIONS, FEEDINGS, MASKS, DTYPES)
    return (Cell(*choice) for choice in axes)


def _two(first: int, second: int):  # type: ignore[no-untyped-def]
    import torch

    return torch.tensor([first, second])
