"""The forward pass of FlashAttention on a GPU: one program."""
# mypy: disable-error-code="no-untyped-def"

from typing import no_type_check

from plainformer.flash.triton_parts import jit, load, scores, store, tl, walk


@jit
@no_type_check
def forward_queries(query, key, value, slopes, output, log_sums, strides, sizes, scale, back, ahead,
                    d: tl.constexpr, width: tl.constexpr, q_tile: tl.constexpr,
                    k_tile: tl.constexpr, sloped: tl.constexpr, upcast: tl.constexpr):  # fmt: skip
    """Attend. One run does one tile of queries of one head.

    The softmax is online: with each tile of keys the sums so far fade by 2^(old largest score −
    new largest score).

    Args:
        query: address of (b, h, q, d).
        key: address of (b, g, k, d).
        value: address of (b, g, k, d).
        slopes: address of (h,), where ``sloped``.
        output: address of (b, h, q, d); written.
        log_sums: address of (b, h, q); gets log₂ Σ 2^score, all that the backward pass needs.
        strides: those of query, key, value, output.
        sizes: h, g, q, k.
        scale: the factor of the dot products.
        back: how many places a query sees behind it,
        ahead: and in front of it.
        d: the head width.
        width: the head width, padded.
        q_tile: queries in a tile.
        k_tile: keys in a tile.
        sloped: whether scores fall with distance.
        upcast: whether to multiply in float32 what is stored in fewer bits.

    Ref: Dao 2023, algorithm 1.
    """
    h, g, q, k = sizes
    head, batch = tl.program_id(1), tl.program_id(2)
    shared = head // (h // g)  # the key/value head of this query head
    # The last queries see the most keys. They begin first, so that no long run is left at the end.
    start = (tl.num_programs(0) - 1 - tl.program_id(0)) * q_tile
    first = start + k - q  # the position of the first query
    query_at = first + tl.arange(0, q_tile)
    queries = load(query, strides[0], batch, head, start, q, d, q_tile, width, upcast)
    slope = tl.load(slopes + head) if sloped else 0.0

    largest = tl.full((q_tile,), float("-inf"), tl.float32)
    total = tl.zeros((q_tile,), tl.float32)
    mixed = tl.zeros((q_tile, width), tl.float32)
    stops = walk(first, first + q_tile - 1, -back, ahead, k, k_tile)
    for part in tl.static_range(3):  # with a mask, without, with
        for here in range(stops[part], stops[part + 1], k_tile):
            keys = load(key, strides[1], batch, shared, here, k, d, k_tile, width, upcast)
            products = tl.dot(queries, tl.trans(keys), input_precision="ieee")
            key_at = here + tl.arange(0, k_tile)
            found = scores(products, query_at[:, None], key_at[None, :], k, scale, slope, back,
                           ahead, sloped, part != 1)  # fmt: skip
            larger = tl.maximum(largest, tl.max(found, 1))
            # −∞ − −∞ is not a number: a query that has seen nothing yet subtracts 0.
            ground = tl.where(larger == float("-inf"), 0.0, larger)
            weights = tl.exp2(found - ground[:, None])
            fade = tl.exp2(largest - ground)
            values = load(value, strides[2], batch, shared, here, k, d, k_tile, width, upcast)
            mixed = tl.dot(weights.to(values.dtype), values, mixed * fade[:, None],
                           input_precision="ieee")  # fmt: skip
            total = total * fade + tl.sum(weights, 1)
            largest = larger

    nowhere = total == 0.0
    total = tl.where(nowhere, 1.0, total)
    mixed = mixed / total[:, None]
    store(output, strides[3], batch, head, start, q, mixed, d, q_tile, width)
    sums = tl.where(nowhere, float("inf"), largest + tl.log2(total))
    row = start + tl.arange(0, q_tile)
    tl.store(log_sums + (batch.to(tl.int64) * h + head) * q + row, sums, mask=row < q)
