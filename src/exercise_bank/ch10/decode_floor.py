"""Exercise 10.decode_floor: a decode step's floor, its consequences, and a change to make."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch10.mistakes.decode_floor import MISCONCEPTIONS
from exercise_bank.ch10.mistakes.decode_floor_advice import ADVICE
from exercise_bank.ch10.mistakes.decode_floor_more import MORE
from exercise_bank.ch10.parts import number
from exercise_bank.draws import some
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import COUNTED

Answer = tuple[float, str]
WORDS = ("recount", "done", "program", "weights", "caches")


def server(g: Generator, lengths: Sequence[int], quarters: int = 0, **more: Any) -> Inputs:
    """Draw a model and a machine; the weights' bytes are this many quarters of the caches'."""
    layers, kv, d = some(g, 2, 39), some(g, 2, 8), 8 * some(g, 1, 16)
    cache = 2 * layers * kv * d * max(1, sum(lengths))
    return {
        "weights": cache * (quarters or some(g, 2, 8)) // 4,
        "lengths": list(lengths),
        "layers": layers,
        "kv": kv,
        "d": d,
        "bandwidth": 1e6 * some(g, 100, 3999),
        "seconds": 1e-3 * some(g, 500, 8999),
        "target": 1e-3 * some(g, 500, 8999),
        **more,
    }


def small(lengths: Sequence[int], **more: Any) -> Inputs:
    """Make a model so small that its bytes can be counted by hand."""
    sizes: dict[str, Any] = {"weights": 100, "lengths": list(lengths), "layers": 1, "kv": 1, "d": 1}
    return {**sizes, "bandwidth": 100.0, "seconds": 8.0, "target": 4.0, **more}


def empty_caches(g: Generator) -> list[Inputs]:
    found = [small([0]), small([0, 0]), server(g, [0])]
    return [*found, server(g, [0] * some(g, 3, 19))]


def one_reader(g: Generator) -> list[Inputs]:
    found = [small([25]), small([1], weights=7, layers=3, kv=2, d=5)]
    return found + [server(g, [some(g, 1, 2999)]) for _ in range(3)]


def several_readers(g: Generator) -> list[Inputs]:
    found = [small([5, 20]), small([25, 25]), small([10, 40]), small([40, 0, 7])]
    found.append(server(g, [some(g, 5, 899)] * some(g, 3, 19)))
    return found + [server(g, [some(g, 1, 899) for _ in range(n)]) for n in (4, 9)]


def weight_bits(g: Generator) -> list[Inputs]:
    found = [small([0], weight_bits=4), small([0, 0], weight_bits=32)]
    found.append(small([0], weights=3, weight_bits=4))
    return [*found, server(g, [0], weight_bits=8)]


def cache_bits(g: Generator) -> list[Inputs]:
    found = [small([25], cache_bits=8), small([20, 30], weight_bits=8, cache_bits=4)]
    lengths = [some(g, 1, 899) for _ in range(3)]
    return [*found, server(g, lengths, weight_bits=4, cache_bits=8)]


def windows(g: Generator) -> list[Inputs]:
    found = [small([25], window=10), small([5, 30], window=10), small([4, 6, 50], window=64)]
    lengths = [some(g, 1, 899) for _ in range(6)]
    return [*found, server(g, lengths, window=300)]


def timed(inputs: Inputs, seconds: float, target: float) -> Inputs:
    """Set the time and the target of a step, as multiples of its floor."""
    floor = decode_floor(**inputs)[0]
    return {**inputs, "seconds": seconds * floor, "target": target * floor}


def decisions(g: Generator) -> list[Inputs]:
    """Draw steps that were slower than their floor, for each advice but one."""
    found = [small([5, 20]), small([5, 20], target=2.0), small([5, 20], target=8.5)]
    found += [small([30, 40], target=3.0), small([60, 1], target=3.0)]
    found.append(small([20, 25], seconds=4.5, target=4.2))
    for quarters in (2, 7):
        lengths = [some(g, 90, 899) for _ in range(some(g, 3, 9))]
        step = server(g, lengths, quarters)
        below, above = some(g, 50, 90) / 100, some(g, 110, 160) / 100
        found += [timed(step, 2.5, above), timed(step, 1.7, above), timed(step, 1.7, 2.5)]
        found += [timed(step, 2.5, below), timed(step, 1.2, below)]
    return found


def borders(g: Generator) -> list[Inputs]:
    """Draw steps that were faster than their floor, and ties."""
    found = [small([25], seconds=2.0), small([5, 20], seconds=2.5, target=2.0)]
    found += [small([5, 20], target=3.0), small([5, 20], seconds=4.0), small([10, 40], target=3.0)]
    found.append(small([5, 20], seconds=3.0, target=2.0))
    found += [small([5, 20], weight_bits=4, target=1.0), small([10, 30], weight_bits=4, target=1.0)]
    found.append(small([40, 20], weight_bits=64, seconds=12.0, target=5.0))
    step = server(g, [some(g, 90, 899) for _ in range(4)])
    return [*found, timed(step, 0.8, 0.6), timed(step, 0.8, 1.4)]


def decode_floor(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    target: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Answer:
    """Return the least seconds of the step, and a word of advice."""
    kept = sum(n if window is None else min(n, window) for n in lengths)
    cache = 2 * layers * kv * d * kept * cache_bits / 8
    held = weights * weight_bits / 8
    floor = (held + cache) / bandwidth
    if seconds < floor:
        return floor, "recount"
    if seconds <= target:
        return floor, "done"
    if floor <= target:
        return floor, "program"
    return floor, "weights" if held >= cache else "caches"


def reader_by_reader(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    target: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Answer:
    caches = 0.0
    for length in lengths:
        for _ in range(layers):
            positions = length if window is None or length < window else window
            keys = values = kv * positions * d
            caches += (keys + values) * cache_bits / 8
    least = (weights * weight_bits / 8 + caches) / bandwidth
    larger = "caches" if 8 * caches > weights * weight_bits else "weights"
    missed = "program" if target >= least else larger
    word = "done" if target >= seconds else missed
    return least, word if seconds >= least else "recount"


def with_tensors(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    target: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Answer:
    kept = torch.tensor(lengths, dtype=torch.float64)
    if window is not None:
        kept = kept.clamp(max=window)
    parts = [weights * weight_bits, cache_bits * 2 * layers * kv * d * kept.sum().item()]
    floor = sum(parts) / (8 * bandwidth)
    larger = ("weights", "caches")[parts.index(max(parts))]
    asked = (floor > seconds, target >= seconds, target >= floor, True)
    return floor, ("recount", "done", "program", larger)[asked.index(True)]


def right(inputs: Inputs) -> tuple[float, ...]:
    return (decode_floor(**inputs)[0], 0.0)


FLOOR = number(right, 0, "floor in seconds")


def advice(inputs: Inputs, answer: Any) -> str | None:
    """Report advice that differs from that of the right floor."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of two: the floor, and the advice"
    floor, word = decode_floor(**inputs)
    if answer[1] == word:
        return None
    shown = repr(answer[1]) if answer[1] in WORDS else "none of the five words"
    times = f"{inputs['seconds']:.4g} s, the target {inputs['target']:.4g} s"
    return f"the floor is {floor:.4g} s, the step took {times}: {word!r}; your advice is {shown}"


