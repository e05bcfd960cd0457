"""What the GPU programs of FlashAttention share. Only this file imports Triton.

Each program runs many times at once, and each run owns one tile of rows of one head. It walks over
the tiles of the other side that its rows can see, and keeps what it sums in registers: no score is
ever written to memory. Rows are padded with zeros from the head width d to ``width``, a power of
two, as the sides of tiles must be.

A rule is two numbers here: a query sees the keys from ``back`` places behind it to ``ahead``
places in front of it. Query i stands at position i + k − q.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import no_type_check  # Triton compiles these functions, Python does not run them

import triton  # type: ignore[import-untyped]
import triton.language as tl  # type: ignore[import-untyped]

jit = triton.jit
LOG2E = tl.constexpr(1.4426950408889634)

__all__ = ["LOG2E", "jit", "load", "load_sums", "scores", "store", "tl", "walk"]


@jit
@no_type_check
def load(base, strides, batch, head, start, length, d: tl.constexpr, rows: tl.constexpr,
         width: tl.constexpr, upcast: tl.constexpr):  # fmt: skip
    """Load a tile of rows of one head, zeros where there is nothing.

    Args:
        base: address of a tensor of (batches, heads, length, d).
        strides: how far apart its batches, heads and rows lie; columns lie side by side.
        batch: which of the batches.
        head: which of the heads.
        start: the first row.
        length: how many rows there are.
        d: how many columns there are.
        rows: how many rows to load.
        width: how many columns to load.
        upcast: whether to make float32 of them.
    """
    places, exist = _places(base, strides, batch, head, start, length, d, rows, width)
    tile = tl.load(places, mask=exist, other=0.0)
    return tile.to(tl.float32) if upcast else tile


@jit
@no_type_check
def store(base, strides, batch, head, start, length, tile, d: tl.constexpr, rows: tl.constexpr,
          width: tl.constexpr):  # fmt: skip
    """Store a tile of rows of one head, except where there is no place for it.

    Args:
        base: address of a tensor of (batches, heads, length, d).
        strides: how far apart its batches, heads and rows lie.
        batch: which of the batches.
        head: which of the heads.
        start: the first row.
        length: how many rows there are.
        tile: what to store, rounded to the dtype of the tensor.
        d: how many columns there are.
        rows: how many rows the tile has.
        width: how many columns the tile has.
    """
    places, exist = _places(base, strides, batch, head, start, length, d, rows, width)
    tl.store(places, tile.to(base.dtype.element_ty), mask=exist)


@jit
@no_type_check
def _places(base, strides, batch, head, start, length, d: tl.constexpr, rows: tl.constexpr,
            width: tl.constexpr):  # fmt: skip
    row = tl.arange(0, rows)[:, None]
    column = tl.arange(0, width)[None, :]
    # The way to the tile in 64 bits, for a long cache holds more than 2³¹ numbers; within it in 32.
    base += tl.cast(batch, tl.int64) * strides[0] + tl.cast(head, tl.int64) * strides[1]
    base += tl.cast(start, tl.int64) * strides[2]
    return base + row * strides[2] + column, (start + row < length) & (column < d)


@jit
@no_type_check
def load_sums(log_sums, deltas, first, start, q, rows: tl.constexpr):
    """Load what the backward pass knows of a tile of queries: one number each, twice.

    A query that does not exist, or sees nothing, has a log-sum of +∞: all its weights,
    2^(score − ∞), are 0.

    Args:
        log_sums: address of log₂ Σ 2^score of every query.
        deltas: address of output · gradient of every query.
        first: where the queries of this head begin there.
        start: the first query of the tile.
        q: how many queries there are.
        rows: how many to load.
    """
    row = start + tl.arange(0, rows)
    sums = tl.load(log_sums + first + row, mask=row < q, other=float("inf"))
    return sums, tl.load(deltas + first + row, mask=row < q, other=0.0)


@jit
@no_type_check
def walk(first, last, least, most, length, tile: tl.constexpr):
    """Say which places of the other side a tile must visit.

    Returns four numbers. From the second to the third, every place is seen by all of the tile, and
    no mask is needed. The first and the fourth bound the rest. All but the fourth begin a tile.

    Args:
        first: the first place of the tile.
        last: its last place.
        least: a place sees what lies at least so far from it (negative: behind it),
        most: and at most so far.
        length: how many places the other side has.
        tile: in how large steps it is visited.
    """
    start = tl.maximum(first + least, 0) // tile * tile
    end = tl.minimum(last + most + 1, length)
    whole_start = (tl.maximum(last + least, 0) + tile - 1) // tile * tile
    whole_end = tl.maximum(tl.minimum(first + most + 1, length), 0) // tile * tile
    # Where no step is wholly visible, the last of the three loops does it all, with a mask.
    whole = whole_start < whole_end
    whole_start = tl.where(whole, whole_start, start)
    return start, whole_start, tl.where(whole, whole_end, start), end


@jit
@no_type_check
def scores(products, query_at, key_at, k, scale, slope, back, ahead, sloped: tl.constexpr,
           masked: tl.constexpr):  # fmt: skip
    """Turn dot products into scores times log₂ e, −∞ where a query may not look.

    The hardware raises 2, not e, to a power, and 2^(x·log₂ e) = e^x.

    Args:
        products: a tile of dot products, with queries or keys as its rows.
        query_at: positions of its queries, as a column or a row.
        key_at: positions of its keys, as a row or a column.
        k: how many keys there are.
        scale: the factor of the dot products.
        slope: what a score loses for each step of distance (ALiBi).
        back: how many places a query sees behind it,
        ahead: and in front of it.
        sloped: whether there is a slope.
        masked: whether some of the tile may be invisible.
    """
    found = products * (scale * LOG2E)
    if sloped:
        found -= (slope * LOG2E) * tl.abs(query_at - key_at).to(tl.float32)
    if masked:
        seen = (key_at < k) & (key_at - query_at <= ahead) & (query_at - key_at <= back)
        found = tl.where(seen, found, float("-inf"))
    return found
