r"""FlashAttention on a GPU: four programs in Triton. Only this file imports Triton.

Each program runs many times in parallel, and each run computes one tile of rows of one head. It
iterates over the tiles of the other side that are visible to its rows, with its sums in registers:
no score is ever written to memory. :mod:`plainformer.flash.gpu` launches them.

The forward pass stores one log-sum :math:`L` for each query. It determines the weights, and with
the gradient :math:`G` of the output

.. math:: A = 2^{S - L}, \quad \partial V = A^\top G, \quad
    \partial S = A \circ (G V^\top - \operatorname{rowsum}(G \circ O)), \quad
    \partial Q = \partial S\, K, \quad \partial K = \partial S^\top Q

up to the scale. A tile's sums are over queries for keys and values, and over keys for queries: one
program for each, so that no two write to the same place, and the result is the same every time.

The scores are computed again, and if their products are added in another order than in the forward
pass they differ in the last bit. So the relative error of a weight is :math:`\epsilon |S|`:
negligible at usual scores, and 0.4 % in float32 for a score of 40,000.

The arguments of the programs:

- tensors by the address of their first number: query, output and their gradients (b, h, q, d); key,
  value and theirs (b, g, k, d); slopes (h,), the decrease of a head's scores per step of distance
  (ALiBi); ``lse``, ``log_sums`` and ``deltas`` (b, h, q);
- ``strides``: for each of the large tensors, in the order of the arguments, the distances between
  its batches, heads and rows; columns are adjacent;
- ``sizes``: h, g, q, k; ``scale``: the factor of the dot products;
- ``back``, ``ahead``: a query attends to keys from ``back`` places before it to ``ahead`` places
  after it. That is the whole rule. Query i is at position i + k − q;
- ``d``: the head width; ``width``: d padded with zeros to a power of two, as required for tiles;
- ``q_tile``, ``k_tile``: queries and keys in a tile; ``sloped``: whether there are slopes;
  ``upcast``: whether to multiply in float32 numbers that are stored in fewer bits.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import no_type_check  # Triton compiles these functions, Python does not run them

import triton  # type: ignore[import-untyped]
import triton.language as tl  # type: ignore[import-untyped]

LOG2E = tl.constexpr(1.4426950408889634)

__all__ = ["backward_keys", "backward_queries", "forward_queries", "output_times_grad"]


@triton.jit
@no_type_check
def forward_queries(query, key, value, slopes, output, lse, log_sums, strides, sizes, scale, back,
                    ahead, d: tl.constexpr, width: tl.constexpr, q_tile: tl.constexpr,
                    k_tile: tl.constexpr, sloped: tl.constexpr, upcast: tl.constexpr):  # fmt: skip
    """Attend. One run computes one tile of queries of one head.

    The softmax is online: with each tile of keys the sums so far are multiplied by 2^(old largest
    score − new largest score). Reads ``query``, ``key``, ``value`` and, if ``sloped``, ``slopes``.
    Writes ``output``; ``lse``, its log-sum-exp; and ``log_sums``, the same in powers of two, but +∞
    for a fully masked query, for the backward pass. ``strides``, ``sizes``, ``scale``, ``back``,
    ``ahead``, ``d``, ``width``, ``q_tile``, ``k_tile``, ``sloped`` and ``upcast`` are described at
    the top of this file.

    Ref: Dao 2023, algorithm 1.
    """
    h, g, q, k = sizes
    head, batch = tl.program_id(1), tl.program_id(2)
    shared = head // (h // g)  # the key/value head of this query head
    # The last queries have the most keys. They begin first, so that no long run remains at the end.
    start = (tl.num_programs(0) - 1 - tl.program_id(0)) * q_tile
    first = start + k - q  # the position of the first query
    query_at = first + tl.arange(0, q_tile)
    queries = _load(query, strides[0], batch, head, start, q, d, q_tile, width, upcast)
    slope = tl.load(slopes + head) if sloped else 0.0

    largest = tl.full((q_tile,), float("-inf"), tl.float32)
    total = tl.zeros((q_tile,), tl.float32)
    weighted = tl.zeros((q_tile, width), tl.float32)
    stops = _walk(first, first + q_tile - 1, -back, ahead, k, k_tile)
    for part in tl.static_range(3):  # with a mask, without, with
        for here in range(stops[part], stops[part + 1], k_tile):
            keys = _load(key, strides[1], batch, shared, here, k, d, k_tile, width, upcast)
            products = tl.dot(queries, tl.trans(keys), input_precision="ieee")
            key_at = here + tl.arange(0, k_tile)
            found = _scores(products, query_at[:, None], key_at[None, :], k, scale, slope, back,
                           ahead, sloped, part != 1)  # fmt: skip
            larger = tl.maximum(largest, tl.max(found, 1))
            # −∞ − −∞ is not a number, so a query without visible keys so far subtracts 0.
            ground = tl.where(larger == float("-inf"), 0.0, larger)
            weights = tl.exp2(found - ground[:, None])
            alpha = tl.exp2(largest - ground)
            values = _load(value, strides[2], batch, shared, here, k, d, k_tile, width, upcast)
            weighted = tl.dot(weights.to(values.dtype), values, weighted * alpha[:, None],
                              input_precision="ieee")  # fmt: skip
            total = total * alpha + tl.sum(weights, 1)
            largest = larger

    nowhere = total == 0.0
    total = tl.where(nowhere, 1.0, total)
    weighted = weighted / total[:, None]
    _store(output, strides[3], batch, head, start, q, weighted, d, q_tile, width)
    log_sum = largest + tl.log2(total)  # −∞ + 0 for a fully masked query
    row = start + tl.arange(0, q_tile)
    place = (batch.to(tl.int64) * h + head) * q + row
    tl.store(lse + place, log_sum / LOG2E, mask=row < q)
    tl.store(log_sums + place, tl.where(nowhere, float("inf"), log_sum), mask=row < q)


@triton.jit
@no_type_check
def output_times_grad(output, grad, deltas, strides, sizes, d: tl.constexpr, width: tl.constexpr,
                      q_tile: tl.constexpr):  # fmt: skip
    """Sum output · gradient for each query: the common term of the gradients of its scores.

    Reads ``output`` and its gradient ``grad``; writes ``deltas``. ``strides``, ``sizes``, ``d``,
    ``width`` and ``q_tile`` are described at the top of this file.

    Ref: Dao 2023, algorithm 2, line 4.
    """
    h, _, q, _ = sizes
    head, batch, start = tl.program_id(1), tl.program_id(2), tl.program_id(0) * q_tile
    outputs = _load(output, strides[0], batch, head, start, q, d, q_tile, width, True)
    grads = _load(grad, strides[1], batch, head, start, q, d, q_tile, width, True)
    row = start + tl.arange(0, q_tile)
    place = (batch.to(tl.int64) * h + head) * q + row
    tl.store(deltas + place, tl.sum(outputs * grads, 1), mask=row < q)


@triton.jit
@no_type_check
def backward_queries(query, key, value, slopes, grad, log_sums, deltas, query_grad, strides, sizes,
                     scale, back, ahead, d: tl.constexpr, width: tl.constexpr,
                     q_tile: tl.constexpr, k_tile: tl.constexpr, sloped: tl.constexpr,
                     upcast: tl.constexpr):  # fmt: skip
    """Compute the gradient of a tile of queries: a sum over the keys that they attend to.

    Reads ``query``, ``key``, ``value``, ``slopes``, the output's gradient ``grad``, ``log_sums``
    from the forward pass and ``deltas``; writes ``query_grad``. ``strides``, ``sizes``, ``scale``,
    ``back``, ``ahead``, ``d``, ``width``, ``q_tile``, ``k_tile``, ``sloped`` and ``upcast`` are
    described at the top of this file.

    Ref: Dao 2023, algorithm 2, line 15.
    """
    h, g, q, k = sizes
    head, batch = tl.program_id(1), tl.program_id(2)
    shared = head // (h // g)
    start = (tl.num_programs(0) - 1 - tl.program_id(0)) * q_tile
    first = start + k - q
    query_at = first + tl.arange(0, q_tile)
    queries = _load(query, strides[0], batch, head, start, q, d, q_tile, width, upcast)
    grads = _load(grad, strides[3], batch, head, start, q, d, q_tile, width, upcast)
    sums_at = (batch.to(tl.int64) * h + head) * q
    sums, delta = _load_sums(log_sums, deltas, sums_at, start, q, q_tile)
    slope = tl.load(slopes + head) if sloped else 0.0

    total = tl.zeros((q_tile, width), tl.float32)
    stops = _walk(first, first + q_tile - 1, -back, ahead, k, k_tile)
    for part in tl.static_range(3):
        for here in range(stops[part], stops[part + 1], k_tile):
            keys = _load(key, strides[1], batch, shared, here, k, d, k_tile, width, upcast)
            values = _load(value, strides[2], batch, shared, here, k, d, k_tile, width, upcast)
            products = tl.dot(queries, tl.trans(keys), input_precision="ieee")
            key_at = here + tl.arange(0, k_tile)
            found = _scores(products, query_at[:, None], key_at[None, :], k, scale, slope, back,
                           ahead, sloped, part != 1)  # fmt: skip
            weights = tl.exp2(found - sums[:, None])
            weight_grads = tl.dot(grads, tl.trans(values), input_precision="ieee")
            score_grads = weights * (weight_grads - delta[:, None])
            total = tl.dot(score_grads.to(keys.dtype), keys, total, input_precision="ieee")
    _store(query_grad, strides[4], batch, head, start, q, total * scale, d, q_tile, width)


@triton.jit
@no_type_check
def backward_keys(query, key, value, slopes, grad, log_sums, deltas, key_grad, value_grad, strides,
                  sizes, scale, back, ahead, d: tl.constexpr, width: tl.constexpr,
                  q_tile: tl.constexpr, k_tile: tl.constexpr, sloped: tl.constexpr,
                  upcast: tl.constexpr):  # fmt: skip
    """Compute the gradients of a tile of keys and values: sums over the queries that use them.

    The tiles of scores are transposed, with keys as rows, so that they can be factors directly. The
    query heads that share this key/value head are processed in turn. Reads ``query``, ``key``,
    ``value``, ``slopes``, ``grad``, ``log_sums`` and ``deltas``; writes ``key_grad`` and
    ``value_grad``. ``strides``, ``sizes``, ``scale``, ``back``, ``ahead``, ``d``, ``width``,
    ``q_tile``, ``k_tile``, ``sloped`` and ``upcast`` are described at the top of this file.

    Ref: Dao 2023, algorithm 2, lines 6 to 18.
    """
    h, g, q, k = sizes
    start, shared, batch = tl.program_id(0) * k_tile, tl.program_id(1), tl.program_id(2)
    key_at = start + tl.arange(0, k_tile)
    keys = _load(key, strides[1], batch, shared, start, k, d, k_tile, width, upcast)
    values = _load(value, strides[2], batch, shared, start, k, d, k_tile, width, upcast)

    key_total = tl.zeros((k_tile, width), tl.float32)
    value_total = tl.zeros((k_tile, width), tl.float32)
    # Relative to a key, the queries are from ``ahead`` before it to ``back`` after it.
    # Query i is at i + k − q, so the range of i is shifted by k − q.
    stops = _walk(start - k + q, start + k_tile - 1 - k + q, -ahead, back, q, q_tile)
    for head in range(shared * (h // g), (shared + 1) * (h // g)):
        slope = tl.load(slopes + head) if sloped else 0.0
        sums_at = (batch.to(tl.int64) * h + head) * q
        for part in tl.static_range(3):
            for here in range(stops[part], stops[part + 1], q_tile):
                queries = _load(query, strides[0], batch, head, here, q, d, q_tile, width, upcast)
                grads = _load(grad, strides[3], batch, head, here, q, d, q_tile, width, upcast)
                sums, delta = _load_sums(log_sums, deltas, sums_at, here, q, q_tile)
                products = tl.dot(keys, tl.trans(queries), input_precision="ieee")
                query_at = here + k - q + tl.arange(0, q_tile)
                found = _scores(products, query_at[None, :], key_at[:, None], k, scale, slope,
                               back, ahead, sloped, part != 1)  # fmt: skip
                weights = tl.exp2(found - sums[None, :])
                value_total = tl.dot(weights.to(grads.dtype), grads, value_total,
                                     input_precision="ieee")  # fmt: skip
                weight_grads = tl.dot(values, tl.trans(grads), input_precision="ieee")
                score_grads = weights * (weight_grads - delta[None, :])
                key_total = tl.dot(score_grads.to(queries.dtype), queries, key_total,
                                   input_precision="ieee")  # fmt: skip
    _store(key_grad, strides[4], batch, shared, start, k, key_total * scale, d, k_tile, width)
    _store(value_grad, strides[5], batch, shared, start, k, value_total, d, k_tile, width)


@triton.jit
@no_type_check
def _load(base, strides, batch, head, start, length, d: tl.constexpr, rows: tl.constexpr,
          width: tl.constexpr, upcast: tl.constexpr):  # fmt: skip
    """Load a tile of rows of one head, with zeros beyond the ends."""
    places, exist = _places(base, strides, batch, head, start, length, d, rows, width)
    tile = tl.load(places, mask=exist, other=0.0)
    return tile.to(tl.float32) if upcast else tile


@triton.jit
@no_type_check
def _store(base, strides, batch, head, start, length, tile, d: tl.constexpr, rows: tl.constexpr,
           width: tl.constexpr):  # fmt: skip
    """Store a tile of rows of one head, except rows and columns beyond the ends."""
    places, exist = _places(base, strides, batch, head, start, length, d, rows, width)
    tl.store(places, tile.to(base.dtype.element_ty), mask=exist)


@triton.jit
@no_type_check
def _places(base, strides, batch, head, start, length, d: tl.constexpr, rows: tl.constexpr,
            width: tl.constexpr):  # fmt: skip
    row = tl.arange(0, rows)[:, None]
    column = tl.arange(0, width)[None, :]
    # The offset of the tile has 64 bits, as a long cache has over 2³¹ numbers; within it 32 bits.
    base += tl.cast(batch, tl.int64) * strides[0] + tl.cast(head, tl.int64) * strides[1]
    base += tl.cast(start, tl.int64) * strides[2]
    return base + row * strides[2] + column, (start + row < length) & (column < d)


@triton.jit
@no_type_check
def _load_sums(log_sums, deltas, first, start, q, rows: tl.constexpr):
    """Load the log-sums and deltas of a tile of queries.

    A query that does not exist, or is fully masked, has a log-sum of +∞: all its weights, 2^(score
    − ∞), are 0.
    """
    row = start + tl.arange(0, rows)
    sums = tl.load(log_sums + first + row, mask=row < q, other=float("inf"))
    return sums, tl.load(deltas + first + row, mask=row < q, other=0.0)


@triton.jit
@no_type_check
def _walk(first, last, least, most, length, tile: tl.constexpr):
    """Return the range of the other side, of ``length``, for a tile from ``first`` to ``last``.

    A place attends to places at least ``least`` from it (negative: before it) and at most ``most``.
    The range is four numbers. From the second to the third, every place is visible to all of the
    tile, and no mask is needed. The first and the fourth bound the rest. All but the fourth are
    multiples of ``tile``, the step of the loop.
    """
    start = tl.maximum(first + least, 0) // tile * tile
    end = tl.minimum(last + most + 1, length)
    whole_start = (tl.maximum(last + least, 0) + tile - 1) // tile * tile
    whole_end = tl.maximum(tl.minimum(first + most + 1, length), 0) // tile * tile
    # If no step is entirely visible, the last of the three loops does everything, with a mask.
    whole = whole_start < whole_end
    whole_start = tl.where(whole, whole_start, start)
    return start, whole_start, tl.where(whole, whole_end, start), end


@triton.jit
@no_type_check
def _scores(products, query_at, key_at, k, scale, slope, back, ahead, sloped: tl.constexpr,
            masked: tl.constexpr):  # fmt: skip
    """Convert dot products to scores times log₂ e, and masked ones to −∞.

    The hardware raises 2, not e, to a power, and 2^(x·log₂ e) = e^x.
    """
    found = products * (scale * LOG2E)
    if sloped:
        found -= (slope * LOG2E) * tl.abs(query_at - key_at).to(tl.float32)
    if masked:
        seen = (key_at < k) & (key_at - query_at <= ahead) & (query_at - key_at <= back)
        found = tl.where(seen, found, float("-inf"))
    return found