def both(inputs: Inputs, answer: Any) -> str | None:
    """Return the first mistake in floor and advice."""
    return FLOOR(inputs, answer) or advice(inputs, answer)


def floor_rung(name: str, points: float, draw: Any, idea: str = "") -> Rung:
    """Make a requirement about the floor alone."""
    return Rung(name=name, points=points, draw=draw, law=FLOOR, compare=False, idea=idea)


TASK = Exercise(
    id="10.decode_floor",
    title="A better program, or fewer bytes",
    level="medium",
    minutes=10,
    concepts=("decode-floor",),
    reference=decode_floor,
    rungs=(
        floor_rung(
            "empty caches: the weights are read once, however many requests",
            0.5,
            empty_caches,
            "weights once, a cache for each",
        ),
        floor_rung("the cache of one request", 0.25, one_reader, "weights once, a cache for each"),
        floor_rung(
            "a cache for each request", 0.5, several_readers, "weights once, a cache for each"
        ),
        floor_rung("bits of weights", 0.25, weight_bits),
        floor_rung("bits of the cache", 0.25, cache_bits),
        floor_rung("a window for each request", 2.0, windows, "a window for each request"),
        Rung(
            name="advice: what the floor rules out",
            points=2.0,
            idea="what the floor rules out",
            draw=decisions,
            law=advice,
            compare=False,
        ),
        Rung(
            name="advice for a step below its floor, for ties, and for numbers of other bits",
            points=0.25,
            draw=borders,
            law=both,
            compare=False,
        ),
    ),
    precision=COUNTED,
    misconceptions=(*MISCONCEPTIONS, *MORE, *ADVICE),
    alternatives=(
        Alternative(name="request by request", answer=reader_by_reader),
        Alternative(name="with tensors, in bits", answer=with_tensors),
    ),
    hints=(
        "Which bytes does a step read once for all requests, and which for each request? And which "
        "of the three times (measured, target, floor) can a better program change?",
        "For each position a cache keeps a key and a value, in every layer, for every key/value "
        "head. How many numbers of the cache does a request at position n keep?",
        "A request keeps n positions, but no more than the window. For the advice, ask in this"
        " order: is the time below the floor, is it at most the target, is the floor at most "
        "the target?",
    ),
    equivalents={
        "decode_floor: line 2: n and window swapped in min(n, window)": "a minimum has no order",
    },
)
