"""Exercise 16.percentiles: percentiles of a record of token times, by nearest rank."""

import math
from itertools import pairwise
from typing import Any

from torch import Generator

from exercise_bank.ch16.mistakes.percentiles import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung

Record = list[tuple[float, list[float]]]
Four = tuple[float, float, float, float]
NAMES = ("time to the first token", "time per output token", "inter-token latency", "goodput")


def record_of(g: Generator, *lengths: int) -> Record:
    """Draw requests with answers of these lengths, all times in sixteenths; a few gaps are long."""
    record, arrived = [], some(g, 8, 24) / 16
    for length in lengths:
        at, times = arrived + some(g, 3, 60) / 16, []
        for _ in range(length):
            times.append(at)
            at += (some(g, 1, 9) if some(g, 0, 3) else some(g, 30, 60)) / 16
        record.append((arrived, times))
        arrived += some(g, 1, 40) / 16
    return record


def some_lengths(g: Generator, n: int, low: int = 2) -> list[int]:
    return [some(g, low, 5) for _ in range(n)]


def drawn(record: Record, percent: int = 50, ttft: float = 2.0, tpot: float = 1.0) -> Inputs:
    return {"record": record, "percent": percent, "ttft": ttft, "tpot": tpot}


EXAMPLE: Record = [(1.0, [2.0, 2.5, 4.0]), (3.0, [3.5]), (3.5, [4.5, 5.0, 5.5, 6.0])]


def middles(g: Generator) -> list[Inputs]:
    return [
        drawn([(1.0, [2.0, 2.5, 4.0]), (3.0, [3.5, 4.0]), (3.5, [4.5, 5.0])]),
        drawn(record_of(g, *some_lengths(g, 5))),
        drawn(record_of(g, *some_lengths(g, 7))),
    ]


def many_gaps(g: Generator) -> list[Inputs]:
    """Draw an odd number of gaps, long and short answers mixed."""
    return [
        drawn([(1.0, [2.0, 2.5, 4.0]), (2.5, [3.5, 7.0])]),
        drawn(record_of(g, 2, 6, 3, 2, 9)),
        drawn(record_of(g, 8, 2, 2, 4, 2, 2)),
    ]


def ranks(g: Generator) -> list[Inputs]:
    """Draw ranks that are whole and fractional, small and large."""
    return [
        drawn(record_of(g, 3, 2, 2, 4), 50),
        drawn(record_of(g, 2, 2, 3, 2, 2), 90),
        drawn(record_of(g, 2, 2, 2), 67),
        drawn(record_of(g, *[2] * 6, *some_lengths(g, 4)), 90),
        drawn(record_of(g, *[2] * 12, *some_lengths(g, 8)), 95),
        drawn(record_of(g, *some_lengths(g, 7)), 25),
        drawn(record_of(g, *some_lengths(g, 11)), 75),
        drawn(record_of(g, *some_lengths(g, 9)), 100),
        drawn(record_of(g, *some_lengths(g, 5)), 1),
        drawn(record_of(g, *some_lengths(g, 8)), 99),
    ]


def whole_ranks(g: Generator) -> list[Inputs]:
    """Draw ranks that are whole numbers, but not with per cents as decimals: 0.28 · 25."""
    return [drawn(record_of(g, *[2] * n), percent) for percent, n in ((67, 3), (28, 25), (56, 25))]


def limits(g: Generator) -> list[Inputs]:
    """Draw limits that no request meets exactly; the last of the list is answered last."""
    every = [
        drawn([(0.0, [1.0, 2.0]), (1.0, [3.5, 4.0])], 50, 2.25, 1.25),
        drawn([(1.0, [2.0, 2.5, 4.5]), (2.0, [2.5, 3.5]), (6.0, [6.5, 7.0])], 50, 2.25, 1.3),
    ]
    for n, ttft, tpot in ((7, 2.2, 3.1), (7, 4.4, 0.8), (9, 2.4, 1.3)):
        record = record_of(g, *some_lengths(g, n))
        arrived, times = record[-1]
        late = max(times[-1] for _, times in record) - times[-1]
        record[-1] = arrived + late, [at + late for at in times]
        every.append(drawn(record, 50, ttft, tpot))
    return every


def at_the_limits(g: Generator) -> list[Inputs]:
    """Draw requests that take exactly as long as a limit, and lists of which another ends last."""
    seven = record_of(g, 3, 5, 3, 2, 5, 3, 2)
    arrived, times = seven[some(g, 1, 5)]
    return [
        drawn(EXAMPLE, 50, ttft=1.0, tpot=0.5),
        drawn(EXAMPLE, 90, ttft=0.75, tpot=0.5),
        drawn([(0.0, [1.0, 2.0]), (1.0, [3.5, 4.0])]),
        drawn([(1.0, [3.0, 4.0]), (1.5, [4.0, 4.5]), (2.0, [3.0, 5.0]), (2.0, [2.5, 3.0, 4.5])]),
        drawn(seven, ttft=times[0] - arrived, tpot=3.0),
        drawn(seven, ttft=4.5, tpot=(times[-1] - times[0]) / (len(times) - 1)),
    ]


