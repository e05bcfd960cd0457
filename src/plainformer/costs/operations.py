"""Count arithmetic and traffic: a product of matrices, softmax, attention in steps and fused.

Conventions of this package:

- A FLOP is one floating-point operation. A multiply–add is 2 of them, so a product of (q, d) and
  (d, k) is 2·q·k·d. A comparison, a division and an ``exp`` are 1 each.
- Bytes are the minimum traffic between memory and processor: every input read once, every output
  written once. A cache that keeps an intermediate result reduces it, a poor kernel increases it.
"""

from dataclasses import dataclass

from plainformer.heads import check_divides


@dataclass(frozen=True)
class Count:
    """Arithmetic and traffic of an operation. Counts can be added, and multiplied by a number.

    Args:
        flops: floating-point operations, 2 for a multiply–add.
        nbytes: bytes read and written.

    Raises:
        ValueError: one of them is negative.

    >>> Count(8, 4) + 3 * Count(1, 2)
    Count(flops=11, nbytes=10)
    """

    flops: int = 0
    nbytes: int = 0

    def __post_init__(self) -> None:
        if self.flops < 0 or self.nbytes < 0:
            raise ValueError(f"flops={self.flops}, nbytes={self.nbytes}: expected 0 or more")

    def __add__(self, other: "Count") -> "Count":
        return Count(self.flops + other.flops, self.nbytes + other.nbytes)

    def __mul__(self, times: int) -> "Count":
        return Count(self.flops * times, self.nbytes * times)

    __rmul__ = __mul__

    @property
    def intensity(self) -> float:
        """Arithmetic intensity, in FLOPs per byte.

        Raises:
            ValueError: no bytes are moved.

        Ref: Williams et al. 2009, "Operational intensity".
        """
        if self.nbytes == 0:
            raise ValueError(f"{self}: nothing is moved, so there are no FLOPs per byte")
        return self.flops / self.nbytes


def matmul(rows: int, inner: int, columns: int, *, batch: int = 1, itemsize: int = 4) -> Count:
    """Count a product of matrices, (rows, inner) by (inner, columns).

    Each of its rows·columns numbers is a sum of ``inner`` products: 2·rows·inner·columns FLOPs.

    Args:
        rows: of the left matrix; positions, in a linear layer.
        inner: the axis that is summed over.
        columns: of the right matrix.
        batch: number of such products, each with its own matrices.
        itemsize: bytes of a number.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    >>> matmul(2, 3, 4)
    Count(flops=48, nbytes=104)
    """
    check_sizes(rows=rows, inner=inner, columns=columns, batch=batch, itemsize=itemsize)
    moved = rows * inner + inner * columns + rows * columns
    return batch * Count(2 * rows * inner * columns, moved * itemsize)


def softmax(rows: int, keys: int, *, itemsize: int = 4) -> Count:
    """Count a stable softmax in one kernel: each number is read once and written once.

    A row of k takes k − 1 comparisons, k subtractions, k exponentials, k − 1 additions and k
    divisions: 5·k − 2 FLOPs.

    Args:
        rows: number of rows.
        keys: numbers in a row, k.
        itemsize: bytes of a number.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    Ref: Milakov and Gimelshein 2018, algorithm 2 ("safe softmax").
    """
    check_sizes(rows=rows, keys=keys, itemsize=itemsize)
    return rows * Count(5 * keys - 2, 2 * keys * itemsize)


def visible_pairs(q: int, k: int, *, causal: bool = True, window: int | None = None) -> int:
    """Count the pairs of a query and a key that the mask allows.

    The q queries are the last of the k positions. A causal square has k·(k + 1) / 2 pairs.

    Args:
        q: number of queries.
        k: number of keys.
        causal: whether queries attend only to their own and to earlier positions.
        window: the largest number of positions for a causal query; all when left out.

    Raises:
        ValueError: a size is not a whole number of at least 1, or there is a window without
            ``causal``.

    >>> visible_pairs(4, 4), visible_pairs(1, 4), visible_pairs(4, 4, window=2)
    (10, 4, 7)
    """
    check_sizes(q=q, k=k)
    if not causal:
        if window is not None:
            raise ValueError(f"causal=False, window={window}: only causal windows are counted")
        return q * k
    if window is None:
        return _triangle(k) - _triangle(k - q)
    check_sizes(window=window)
    beyond = _triangle(k - window) - _triangle(k - q - window)
    return _triangle(k) - _triangle(k - q) - beyond


