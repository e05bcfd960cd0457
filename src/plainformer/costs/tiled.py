"""Count the traffic of attention in tiles between a large memory and a small one.

The model has two memories, as in the FlashAttention papers: HBM, which holds the matrices, and the
chip, where a tile is computed. A level between them, such as a GPU's L2 cache, is ignored. Rows of
a matrix count ``itemsize`` bytes per number, including partial sums; the maximum, the total, the
log-sum-exp and D count 4.
"""

from typing import Literal, get_args

from plainformer.costs.operations import Count, check_sizes
from plainformer.mask_rules import Rule

Kept = Literal["queries", "keys"]
STATISTIC = 4  # bytes: float32, whatever the dtype of the matrices


def tiled_attention(
    q: int,
    k: int,
    d: int,
    e: int | None = None,
    *,
    height: int,
    width: int,
    rule: Rule | None = None,
    kept: Kept = "queries",
    itemsize: int = 2,
) -> Count:
    """Count one head's forward pass in tiles.

    With ``kept="queries"``, a block of queries stays on the chip while the keys and values are
    streamed, as in FlashAttention-2: each is read once for every block of queries that needs it.
    With "keys", a block of keys and values stays, as in FlashAttention-1: queries, outputs, maxima
    and totals are read for every block of keys, and the last three are written back.

    Args:
        q: number of queries, the last of the k positions.
        k: number of keys.
        d: width of queries and keys.
        e: width of values; as ``d`` when left out.
        height: queries in a tile.
        width: keys in a tile.
        rule: which keys a query may attend to; tiles that it hides entirely are skipped.
        kept: the blocks that stay on the chip while the others are streamed.
        itemsize: bytes of a number.

    Returns:
        The FLOPs of the two matrix products, in all visited tiles whole; and the bytes moved.

    Raises:
        ValueError: a size is not a whole number of at least 1, or ``kept`` is neither.

    Cost: one step for each tile.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1 and theorem 2; Dao 2023, algorithm 1.

    >>> tiled_attention(4, 4, 1, height=2, width=2).nbytes
    64
    """
    if kept not in get_args(Kept):
        raise ValueError(f"kept={kept!r}: expected one of {get_args(Kept)}")
    e = d if e is None else e
    check_sizes(d=d, e=e, itemsize=itemsize)
    seen = visited(q, k, height=height, width=width, rule=rule)
    flops = sum(2 * rows * columns * (d + e) for rows, columns in seen)
    if kept == "queries":
        numbers = q * (d + e) + sum(columns for _, columns in seen) * (d + e)
        statistics = q
    else:
        passes = sum(rows for rows, _ in seen)
        numbers = k * (d + e) + q * e + passes * (d + 2 * e)
        statistics = 2 * q + passes * 4
    return Count(flops, numbers * itemsize + statistics * STATISTIC)


def tiled_backward(
    q: int,
    k: int,
    d: int,
    e: int | None = None,
    *,
    height: int,
    width: int,
    rule: Rule | None = None,
    itemsize: int = 2,
) -> Count:
    """Count one head's backward pass in tiles: a block of keys stays, the queries are streamed.

    First D is computed from the output and its gradient. Then keys and values are read and their
    gradients written once; for every tile the queries and the output's gradient are read, and the
    gradient of the queries is read and written back.

    Args:
        q: number of queries, the last of the k positions.
        k: number of keys.
        d: width of queries and keys.
        e: width of values; as ``d`` when left out.
        height: queries in a tile.
        width: keys in a tile.
        rule: which keys a query may attend to; tiles that it hides entirely are skipped.
        itemsize: bytes of a number.

    Returns:
        The FLOPs of the five matrix products, in all visited tiles whole; and the bytes moved.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    Cost: one step for each tile.

    Ref: Dao 2023 (FlashAttention-2), algorithm 2.
    """
    e = d if e is None else e
    check_sizes(d=d, e=e, itemsize=itemsize)
    seen = visited(q, k, height=height, width=width, rule=rule)
    passes = sum(rows for rows, _ in seen)
    flops = sum(2 * rows * columns * (3 * d + 2 * e) for rows, columns in seen)
    numbers = 2 * q * e + 2 * k * (d + e) + q * d + passes * (3 * d + e)
    return Count(flops, numbers * itemsize + (q + 2 * passes) * STATISTIC)


def chip_numbers(
    height: int, width: int, d: int, e: int | None = None, *, backward: bool = False
) -> int:
    """Return how many numbers a tile needs on the chip at once.

    Forward: a block of queries and its sums, a block of keys and values, one tile of scores.
    Backward: the two blocks with all their gradients, and two tiles.

    Args:
        height: queries in a tile.
        width: keys in a tile.
        d: width of queries and keys.
        e: width of values; as ``d`` when left out.
        backward: whether it is the backward pass.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """
    e = d if e is None else e
    check_sizes(height=height, width=width, d=d, e=e)
    if backward:
        return height * (2 * d + e + 2) + 2 * width * (d + e) + 2 * height * width
    return (height + width) * (d + e) + 2 * height + height * width


def visited(
    q: int, k: int, *, height: int, width: int, rule: Rule | None = None
) -> list[tuple[int, int]]:
    """List the sizes of the tiles with visible keys: rows and columns of each.

    Args:
        q: number of queries, the last of the k positions.
        k: number of keys.
        height: queries in a tile; the last block may be smaller.
        width: keys in a tile; the last tile may be narrower.
        rule: which keys a query may attend to; all keys when left out.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    >>> len(visited(8, 8, height=2, width=2)), len(visited(8, 8, height=2, width=2, rule=Rule()))
    (16, 10)
    """
    check_sizes(q=q, k=k, height=height, width=width)
    found = []
    for i in range(0, q, height):
        rows = range(i, min(i + height, q))
        stands = range(rows.start + k - q, rows.stop + k - q)
        for j in range(0, k, width):
            columns = range(j, min(j + width, k))
            if rule is None or rule.sees(stands, columns) is not False:
                found.append((len(rows), len(columns)))
    return found