def single(g: Generator) -> list[Inputs]:
    """Draw answers of one token; no request takes exactly as long as a limit."""
    return [
        drawn(EXAMPLE, 50, ttft=1.1, tpot=0.6),
        drawn(EXAMPLE, 90, ttft=0.7, tpot=0.6),
        drawn([(1.0, [1.5])]),
        drawn([(1.0, [1.5]), (2.0, [3.0, 3.5]), (2.5, [4.0, 5.0, 5.5]), (3.0, [6.0])]),
        drawn(record_of(g, *[1] * some(g, 2, 5)), 90, ttft=2.2),
        drawn(record_of(g, 1, 4, 1, 3, 1, 2, 1), 75, ttft=2.2, tpot=0.55),
    ]


def percentiles(record: Record, percent: int, ttft: float, tpot: float) -> Four:
    """Return TTFT, TPOT and inter-token latency at this per cent, and the goodput."""

    def nearest(values: list[float]) -> float:
        if not values:
            return 0.0
        return sorted(values)[math.ceil(percent * len(values) / 100) - 1]

    each = [(times[0] - arrived, times[-1] - times[0], len(times) - 1) for arrived, times in record]
    waits = [wait for wait, _, _ in each]
    means = [span / count for _, span, count in each if count]
    gaps = [b - a for _, times in record for a, b in pairwise(times)]
    good = sum(wait <= ttft and span <= tpot * count for wait, span, count in each)
    return nearest(waits), nearest(means), nearest(gaps), good / max(t[-1] for _, t in record)


def by_counting(record: Record, percent: int, ttft: float, tpot: float) -> Four:
    def reached(values: list[float]) -> float:
        for value in sorted(values):
            if 100 * sum(other <= value for other in values) >= percent * len(values):
                return value
        return 0.0

    waits, means, gaps, good, end = [], [], [], 0, 0.0
    for arrived, times in record:
        own = [times[i + 1] - times[i] for i in range(len(times) - 1)]
        waits.append(times[0] - arrived)
        gaps += own
        mean = sum(own) / len(own) if own else 0.0
        if own:
            means.append(mean)
        if waits[-1] <= ttft and mean <= tpot:
            good += 1
        end = max(end, times[-1])
    return reached(waits), reached(means), reached(gaps), good / end


def with_numpy(record: Record, percent: int, ttft: float, tpot: float) -> Four:
    import numpy as np

    def at(values: Any) -> float:
        if len(values) == 0:
            return 0.0
        return float(np.sort(values)[-(-percent * len(values) // 100) - 1])

    waits = np.array([times[0] - arrived for arrived, times in record])
    means = np.array([np.diff(times).mean() if len(times) > 1 else 0.0 for _, times in record])
    long = np.array([len(times) > 1 for _, times in record])
    good = ((waits <= ttft) & (means <= tpot)).sum() / np.concatenate([t for _, t in record]).max()
    gaps = np.concatenate([np.diff(times) for _, times in record])
    return at(waits), at(means[long]), at(gaps), float(good)


def right(inputs: Inputs) -> Four:
    return percentiles(**inputs)


def rung(name: str, points: float, draw: Any, *only: int, idea: str = "") -> Rung:
    law: Law = parts(right, NAMES, *only)
    return Rung(name=name, points=points, draw=draw, law=law, compare=False, idea=idea)


LATENCIES, RANK, GOODPUT = "the definition of each latency", "the nearest rank", "goodput"

TASK = Exercise(
    id="16.percentiles",
    title="Reading a load test",
    level="medium",
    minutes=12,
    concepts=("throughput-and-latency",),
    reference=percentiles,
    rungs=(
        rung("the time to the first token", 0.5, middles, 0, idea=LATENCIES),
        rung(
            "the time per output token, one mean for each request",
            0.75,
            many_gaps,
            1,
            idea=LATENCIES,
        ),
        rung("the inter-token latency, all gaps in one pool", 0.75, many_gaps, 2, idea=LATENCIES),
        rung("percentiles of all three, by nearest rank", 1.0, ranks, 0, 1, 2, idea=RANK),
        rung("28 per cent of 25 values: the seventh", 0.25, whole_ranks, 0, 1, 2),
        rung("goodput: both limits are kept", 1.75, limits, 3, idea=GOODPUT),
        rung("goodput at the limit itself, whichever request ends last", 0.25, at_the_limits, 3),
        rung("answers of one token", 0.75, single, 1, 0, 3, 2),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by counting", answer=by_counting),
        Alternative(name="with NumPy", answer=with_numpy),
    ),
    hints=(
        "Write down the waits, the means and the gaps of the example. How many are there of each?",
        "A rank counts from 1, a list from 0. Of 10 values the 90th per cent is the ninth.",
        "Make three lists: one wait a request; one mean a request that has a gap; every gap. Sort, "
        "and take the value at the rank, rounded up. Goodput looks at each request once more.",
    ),
)
