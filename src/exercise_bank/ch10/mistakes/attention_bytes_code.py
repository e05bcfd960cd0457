"""Wrong answers to 10.attention_bytes, in code."""

Counts = tuple[float, float, float]


def answered(flops: float, nbytes: float) -> Counts:
    return flops, nbytes, flops / nbytes


def arithmetic(q: int, k: int, d: int, e: int, h: int, b: int) -> int:
    return b * h * q * (2 * k * d + k + 5 * k - 2 + 2 * k * e)


def traffic(q: int, k: int, d: int, e: int, h: int, kv: int, b: int) -> int:
    return b * (h * q * (d + e) + kv * k * (d + e) + 6 * h * q * k)


def multiply_adds(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (k * d + k + 5 * k - 2 + k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def products_only(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def one_product(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 5 * k - 2)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def no_maximum(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 3 * k - 1 + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def full_sums(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 5 * k + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def one_full_sum(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) + b * h * q
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def two_off_once(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int, each: str = "batch"
) -> Counts:
    """Subtract two FLOPs from the softmax of a batch, a sequence or a head, instead of each row."""
    spared = {"batch": 1, "sequence": b, "head": b * h}[each]
    flops = arithmetic(q, k, d, e, h, b) + 2 * b * h * q - 2 * spared
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def scale_forgotten(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    scores = b * h * q * k
    flops = arithmetic(q, k, d, e, h, b) - scores
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b) - 2 * scores))


def fused(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = b * (h * q * (d + e) + kv * k * (d + e))
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def written_only(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 3 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def in_place(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 2 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def output_forgotten(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - b * h * q * e
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def keys_for_each_head(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, h, b)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def fewer_scores(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = arithmetic(q, k, d, e, kv, b)
    return answered(flops, itemsize * traffic(q, k, d, e, kv, kv, b))


def one_cache(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = b * (h * q * (d + e) + 6 * h * q * k) + kv * k * (d + e)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def values_as_wide(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, d, h, b)
    return answered(flops, itemsize * traffic(q, k, d, d, h, kv, b))


def always_float32(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    return answered(arithmetic(q, k, d, e, h, b), 4 * traffic(q, k, d, e, h, kv, b))


def in_bits(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    nbytes = itemsize * traffic(q, k, d, e, h, kv, b) / 8
    return answered(arithmetic(q, k, d, e, h, b), nbytes)


def numbers_not_bytes(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    return answered(arithmetic(q, k, d, e, h, b), traffic(q, k, d, e, h, kv, b))


def upside_down(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops, nbytes = arithmetic(q, k, d, e, h, b), itemsize * traffic(q, k, d, e, h, kv, b)
    return flops, nbytes, nbytes / flops


def per_number(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops, numbers = arithmetic(q, k, d, e, h, b), traffic(q, k, d, e, h, kv, b)
    return flops, itemsize * numbers, flops / numbers


def shorter_dot_products(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) - b * h * q * (k + e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def fewer_products(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = 2 * b * kv * q * k * (d + e) + b * h * q * (6 * k - 2)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def one_matrix(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 4 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def three_readings(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) + 2 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def mean_intensity(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops, nbytes, _ = answered(
        arithmetic(q, k, d, e, h, b), itemsize * traffic(q, k, d, e, h, kv, b)
    )
    n = h * q * k
    steps = (
        (2 * n * d, h * q * d + kv * k * d + n),
        (n, 2 * n),
        (h * q * (5 * k - 2), 2 * n),
        (2 * n * e, n + kv * k * e + h * q * e),
    )
    return flops, nbytes, sum(f / (itemsize * numbers) for f, numbers in steps) / len(steps)


def one_sequence(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = arithmetic(q, k, d, e, h, 1)
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, 1)))


def one_head(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = arithmetic(q, k, d, e, 1, b)
    return answered(flops, itemsize * (traffic(q, k, d, e, 1, kv, b)))


def maximum_for_nothing(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) - b * h * q * (k - 1)
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b)))


def no_subtraction(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) - b * h * q * k
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b)))


def softmax_at_once(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) - b * h * q * (4 * k - 2)
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b)))


def queries_not_read(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b)
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b) - b * h * q * d))


def widths_exchanged(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int, of: str = "values"
) -> Counts:
    """Give queries, keys, values or outputs the other width, in the bytes alone."""
    rows = b * h * q if of in ("queries", "outputs") else b * kv * k
    more = rows * (d - e if of in ("values", "outputs") else e - d)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * (traffic(q, k, d, e, h, kv, b) + more))


def three_parts(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    """Count exponentials, a sum and a division in a softmax, each for all numbers."""
    flops = b * h * q * (2 * k * d + k + 3 * k + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def queries_once_a_group(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    moved = traffic(q, k, d, e, h, kv, b) - b * (h - kv) * q * d
    return answered(arithmetic(q, k, d, e, h, b), itemsize * moved)


def softmax_reads_again(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    moved = traffic(q, k, d, e, h, kv, b) + b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * moved)


def read_only(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    moved = traffic(q, k, d, e, h, kv, b) - b * h * q * (3 * k + e)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * moved)


def values_not_read(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b)
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b) - b * kv * k * e))


def rounded(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops, nbytes = arithmetic(q, k, d, e, h, b), itemsize * traffic(q, k, d, e, h, kv, b)
    return flops, nbytes, round(flops / nbytes, 3)