def attention_steps(
    q: int,
    k: int,
    d: int,
    e: int | None = None,
    *,
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
    itemsize: int = 4,
) -> dict[str, Count]:
    """Count attention with one kernel for each step, and every result in memory.

    A mask has no effect, because the masked scores are also computed.

    Args:
        q: number of queries.
        k: number of keys.
        d: width of queries and keys.
        e: width of values; as ``d`` when left out.
        heads: query heads h.
        kv_heads: key/value heads g; as ``heads`` when left out. A group reads its keys once.
        batch: sequences b.
        itemsize: bytes of a number.

    Returns:
        The counts of "scores", "scale", "softmax" and "average", in this order.

    Raises:
        ValueError: a size is not a whole number of at least 1, or g does not divide h.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 0.
    """
    e, g = _check_attention(q, k, d, e, heads, kv_heads, batch, itemsize)
    rows, products = heads // g * q, batch * g
    scores = batch * heads * q * k
    return {
        "scores": matmul(rows, d, k, batch=products, itemsize=itemsize),
        "scale": Count(scores, 2 * scores * itemsize),
        "softmax": softmax(batch * heads * q, k, itemsize=itemsize),
        "average": matmul(rows, k, e, batch=products, itemsize=itemsize),
    }


def fused_attention(
    q: int,
    k: int,
    d: int,
    e: int | None = None,
    *,
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
    causal: bool = False,
    window: int | None = None,
    itemsize: int = 4,
) -> Count:
    """Count attention at its best: only visible pairs are computed, and no score reaches memory.

    The bytes are the minimum for any kernel: queries, keys and values read once, the output written
    once. FlashAttention reads keys and values more often if they do not fit on the chip.

    Args:
        q: number of queries, the last of the k positions.
        k: number of keys.
        d: width of queries and keys.
        e: width of values; as ``d`` when left out.
        heads: query heads h.
        kv_heads: key/value heads g; as ``heads`` when left out.
        batch: sequences b.
        causal: whether queries attend only to their own and to earlier positions.
        window: the largest number of positions for a causal query.
        itemsize: bytes of a number.

    Raises:
        ValueError: a size is not a whole number of at least 1, g does not divide h, or there are
            more causal queries than keys.

    Ref: Dao et al. 2022 (FlashAttention), theorem 2 and proposition 3.
    """
    e, g = _check_attention(q, k, d, e, heads, kv_heads, batch, itemsize)
    if causal and q > k:
        raise ValueError(
            f"q={q}, k={k}: the first causal queries would see nothing; q is at most k"
        )
    pairs = visible_pairs(q, k, causal=causal, window=window)
    flops = heads * (pairs * (2 * (d + e) + 1 + 5) - 2 * q)
    moved = heads * q * (d + e) + g * k * (d + e)
    return batch * Count(flops, moved * itemsize)


def score_bytes(q: int, k: int, *, heads: int = 1, batch: int = 1, itemsize: int = 2) -> int:
    """Return the bytes of the matrix of scores, b·h·q·k numbers.

    Args:
        q: number of queries.
        k: number of keys.
        heads: query heads h.
        batch: sequences b.
        itemsize: bytes of a number; 2 in half precision.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    >>> score_bytes(131_072, 131_072) // 2**30
    32
    """
    check_sizes(q=q, k=k, heads=heads, batch=batch, itemsize=itemsize)
    return batch * heads * q * k * itemsize


def check_sizes(**sizes: int) -> None:
    """Refuse invalid sizes.

    Args:
        sizes: the sizes by name.

    Raises:
        ValueError: one is not a whole number, or below 1.
    """
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"{name}={size!r}: expected a whole number of at least 1")


def _triangle(n: int) -> int:
    return n * (n + 1) // 2 if n > 0 else 0


def _check_attention(
    q: int, k: int, d: int, e: int | None, heads: int, kv_heads: int | None, batch: int, size: int
) -> tuple[int, int]:
    """Refuse invalid sizes, and return the value width and the key/value heads."""
    e, g = d if e is None else e, heads if kv_heads is None else kv_heads
    check_sizes(q=q, k=k, d=d, e=e, heads=heads, kv_heads=g, batch=batch, itemsize=size)
    check_divides("heads", heads, "kv_heads", g)
    return e, g
