"""Answers to 10.critical_batch that round, or count something too much."""

import math
from collections.abc import Callable

from exercise_bank.ch10.mistakes.critical_batch_code import Limits, solved
from exercise_bank.skills import said


def _terms(
    weights: int, layers: int, h: int, kv: int, d: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int, cache_bytes: int,
) -> tuple[float, float, float, float]:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    return reading, linear, attention, 2 * layers * kv * d * cache_bytes / bandwidth


def _to_whole(x: float, way: Callable[[float], int] | None) -> float:
    return way(x) if way and math.isfinite(x) else x


def _rounding(
    batch: Callable[[float], int] | None, length: Callable[[float], int] | None
) -> Callable[..., Limits]:
    def rounded(
        weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
        bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
    ) -> Limits:  # fmt: skip
        terms = _terms(
            weights, layers, h, kv, d, new, peak, bandwidth, weight_bytes, cache_bytes
        )  # fmt: skip
        limits = solved(*terms, k)
        return _to_whole(limits[0], batch), _to_whole(limits[1], length)

    return rounded


rounded_down = _rounding(math.floor, math.floor)
length_rounded_down = _rounding(None, math.floor)
batch_rounded_up = _rounding(math.ceil, None)
length_rounded_up = _rounding(None, math.ceil)


def reading_in_the_length(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear, attention, cache = _terms(
        weights, layers, h, kv, d, new, peak, bandwidth, weight_bytes, cache_bytes
    )
    batch = solved(reading, linear, attention, cache, k)[0]
    return batch, (reading + linear) / (cache - attention) if cache > attention else math.inf


def batch_of_one_cache(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    """Read one cache for the whole batch, but find the right number of positions."""
    reading, linear, attention, cache = _terms(
        weights, layers, h, kv, d, new, peak, bandwidth, weight_bytes, cache_bytes
    )
    length = solved(reading, linear, attention, cache, k)[1]
    return (reading + k * cache) / (linear + k * attention), length


def machine_upside_down(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    terms = _terms(weights, layers, h, kv, d, new, bandwidth, peak, weight_bytes, cache_bytes)
    return solved(*terms, k)


def new_positions_too(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    terms = _terms(weights, layers, h, kv, d, new, peak, bandwidth, weight_bytes, cache_bytes)
    return solved(*terms, k + new)


def no_limit_without_a_cache(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    terms = _terms(weights, layers, h, kv, d, new, peak, bandwidth, weight_bytes, cache_bytes)
    batch, length = solved(*terms, k)
    return batch, length if k else math.inf


MORE = (
    said(
        "machine-upside-down",
        machine_upside_down,
        "A machine moves `peak` bytes in a second.",
        "You divide bytes by `peak` and FLOPs by `bandwidth`, or their quotient is upside down. "
        "A time is FLOPs over `peak`, or bytes over `bandwidth`.",
        "The machine gets twice the peak. Must its critical batch grow or shrink?",
        "More FLOPs per byte need more sequences: the batch grows with peak / bandwidth.",
    ),
)
