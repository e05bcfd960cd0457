"""Exercise 10.critical_batch: a formula for steps that check several new tokens at once."""

import math
from typing import Any

from torch import Generator

from exercise_bank.ch10.mistakes.critical_batch import MISCONCEPTIONS
from exercise_bank.ch10.parts import number
from exercise_bank.draws import some
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law
from plaincourse.exercise.precision import COUNTED

Limits = tuple[float, float]


def model(g: Generator, **more: Any) -> Inputs:
    """Draw a model and a machine; reading a cache takes longer than computing with it."""
    kv = some(g, 1, 4)
    sizes: dict[str, Any] = {
        "weights": 1000 * some(g, 100, 8999),
        "layers": some(g, 2, 8),
        "h": kv * some(g, 2, 4),
        "kv": kv,
        "d": some(g, 4, 32),
        "k": 0,
        "new": 1,
        "peak": 1e9 * some(g, 150, 399),
        "bandwidth": 1e9,
    }
    return {**sizes, **more}


def small(**more: Any) -> Inputs:
    """Make a model and a machine for which all numbers are powers of two."""
    sizes: dict[str, Any] = {"weights": 1024, "layers": 1, "h": 1, "kv": 1, "d": 8, "k": 0}
    return {**sizes, "new": 1, "peak": 2.0, "bandwidth": 1.0, **more}


def shown(**more: Any) -> Inputs:
    """Make the model and the machine of the example."""
    sizes: dict[str, Any] = {"weights": 1000, "layers": 1, "h": 2, "kv": 1, "d": 5}
    return {**sizes, "peak": 50.0, "bandwidth": 1.0, **more}


def up_to(share: float, inputs: Inputs) -> Inputs:
    """Set k to a share of the number of positions from which on there is no critical batch."""
    return {**inputs, "k": int(share * critical_batch(**inputs)[1])}


def no_cache(g: Generator) -> list[Inputs]:
    found = [small(), small(weight_bytes=4), small(peak=64.0, weight_bytes=1)]
    found.append(shown(k=0, new=1))
    return [*found, *(model(g, weight_bytes=size) for size in (2, 1, 4))]


def several_tokens(g: Generator) -> list[Inputs]:
    return [small(new=4), small(new=8, weight_bytes=1), model(g, new=some(g, 2, 8))]


def caches_of_all_heads(g: Generator) -> list[Inputs]:
    found = [small(k=32), small(k=8, cache_bytes=4), small(k=16, peak=4.0, layers=2)]
    for share, more in ((0.5, {"h": 2, "kv": 2}), (0.7, {"h": 3, "kv": 3, "new": 4})):
        found.append(up_to(share, model(g, **more)))
    return found


def with_caches(g: Generator) -> list[Inputs]:
    found = [
        small(k=32),
        small(k=8, cache_bytes=4),
        small(k=16, peak=4.0, layers=2, weight_bytes=4),
        shown(k=1, new=2),
    ]
    for share, more in (
        (0.5, {}),
        (0.8, {"cache_bytes": 1}),
        (0.7, {"new": 4, "cache_bytes": 4}),
        (0.6, {"new": 3, "weight_bytes": 1}),
        (0.9, {"cache_bytes": 1, "weight_bytes": 4}),
    ):
        found.append(up_to(share, model(g, **more)))
    wide = model(g, h=16, kv=1, new=16, k=some(g, 100, 8999))
    return [*found, wide]


def none_is_large_enough(g: Generator) -> list[Inputs]:
    found = [small(k=640), small(k=3), small(k=8000, weight_bytes=1)]
    found += [up_to(share, model(g, new=new)) for share, new in ((10, 1), (20, 3), (90, 2))]
    return [*found, up_to(0.1, model(g)), up_to(0.2, model(g, new=3))]


def equal_times(g: Generator) -> list[Inputs]:
    return [small(k=64), small(k=32, cache_bytes=3), small(h=2, k=7), small(cache_bytes=1)]


def longest(g: Generator) -> list[Inputs]:
    found = [small(), small(k=400, cache_bytes=4), small(k=5, layers=2, weight_bytes=1)]
    found.append(shown(k=1, new=2))
    found += [small(new=2, cache_bytes=8), small(h=2, kv=2, peak=8.0), small(h=2, peak=8.0)]
    for more in ({}, {"new": 3}, {"cache_bytes": 1, "new": 2}, {"cache_bytes": 4}):
        found.append(model(g, k=some(g, 1, 8999), **more))
    return found


def any_length(g: Generator) -> list[Inputs]:
    wide = {"h": 128, "kv": 1, "new": 16, "cache_bytes": 1}
    found = [small(h=64, k=7), small(cache_bytes=16), small(h=64, new=2)]
    return [*found, model(g, **wide), model(g, k=some(g, 1, 899), **wide), model(g)]


def critical_batch(
    weights: int,
    layers: int,
    h: int,
    kv: int,
    d: int,
    k: int,
    new: int,
    peak: float,
    bandwidth: float,
    weight_bytes: int = 2,
    cache_bytes: int = 2,
) -> Limits:
    """Return the critical batch, and the number of positions from which on there is none."""
    reading = weights * weight_bytes / bandwidth
    linear = 2 * weights * new / peak
    attention = 4 * layers * h * d * new / peak
    cache = 2 * layers * kv * d * cache_bytes / bandwidth
    gained = linear + k * (attention - cache)
    batch = reading / gained if gained > 0 else math.inf
    length = linear / (cache - attention) if cache > attention else math.inf
    return batch, length


