"""Wrong answers to 10.decode_floor, in code: wrong bytes, or a wrong conclusion."""

from collections.abc import Callable, Sequence

Answer = tuple[float, str]
Bytes = tuple[float, float]


class Step:
    """The sizes of a decode step."""

    def __init__(
        self, weights: int, lengths: Sequence[int], layers: int, kv: int, d: int,
        weight_bits: int, cache_bits: int, window: int | None,
    ) -> None:  # fmt: skip
        self.weights, self.lengths, self.layers, self.kv, self.d = weights, lengths, layers, kv, d
        self.weight_bits, self.cache_bits, self.window = weight_bits, cache_bits, window

    def held(self) -> float:
        """Return the bytes of the weights."""
        return self.weights * self.weight_bits / 8

    def kept(self, lengths: Sequence[int] | None = None) -> int:
        """Return the number of kept positions, for these lengths or for those of the step."""
        all_of = self.lengths if lengths is None else lengths
        return sum(n if self.window is None else min(n, self.window) for n in all_of)

    def cached(self, positions: float) -> float:
        """Return the bytes of this many positions in the cache."""
        return 2 * self.layers * self.kv * self.d * positions * self.cache_bits / 8


def advised(held: float, cache: float, bandwidth: float, seconds: float, target: float) -> Answer:
    """Return the floor and the advice, for bytes that may be wrong."""
    floor = (held + cache) / bandwidth
    if seconds < floor:
        return floor, "recount"
    if seconds <= target:
        return floor, "done"
    if floor <= target:
        return floor, "program"
    return floor, "weights" if held >= cache else "caches"


def reads(
    count: Callable[[Step], Bytes], weights: int, lengths: Sequence[int], layers: int, kv: int,
    d: int, bandwidth: float, seconds: float, target: float, weight_bits: int = 16,
    cache_bits: int = 16, window: int | None = None,
) -> Answer:  # fmt: skip
    """Answer correctly except for the bytes."""
    step = Step(weights, lengths, layers, kv, d, weight_bits, cache_bits, window)
    return advised(*count(step), bandwidth, seconds, target)


def weights_for_each(step: Step) -> Bytes:
    return len(step.lengths) * step.held(), step.cached(step.kept())


def keys_only(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept()) / 2


def one_layer(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept()) / step.layers


def no_cache(step: Step) -> Bytes:
    return step.held(), 0


def caches_alone(step: Step) -> Bytes:
    return 0, step.cached(step.kept())


def newest_only(step: Step) -> Bytes:
    return step.held(), step.cached(len(step.lengths))


def padded(step: Step) -> Bytes:
    return step.held(), step.cached(len(step.lengths) * step.kept([max(step.lengths)]))


def one_cache(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept([max(step.lengths)]))


def mean_length(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept() / len(step.lengths))


def for_each_reader(step: Step) -> Bytes:
    n = len(step.lengths)
    return step.held() / n, step.cached(step.kept()) / n


def in_bits(step: Step) -> Bytes:
    return 8 * step.held(), 8 * step.cached(step.kept())


def bits_of_weights(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept()) * step.weight_bits / step.cache_bits


def always_two_bytes(step: Step) -> Bytes:
    return 2 * step.weights, step.cached(step.kept()) * 16 / step.cache_bits


def one_window(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept([sum(step.lengths)]))


def no_window(step: Step) -> Bytes:
    return step.held(), step.cached(sum(step.lengths))


def always_full(step: Step) -> Bytes:
    full = sum(step.lengths) if step.window is None else step.window * len(step.lengths)
    return step.held(), step.cached(full)


def wider_window(step: Step, by: int = 1) -> Bytes:
    if step.window is None:
        return step.held(), step.cached(step.kept())
    return step.held(), step.cached(sum(min(n, step.window + by) for n in step.lengths))


def own_position_too(step: Step) -> Bytes:
    return step.held(), step.cached(step.kept([n + 1 for n in step.lengths]))


def rounded(step: Step, up: bool, of: str = "both") -> Bytes:
    """Use whole bytes for each number, rounded up or down."""

    def size(bits: int, kind: str) -> float:
        if of not in (kind, "both"):
            return bits / 8
        return -(-bits // 8) if up else bits // 8

    numbers = step.cached(step.kept()) * 8 / step.cache_bits
    held = step.weights * size(step.weight_bits, "weights")
    return held, numbers * size(step.cache_bits, "cache")


def longer_of_two(step: Step) -> Bytes:
    held, cache = step.held(), step.cached(step.kept())
    return (held, 0) if held >= cache else (0, cache)


def cache_written_too(step: Step) -> Bytes:
    return step.held(), 2 * step.cached(step.kept())


def concludes(
    kind: str, weights: int, lengths: Sequence[int], layers: int, kv: int, d: int,
    bandwidth: float, seconds: float, target: float, weight_bits: int = 16, cache_bits: int = 16,
    window: int | None = None,
) -> Answer:  # fmt: skip
    """Count correctly, but draw a wrong conclusion."""
    step = Step(weights, lengths, layers, kv, d, weight_bits, cache_bits, window)
    held, cache = step.held(), step.cached(step.kept())
    floor, word = advised(held, cache, bandwidth, seconds, target)
    larger = "weights" if held >= cache else "caches"
    missed = "program" if floor <= target else larger
    slower = "done" if seconds <= target else missed
    found = {
        "never bytes": "program" if word in ("weights", "caches") else word,
        "never bytes above the floor": "program" if word == larger and floor < seconds else word,
        "numbers": word if word not in ("weights", "caches") else _by_numbers(step),
        "weights above the target": (
            word if word != larger else "weights" if held / bandwidth > target else "caches"
        ),
        "caches above the target": (
            word if word != larger else "caches" if cache / bandwidth > target else "weights"
        ),
        "recount at the floor": "recount" if seconds == floor else word,
        "never a program": larger if word == "program" else word,
        "backwards": {"program": larger, larger: "program"}.get(word, word),
        "always weights": "weights" if word == "caches" else word,
        "always caches": "caches" if word == "weights" else word,
        "smaller part": {"weights": "caches", "caches": "weights"}.get(word, word),
        "one request": word if word != "caches" else _against_one(step),
        "floor is the time": "done" if word in ("done", "program") else word,
        "half of the bandwidth": (
            word if word in ("recount", "done") else "program" if floor < seconds / 2 else larger
        ),
        "no recount": slower,
        "done first": "done" if seconds <= target else word,
        "floor at the target": larger if floor == target and word == "program" else word,
        "time at the target": missed if seconds == target and word == "done" else word,
        "caches at a tie": "caches" if word == "weights" and held == cache else word,
    }
    return floor, found[kind]


def whole_sums(step: Step) -> Bytes:
    return step.held() // 1, step.cached(step.kept()) // 1


def bits_of_the_cache(step: Step) -> Bytes:
    return step.weights * step.cache_bits / 8, step.cached(step.kept())


def _by_numbers(step: Step) -> str:
    """Compare the numbers of elements in weights and caches."""
    cached = 2 * step.layers * step.kv * step.d * step.kept()
    return "weights" if step.weights >= cached else "caches"


def _against_one(step: Step) -> str:
    """Compare the weights with the longest cache only."""
    longest = step.cached(step.kept([max(step.lengths)]))
    return "weights" if step.held() >= longest else "caches"
