"""Wrong answers to 04.layer_cost: the right one with one slip each, or with two."""

from collections.abc import Callable


def width_is_m_over_h(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    d = m // h
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def no_sharing(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * h * d
    projected = 2 * q * m * h * d + 2 * k * n * h * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * h * d


def memory_projected_for_all_heads(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * h * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def attends_g_times(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * kv * q * k * d, 2 * k * kv * d


def no_output_matrix(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = m * h * d + 2 * n * kv * d
    projected = q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def memory_as_wide_as_x(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * m * kv * d
    projected = 2 * q * m * h * d + 2 * k * m * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def scores_only(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + h * q * k * d, 2 * k * kv * d


def keys_only_cached(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, k * kv * d


def additions_too(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, 2 * (projected + 2 * h * q * k * d), 2 * k * kv * d


def everything_at_q(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * q * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def projections_only(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected, 2 * k * kv * d


def cache_of_all_heads(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, 2 * k * h * d


def cache_of_vectors(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, k * n


def square_scores(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * q * d
    return parameters, products, 2 * k * kv * d


def cache_of_one_position(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, 2 * kv * d


def cache_of_queries(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, 2 * q * kv * d


def one_head_attends(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * q * k * d
    return parameters, products, 2 * k * kv * d


def output_from_the_memory(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = m * h * d + 2 * n * kv * d + h * d * n
    products = q * m * h * d + 2 * k * n * kv * d + q * h * d * n + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def square_output(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = m * h * d + 2 * n * kv * d + m * m
    products = q * m * h * d + 2 * k * n * kv * d + q * m * m + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def output_of_the_heads(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = m * h * d + 2 * n * kv * d + (h * d) ** 2
    products = q * m * h * d + 2 * k * n * kv * d + q * (h * d) ** 2 + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def with_biases(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d + h * d + 2 * kv * d + m
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def in_another_order(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * k * kv * d
    products = 2 * m * h * d + 2 * n * kv * d
    return parameters, products, 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d


def parameters_for_each_head(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * d + 2 * n * d
    products = 2 * q * m * d + 2 * k * n * d + 2 * q * k * d
    return parameters, products, 2 * k * d


def output_at_k(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = q * m * h * d + 2 * k * n * kv * d + k * m * h * d + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def averages_of_one_head(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + h * q * k * d + q * k * d, 2 * k * kv * d


def queries_at_k(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    products = k * m * h * d + q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    return parameters, products, 2 * k * kv * d


def also(
    m: int,
    n: int,
    h: int,
    kv: int,
    d: int,
    q: int,
    k: int,
    counted: Callable[..., tuple[int, int, int]],
    cached: Callable[..., tuple[int, int, int]],
) -> tuple[int, int, int]:
    """Combine one wrong count with the cache of another."""
    sizes = {"m": m, "n": n, "h": h, "kv": kv, "d": d, "q": q, "k": k}
    parameters, products, _ = counted(**sizes)
    return parameters, products, cached(**sizes)[2]


def in_one_number(
    m: int,
    n: int,
    h: int,
    kv: int,
    d: int,
    q: int,
    k: int,
    counted: Callable[..., tuple[int, int, int]],
    place: int,
) -> tuple[int, int, int]:
    """Count one of the three numbers by a wrong formula, and the others by the right one."""
    products = 2 * q * m * h * d + 2 * k * n * kv * d + 2 * h * q * k * d
    right = [2 * m * h * d + 2 * n * kv * d, products, 2 * k * kv * d]
    right[place] = counted(m=m, n=n, h=h, kv=kv, d=d, q=q, k=k)[place]
    return right[0], right[1], right[2]
