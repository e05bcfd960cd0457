r"""The backward pass of FlashAttention on a GPU: three programs.

Nothing of size q·k was kept. The log-sums :math:`L` of the forward pass give the weights back, and
with the gradient :math:`G` of the output

.. math:: A = 2^{S - L}, \quad \partial V = A^\top G, \quad
    \partial S = A \circ (G V^\top - \operatorname{rowsum}(G \circ O)), \quad
    \partial Q = \partial S\, K, \quad \partial K = \partial S^\top Q

up to the scale. A tile's sums run over queries for keys and values, and over keys for queries: one
program for each, so that no two write to the same place, and the result is the same every time.

The scores are computed once more, and where their products are added in another order than in the
forward pass they differ in their last bit. So a weight is off by the share :math:`\epsilon |S|`:
nothing at usual scores, and 0.4 % in float32 where a score is 40,000.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import no_type_check

from plainformer.flash.triton_parts import jit, load, load_sums, scores, store, tl, walk


@jit
@no_type_check
def output_times_grad(output, grad, deltas, strides, sizes, d: tl.constexpr, width: tl.constexpr,
                      q_tile: tl.constexpr):  # fmt: skip
    """Sum output · gradient for each query: what the gradients of its scores have in common.

    Args:
        output: address of (b, h, q, d).
        grad: address of the output's gradient.
        deltas: address of (b, h, q); written.
        strides: those of output and grad.
        sizes: h, g, q, k.
        d: the head width.
        width: the head width, padded.
        q_tile: queries in a tile.

    Ref: Dao 2023, algorithm 2, line 4.
    """
    h, _, q, _ = sizes
    head, batch, start = tl.program_id(1), tl.program_id(2), tl.program_id(0) * q_tile
    outputs = load(output, strides[0], batch, head, start, q, d, q_tile, width, True)
    grads = load(grad, strides[1], batch, head, start, q, d, q_tile, width, True)
    row = start + tl.arange(0, q_tile)
    place = (batch.to(tl.int64) * h + head) * q + row
    tl.store(deltas + place, tl.sum(outputs * grads, 1), mask=row < q)


@jit
@no_type_check
def backward_queries(query, key, value, slopes, grad, log_sums, deltas, query_grad, strides, sizes,
                     scale, back, ahead, d: tl.constexpr, width: tl.constexpr,
                     q_tile: tl.constexpr, k_tile: tl.constexpr, sloped: tl.constexpr,
                     upcast: tl.constexpr):  # fmt: skip
    """Find the gradient of a tile of queries: a sum over the keys that they see.

    Args:
        query: address of (b, h, q, d).
        key: address of (b, g, k, d).
        value: address of (b, g, k, d).
        slopes: address of (h,), where ``sloped``.
        grad: address of the output's gradient.
        log_sums: address of (b, h, q), from ``forward_queries``.
        deltas: address of (b, h, q), from ``output_times_grad``.
        query_grad: address of the result.
        strides: those of query, key, value, grad, query_grad.
        sizes: h, g, q, k.
        scale: the factor of the dot products.
        back: how many places a query sees behind it,
        ahead: and in front of it.
        d: the head width.
        width: the head width, padded.
        q_tile: queries in a tile.
        k_tile: keys in a tile.
        sloped: whether scores fall with distance.
        upcast: whether to multiply in float32.

    Ref: Dao 2023, algorithm 2, line 15.
    """
    h, g, q, k = sizes
    head, batch = tl.program_id(1), tl.program_id(2)
    shared = head // (h // g)
    start = (tl.num_programs(0) - 1 - tl.program_id(0)) * q_tile
    first = start + k - q
    query_at = first + tl.arange(0, q_tile)
    queries = load(query, strides[0], batch, head, start, q, d, q_tile, width, upcast)
    grads = load(grad, strides[3], batch, head, start, q, d, q_tile, width, upcast)
    sums, delta = load_sums(log_sums, deltas, (batch.to(tl.int64) * h + head) * q, start, q, q_tile)
    slope = tl.load(slopes + head) if sloped else 0.0

    total = tl.zeros((q_tile, width), tl.float32)
    stops = walk(first, first + q_tile - 1, -back, ahead, k, k_tile)
    for part in tl.static_range(3):
        for here in range(stops[part], stops[part + 1], k_tile):
            keys = load(key, strides[1], batch, shared, here, k, d, k_tile, width, upcast)
            values = load(value, strides[2], batch, shared, here, k, d, k_tile, width, upcast)
            products = tl.dot(queries, tl.trans(keys), input_precision="ieee")
            key_at = here + tl.arange(0, k_tile)
            found = scores(products, query_at[:, None], key_at[None, :], k, scale, slope, back,
                           ahead, sloped, part != 1)  # fmt: skip
            weights = tl.exp2(found - sums[:, None])
            weight_grads = tl.dot(grads, tl.trans(values), input_precision="ieee")
            score_grads = weights * (weight_grads - delta[:, None])
            total = tl.dot(score_grads.to(keys.dtype), keys, total, input_precision="ieee")
    store(query_grad, strides[4], batch, head, start, q, total * scale, d, q_tile, width)


@jit
@no_type_check
def backward_keys(query, key, value, slopes, grad, log_sums, deltas, key_grad, value_grad, strides,
                  sizes, scale, back, ahead, d: tl.constexpr, width: tl.constexpr,
                  q_tile: tl.constexpr, k_tile: tl.constexpr, sloped: tl.constexpr,
                  upcast: tl.constexpr):  # fmt: skip
    """Find the gradients of a tile of keys and values: sums over the queries that see them.

    The tiles of scores lie on their side, keys as rows, so that they are factors as they are. The
    query heads that share this key/value head come one after another.

    Args:
        query: address of (b, h, q, d).
        key: address of (b, g, k, d).
        value: address of (b, g, k, d).
        slopes: address of (h,), where ``sloped``.
        grad: address of the output's gradient.
        log_sums: address of (b, h, q), from ``forward_queries``.
        deltas: address of (b, h, q), from ``output_times_grad``.
        key_grad: address of one result,
        value_grad: and of the other.
        strides: those of query, key, value, grad, key_grad, value_grad.
        sizes: h, g, q, k.
        scale: the factor of the dot products.
        back: how many places a query sees behind it,
        ahead: and in front of it.
        d: the head width.
        width: the head width, padded.
        q_tile: queries in a tile.
        k_tile: keys in a tile.
        sloped: whether scores fall with distance.
        upcast: whether to multiply in float32.

    Ref: Dao 2023, algorithm 2, lines 6 to 18.
    """
    h, g, q, k = sizes
    start, shared, batch = tl.program_id(0) * k_tile, tl.program_id(1), tl.program_id(2)
    key_at = start + tl.arange(0, k_tile)
    keys = load(key, strides[1], batch, shared, start, k, d, k_tile, width, upcast)
    values = load(value, strides[2], batch, shared, start, k, d, k_tile, width, upcast)

    key_total = tl.zeros((k_tile, width), tl.float32)
    value_total = tl.zeros((k_tile, width), tl.float32)
    # Seen from a key, the queries stand from ``ahead`` behind it to ``back`` in front of it.
    # Query i stands at i + k − q, so the walk over i is shifted by k − q.
    stops = walk(start - k + q, start + k_tile - 1 - k + q, -ahead, back, q, q_tile)
    for head in range(shared * (h // g), (shared + 1) * (h // g)):
        slope = tl.load(slopes + head) if sloped else 0.0
        sums_at = (batch.to(tl.int64) * h + head) * q
        for part in tl.static_range(3):
            for here in range(stops[part], stops[part + 1], q_tile):
                queries = load(query, strides[0], batch, head, here, q, d, q_tile, width, upcast)
                grads = load(grad, strides[3], batch, head, here, q, d, q_tile, width, upcast)
                sums, delta = load_sums(log_sums, deltas, sums_at, here, q, q_tile)
                products = tl.dot(keys, tl.trans(queries), input_precision="ieee")
                query_at = here + k - q + tl.arange(0, q_tile)
                found = scores(products, query_at[None, :], key_at[:, None], k, scale, slope,
                               back, ahead, sloped, part != 1)  # fmt: skip
                weights = tl.exp2(found - sums[None, :])
                value_total = tl.dot(weights.to(grads.dtype), grads, value_total,
                                     input_precision="ieee")  # fmt: skip
                weight_grads = tl.dot(values, tl.trans(grads), input_precision="ieee")
                score_grads = weights * (weight_grads - delta[None, :])
                key_total = tl.dot(score_grads.to(queries.dtype), queries, key_total,
                                   input_precision="ieee")  # fmt: skip
    store(key_grad, strides[4], batch, shared, start, k, key_total * scale, d, k_tile, width)
    store(value_grad, strides[5], batch, shared, start, k, value_total, d, k_tile, width)
