"""Wrong answers to 10.decode_floor, in code."""

from collections.abc import Sequence

Floor = tuple[float, float]


def kept(lengths: Sequence[int], window: int | None) -> int:
    return sum(n if window is None else min(n, window) for n in lengths)


def weights_for_each(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (len(lengths) * weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def keys_only(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def one_layer(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def no_cache(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    floor = weights * weight_bits / 8 / bandwidth
    return floor, floor / seconds


def newest_only(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * len(lengths) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def padded(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    longest = len(lengths) * kept([max(lengths)], window)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * longest * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def one_cache(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    longest = kept([max(lengths)], window)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * longest * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def for_each_reader(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth / len(lengths)
    return floor, floor / seconds


def in_bits(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits
    floor = (weights * weight_bits + cache) / bandwidth
    return floor, floor / seconds


def bits_of_weights(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    numbers = weights + 2 * layers * kv * d * kept(lengths, window)
    floor = numbers * weight_bits / 8 / bandwidth
    return floor, floor / seconds


def always_two_bytes(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    floor = 2 * (weights + 2 * layers * kv * d * kept(lengths, window)) / bandwidth
    return floor, floor / seconds


def one_window(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    shared = sum(lengths) if window is None else min(sum(lengths), window)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * shared * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def no_window(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * sum(lengths) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def always_full(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held = sum(lengths) if window is None else window * len(lengths)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * held * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def upside_down(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, seconds / floor


def rate(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    nbytes = weights * weight_bits / 8
    nbytes += 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    return nbytes / bandwidth, nbytes / seconds


def own_position_too(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held = kept([n + 1 for n in lengths], window)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * held * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def caches_alone(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    floor = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8 / bandwidth
    return floor, floor / seconds


def wider_window(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
    by: int = 1,
) -> Floor:  # fmt: skip
    held = kept(lengths, None if window is None else max(window + by, 0))
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * held * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def mean_length(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held = kept(lengths, window) / len(lengths)
    floor = (weights * weight_bits / 8 + 2 * layers * kv * d * held * cache_bits / 8) / bandwidth
    return floor, floor / seconds


def whole_bytes(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
    of: str = "both",
) -> Floor:  # fmt: skip
    each = cache_bits / 8 if of == "weights" else cache_bits // 8
    cache = 2 * layers * kv * d * kept(lengths, window) * each
    each = weight_bits / 8 if of == "cache" else weight_bits // 8
    floor = (weights * each + cache) / bandwidth
    return floor, floor / seconds


def at_least_a_byte(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
    of: str = "both",
) -> Floor:  # fmt: skip
    each = cache_bits / 8 if of == "weights" else -(-cache_bits // 8)
    cache = 2 * layers * kv * d * kept(lengths, window) * each
    each = weight_bits / 8 if of == "cache" else -(-weight_bits // 8)
    floor = (weights * each + cache) / bandwidth
    return floor, floor / seconds


def percent(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, 100 * floor / seconds


def never_above_one(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    cache = 2 * layers * kv * d * kept(lengths, window) * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, min(1.0, floor / seconds)


def weights_in_mbu(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held, cache = weights * weight_bits / 8, 2 * layers * kv * d * kept(lengths, window)
    read = cache * cache_bits / 8
    return (held + read) / bandwidth, held / bandwidth / seconds


def longer_of_two(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held, cache = weights * weight_bits / 8, 2 * layers * kv * d * kept(lengths, window)
    read = cache * cache_bits / 8
    floor = max(held, read) / bandwidth
    return floor, floor / seconds


def wasted_share(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held, cache = weights * weight_bits / 8, 2 * layers * kv * d * kept(lengths, window)
    read = cache * cache_bits / 8
    floor = (held + read) / bandwidth
    return floor, 1 - floor / seconds


def cache_written_too(
    weights: int, lengths: Sequence[int], layers: int, kv: int, d: int, bandwidth: float,
    seconds: float, weight_bits: int = 16, cache_bits: int = 16, window: int | None = None,
) -> Floor:  # fmt: skip
    held, cache = weights * weight_bits / 8, 2 * layers * kv * d * kept(lengths, window)
    read = cache * cache_bits / 8
    floor = (held + 2 * read) / bandwidth
    return floor, floor / seconds
