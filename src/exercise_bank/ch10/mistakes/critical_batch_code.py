"""Wrong answers to 10.critical_batch, in code."""

import math

Limits = tuple[float, float]


def solved(reading: float, linear: float, attention: float, cache: float, k: int) -> Limits:
    """Solve for the batch and for the positions, given the costs of the weights and a position."""
    gained = linear + k * (attention - cache)
    batch = reading / gained if gained > 0 else math.inf
    return batch, linear / (cache - attention) if cache > attention else math.inf


def cache_forgotten(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 0.0
    return solved(reading, linear, attention, cache, k)


def attention_forgotten(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 0.0
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def one_product(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 2 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def multiply_adds(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, weights * new / peak
    attention = 2 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def keys_only(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def one_layer(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * h * d * new / peak
    cache = 2 * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def attention_of_one_layer(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, 4 * h * d * new / peak, cache, k)


def cache_of_one_layer(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    return solved(reading, linear, attention, 2 * kv * d * cache_bytes / bandwidth, k)


def cache_of_query_heads(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * h * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def scores_of_key_heads(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * kv * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def cache_for_each_token(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes * new / bandwidth
    return solved(reading, linear, attention, cache, k)


def one_token(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights / peak
    attention = 4 * layers * h * d / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def tokens_not_sequences(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return batch * new, length


def weights_of_two_bytes(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * 2 / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def cache_like_weights(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * weight_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def cache_like_weights_unguarded(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * weight_bytes / bandwidth
    gained = linear + k * (attention - cache)
    length = solved(reading, linear, attention, cache, k)[1]
    return reading / gained if gained else math.inf, length


def cache_helps(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, -cache, k)


def negative_batch(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    gained = linear + k * (attention - cache)
    length = solved(reading, linear, attention, cache, k)[1]
    return reading / gained if gained else math.inf, length


def negative_length(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch = solved(reading, linear, attention, cache, k)[0]
    return batch, linear / (cache - attention) if cache != attention else math.inf


def length_without_attention(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch = solved(reading, linear, attention, cache, k)[0]
    return batch, linear / cache


def positions_left(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return batch, length - k


def rounded_up(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    limits = solved(reading, linear, attention, cache, k)
    batch, length = (math.ceil(x) if math.isfinite(x) else x for x in limits)
    return batch, length


def attention_of_one_token(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def weights_for_one_token(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)


def cache_once(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return (reading + k * cache) / (linear + k * attention), math.inf


def batch_without_length(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return reading / linear, solved(reading, linear, attention, cache, k)[1]


def cache_like_the_weights(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)[0], reading / cache


def always_a_batch(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    return solved(reading, linear, attention, cache, k)[0], math.inf


def divided_by_zero(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = reading / (linear + k * (attention - cache)), linear / (cache - attention)
    return batch if batch > 0 else math.inf, length if length > 0 else math.inf


def swapped(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return length, batch


def zero_for_none(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return batch if batch < math.inf else 0.0, length if length < math.inf else 0.0


def nothing_for_none(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> tuple[float | None, float | None]:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return batch if batch < math.inf else None, length if length < math.inf else None


def absolute(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    gained, lost = linear + k * (attention - cache), cache - attention
    batch = abs(reading / gained) if gained else math.inf
    return batch, abs(linear / lost) if lost else math.inf


def upside_down(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return 1 / batch, length


def at_least_one(
    weights: int, layers: int, h: int, kv: int, d: int, k: int, new: int, peak: float,
    bandwidth: float, weight_bytes: int = 2, cache_bytes: int = 2,
) -> Limits:  # fmt: skip
    reading, linear = weights * weight_bytes / bandwidth, 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    batch, length = solved(reading, linear, attention, cache, k)
    return max(1.0, batch), length
