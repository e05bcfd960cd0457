"""Exercise 10.decode_floor: the shortest time of a decode step, and the share that was reached."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch10.mistakes.decode_floor import MISCONCEPTIONS
from exercise_bank.ch10.mistakes.decode_floor_more import MORE
from exercise_bank.ch10.parts import number, ratio
from exercise_bank.draws import some
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import COUNTED

Floor = tuple[float, float]


def server(g: Generator, lengths: Sequence[int], **more: Any) -> Inputs:
    """Draw a model and a machine on which neither weights nor caches are negligible."""
    layers, kv, d = some(g, 2, 39), some(g, 2, 8), 8 * some(g, 1, 16)
    cache = 2 * layers * kv * d * max(1, sum(lengths))
    return {
        "weights": cache * some(g, 2, 8) // 4,
        "lengths": list(lengths),
        "layers": layers,
        "kv": kv,
        "d": d,
        "bandwidth": 1e6 * some(g, 100, 3999),
        "seconds": 1e-3 * some(g, 500, 8999),
        **more,
    }


def small(lengths: Sequence[int], **more: Any) -> Inputs:
    """Make a model so small that its bytes can be counted by hand."""
    sizes: dict[str, Any] = {"weights": 100, "lengths": list(lengths), "layers": 1, "kv": 1, "d": 1}
    return {**sizes, "bandwidth": 100.0, "seconds": 8.0, **more}


def empty_caches(g: Generator) -> list[Inputs]:
    found = [small([0]), small([0, 0]), server(g, [0])]
    return [*found, server(g, [0] * some(g, 3, 19))]


def one_reader(g: Generator) -> list[Inputs]:
    found = [small([25]), small([1], weights=7, layers=3, kv=2, d=5)]
    return found + [server(g, [some(g, 1, 2999)]) for _ in range(3)]


def some_of_each(g: Generator) -> list[Inputs]:
    """Draw steps of all kinds, none of which took less than its floor."""
    return [*empty_caches(g), *one_reader(g), small([5, 20])]


def faster_too(g: Generator) -> list[Inputs]:
    """Draw such steps, and some that took less than their floor."""
    return [*some_of_each(g), small([25], seconds=2.0), small([5, 20], seconds=1.5)]


def several_readers(g: Generator) -> list[Inputs]:
    found = [small([5, 20]), small([25, 25]), small([10, 40]), small([40, 0, 7])]
    found.append(server(g, [some(g, 5, 899)] * some(g, 3, 19)))
    return found + [server(g, [some(g, 1, 899) for _ in range(n)]) for n in (4, 9)]


def weight_bits(g: Generator) -> list[Inputs]:
    found = [small([0], weight_bits=4), small([0, 0], weight_bits=32)]
    return [*found, server(g, [0], weight_bits=8)]


def cache_bits(g: Generator) -> list[Inputs]:
    found = [small([25], cache_bits=8), small([20, 30], weight_bits=8, cache_bits=4)]
    lengths = [some(g, 1, 899) for _ in range(3)]
    return [*found, server(g, lengths, weight_bits=4, cache_bits=8)]


def windows(g: Generator) -> list[Inputs]:
    found = [small([25], window=10), small([5, 30], window=10), small([4, 6, 50], window=64)]
    lengths = [some(g, 1, 899) for _ in range(6)]
    return [*found, server(g, lengths, window=300)]


def decode_floor(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Floor:
    """Return the least seconds of the step, and the MBU that a measured step has reached."""
    kept = sum(n if window is None else min(n, window) for n in lengths)
    cache = 2 * layers * kv * d * kept * cache_bits / 8
    floor = (weights * weight_bits / 8 + cache) / bandwidth
    return floor, floor / seconds


def reader_by_reader(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Floor:
    nbytes = weights * weight_bits / 8
    for length in lengths:
        for _ in range(layers):
            positions = length if window is None or length < window else window
            keys = values = kv * positions * d
            nbytes += (keys + values) * cache_bits / 8
    return nbytes / bandwidth, nbytes / seconds / bandwidth


def with_tensors(
    weights: int,
    lengths: Sequence[int],
    layers: int,
    kv: int,
    d: int,
    bandwidth: float,
    seconds: float,
    weight_bits: int = 16,
    cache_bits: int = 16,
    window: int | None = None,
) -> Floor:
    kept = torch.tensor(lengths, dtype=torch.float64)
    if window is not None:
        kept = kept.clamp(max=window)
    bits = weights * weight_bits + cache_bits * 2 * layers * kv * d * kept.sum().item()
    return bits / (8 * bandwidth), bits / (8 * bandwidth * seconds)


def right(inputs: Inputs) -> Floor:
    return decode_floor(**inputs)


def floor_of(inputs: Inputs, answer: Any) -> float:
    return float(answer[0])


def measured(inputs: Inputs, answer: Any) -> float:
    return float(inputs["seconds"])


FLOOR = number(right, 0, "floor in seconds")
MBU = ratio(floor_of, measured, 1, "MBU", "your floor over the time that was measured")


def in_any_unit(inputs: Inputs, answer: Any) -> str | None:
    """Say that the MBU is wrong, and would be as a percentage, too."""
    said = MBU(inputs, answer)
    if said is None or MBU(inputs, (answer[0], float(answer[1]) / 100)) is None:
        return None
    return said


def floor_rung(name: str, points: float, draw: Any, idea: str = "") -> Rung:
    """Make a requirement about the floor alone."""
    return Rung(name=name, points=points, draw=draw, law=FLOOR, compare=False, idea=idea)


TASK = Exercise(
    id="10.decode_floor",
    title="The floor of a decode step",
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
        Rung(
            name="MBU: the share of the bandwidth that was reached",
            points=1.75,
            idea="the share of the bandwidth",
            draw=some_of_each,
            law=in_any_unit,
            compare=False,
        ),
        Rung(
            name="MBU is 1 for all of the bandwidth, and above 1 for a step below its floor",
            points=0.25,
            draw=faster_too,
            law=MBU,
            compare=False,
        ),
        floor_rung("the cache of one request", 0.5, one_reader, "weights once, a cache for each"),
        floor_rung(
            "a cache for each request", 0.5, several_readers, "weights once, a cache for each"
        ),
        floor_rung("bits of weights", 0.25, weight_bits),
        floor_rung("bits of the cache", 0.25, cache_bits),
        floor_rung("a window for each request", 2.0, windows, "a window for each request"),
    ),
    precision=COUNTED,
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="request by request", answer=reader_by_reader),
        Alternative(name="with tensors, in bits", answer=with_tensors),
    ),
    hints=(
        "Which bytes does a step read once for all requests, and which for each request?",
        "For each position a cache keeps a key and a value, in every layer, for every key/value "
        "head. How many numbers of the cache does a request at position n keep?",
        "A request keeps min(n, window) positions. Add them up over the requests before you "
        "multiply; bits become bytes at the end.",
    ),
    equivalents={
        "decode_floor: line 2: n and window swapped in min(n, window)": "a minimum has no order",
    },
)
