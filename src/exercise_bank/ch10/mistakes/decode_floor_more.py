"""More ways in which 10.decode_floor goes wrong, in one term each."""

from collections.abc import Sequence
from functools import partial

from exercise_bank.ch10.mistakes.decode_floor_code import Answer, advised
from exercise_bank.skills import saying


def slip(
    kind: str, weights: int, lengths: Sequence[int], layers: int, kv: int, d: int,
    bandwidth: float, seconds: float, target: float, weight_bits: int = 16, cache_bits: int = 16,
    window: int | None = None,
) -> Answer:  # fmt: skip
    """Count right except for one term."""
    held = list(lengths)
    if window is not None:
        held = [min(n, window) for n in lengths]
        if kind == "mean in the window":
            held = [min(sum(lengths), window * len(lengths))]
        if kind == "window if all are longer" and min(lengths, default=0) < window:
            held = list(lengths)
        if kind == "outside the window":
            held = [max(0, n - window) for n in lengths]
        if kind == "longer of the two":
            held = [max(n, window) for n in lengths]
    if kind == "one position less":
        held = [n - 1 for n in held]
    if kind == "one position less, from 0":
        held = [max(0, n - 1) for n in held]
    vectors = 2 * layers * (1 if kind == "one head" else kv) * sum(held)
    numbers = vectors * (1 if kind == "one number" else d)
    bits = numbers * (16 if kind == "caches of two bytes" else cache_bits)
    cache = bits if kind == "cache in bits" else bits / 8
    read = weights * (16 if kind == "weights of two bytes" else weight_bits)
    first = read if kind == "weights in bits" else read / 8
    return advised(first, cache, bandwidth, seconds, target)


said = saying(lambda kind: partial(slip, kind))

MORE = (
    said(
        "one-head",
        "one head",
        "A layer has one key/value head.",
        "Your cache does not depend on kv. Each of the kv heads has its own keys and values.",
        "How many keys does a layer with two key/value heads keep for one position?",
        "Multiply by kv.",
    ),
    said(
        "one-number",
        "one number",
        "A key is a number.",
        "Your cache does not depend on d. A key has d numbers, and so does a value.",
        "How many numbers has one key?",
        "Multiply by d.",
    ),
    said(
        "mean-in-the-window",
        "mean in the window",
        "All requests share the room of all windows.",
        "With a window you compare all positions together with as many windows as there are "
        "requests. A short request does not leave its unused room to a long one.",
        "Two requests have 1 and 9 positions, and the window is 5. How many are read?",
        "Take the smaller of length and window for each request, then add up.",
    ),
    said(
        "window-if-all-are-longer",
        "window if all are longer",
        "The window holds for a batch.",
        "Your window counts only if every request is longer than it. Each request has its own "
        "window.",
        "Two requests have 1 and 9 positions, and the window is 5. How many are read?",
        "Take the smaller of length and window for each request.",
    ),
    said(
        "outside-the-window",
        "outside the window",
        "A window takes positions away.",
        "With a window your requests read the positions outside of it. They read those inside: at "
        "most `window` for each request.",
        "A request has 9 positions, and the window is 4. How many are read?",
        "Take the smaller of length and window.",
    ),
    said(
        "longer-of-window-and-length",
        "longer of the two",
        "A request has at least a window.",
        "You take the larger of length and window. A request has no more positions than its "
        "length, and no query looks beyond the window.",
        "A request has 9 positions, and the window is 4. How many are read?",
        "Take the smaller of length and window.",
    ),
    said(
        "one-position-less",
        "one position less",
        "The newest position is not in the cache.",
        "You read one position too few for each request. `lengths` gives the number in the cache.",
        "What does a request with one position read?",
        "Use the lengths as they are.",
        variants=("one position less, from 0",),
    ),
    said(
        "weights-of-two-bytes",
        "weights of two bytes",
        "A weight takes two bytes.",
        "Your floor does not depend on weight_bits. Weights of 4 bits are read four times as fast "
        "as those of 16.",
        "How many bytes do 1000 weights of 4 bits take?",
        "A weight has weight_bits / 8 bytes.",
        kind="form",
    ),
    said(
        "caches-of-two-bytes",
        "caches of two bytes",
        "A cached number takes two bytes.",
        "Your floor does not depend on cache_bits. A cache of 8 bits is read twice as fast as one "
        "of 16.",
        "How many bytes do 1000 numbers of 8 bits take?",
        "A cached number has cache_bits / 8 bytes.",
        kind="form",
    ),
    said(
        "weights-in-bits",
        "weights in bits",
        "weight_bits are bytes.",
        "You count the bits of the weights as if they were bytes. A byte has eight bits.",
        "How many bytes does a weight of 16 bits take?",
        "Divide the bits of the weights by 8, as you do with the cache.",
    ),
    said(
        "cache-in-bits",
        "cache in bits",
        "cache_bits are bytes.",
        "You count the bits of the cache as if they were bytes. A byte has eight bits.",
        "How many bytes does a number of 16 bits take?",
        "Divide the bits of the cache by 8, as you do with the weights.",
    ),
)