def cross_multiplied(
    weights: int,
    layers: int,
    h: int,
    kv: int,
    d: int,
    k: int,
    new: int,
    peak: float,
    bandwidth: float,
    weight_bytes: int = 2,
    cache_bytes: int = 2,
) -> Limits:
    flops = new * (2 * weights + 4 * layers * h * d * k)
    cache = 2 * layers * kv * d * k * cache_bytes
    below = flops * bandwidth - cache * peak
    batch = math.inf if below <= 0 else weights * weight_bytes * peak / below
    ridge = peak / bandwidth
    below = layers * d * (kv * cache_bytes * ridge - 2 * h * new)
    return batch, math.inf if below <= 0 else weights * new / below


def through_two_points(
    weights: int,
    layers: int,
    h: int,
    kv: int,
    d: int,
    k: int,
    new: int,
    peak: float,
    bandwidth: float,
    weight_bytes: int = 2,
    cache_bytes: int = 2,
) -> Limits:
    def arithmetic_over_traffic(batch: int, positions: int) -> float:
        flops = batch * new * (2 * weights + 4 * layers * h * d * positions)
        numbers = batch * 2 * layers * kv * d * positions
        return flops / peak - (weights * weight_bytes + numbers * cache_bytes) / bandwidth

    def slope(positions: int) -> float:
        return arithmetic_over_traffic(1, positions) - arithmetic_over_traffic(0, positions)

    batch = -arithmetic_over_traffic(0, k) / slope(k) if slope(k) > 0 else math.inf
    steps = 2**20  # far apart, so that rounding has no effect
    fall = (slope(0) - slope(steps)) / steps
    return batch, slope(0) / fall if fall > 0 else math.inf


def in_fractions(
    weights: int,
    layers: int,
    h: int,
    kv: int,
    d: int,
    k: int,
    new: int,
    peak: float,
    bandwidth: float,
    weight_bytes: int = 2,
    cache_bytes: int = 2,
) -> Limits:
    from fractions import Fraction

    ridge = Fraction(peak) / Fraction(bandwidth)
    per_position = 2 * layers * d * (2 * h * new - kv * cache_bytes * ridge)
    gained = 2 * weights * new + k * per_position
    batch = float(weights * weight_bytes * ridge / gained) if gained > 0 else math.inf
    return batch, float(2 * weights * new / -per_position) if per_position < 0 else math.inf


def right(inputs: Inputs) -> Limits:
    return critical_batch(**inputs)


BATCH = number(right, 0, "critical batch")
WITH_CACHE = number(right, 0, "critical batch", times=False)
LENGTH = number(right, 1, "number of positions")


def endless(place: int, name: str) -> Law:
    """Make a law about whether there is a limit at all, whatever its size."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        got, wanted = float(answer[place]), right(inputs)[place]
        if wanted == math.inf and got != math.inf:
            return f"your {name} is {got:.4g}, and there is none: expected inf"
        if wanted < math.inf and not 0 < got < math.inf:
            return f"your {name} is {got:.4g}; expected a number above 0"
        return None

    return law


def both(inputs: Inputs, answer: Any) -> str | None:
    """Report an error in either."""
    return BATCH(inputs, answer) or LENGTH(inputs, answer)


BALANCE = "arithmetic takes as long as reading"

TASK = Exercise(
    id="10.critical_batch",
    title="Derive a critical batch",
    level="hard",
    minutes=20,
    concepts=("critical-batch",),
    reference=critical_batch,
    rungs=(
        rung("the batch, with nothing in the cache", 0.5, no_cache, BATCH, BALANCE),
        rung(
            "the batch, with several new tokens and nothing in the cache",
            1.0,
            several_tokens,
            BATCH,
            BALANCE,
        ),
        rung("attention and a cache, h equal to kv", 0.5, caches_of_all_heads, WITH_CACHE, BALANCE),
        rung("attention and a cache, any h and kv", 0.5, with_caches, WITH_CACHE, BALANCE),
        rung(
            "if no batch is large enough",
            1.0,
            none_is_large_enough,
            endless(0, "batch"),
            "a cache can outweigh any batch",
        ),
        rung(
            "the positions from which on there is none",
            1.5,
            longest,
            LENGTH,
            "a cache can outweigh any batch",
        ),
        rung("if a batch exists at any length", 0.5, any_length, endless(1, "number of positions")),
        rung("at the border: both times grow equally", 0.5, equal_times, both),
    ),
    precision=COUNTED,
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="cross-multiplied", answer=cross_multiplied),
        Alternative(name="a line through two points", answer=through_two_points),
        Alternative(name="in fractions", answer=in_fractions),
    ),
    hints=(
        "Write the FLOPs of a step and its bytes, with the batch b as a letter. Which of the two "
        "has a part without b?",
        "Divide by the peak and by the bandwidth, and set both times equal. Solve for b: when is "
        "the denominator positive?",
        "The denominator is a straight line in k: it begins with the FLOPs of the weights, and "
        "each position adds the time of its FLOPs less the time of its bytes. Where does it cross "
        "0, and when does it never?",
    ),
)
