"""Time contestants in turn, and quote the median of same-round ratios.

A machine's speed drifts, and another program may take half of it. Contestants that run in the same
round meet the same machine, so their ratio holds where their seconds do not.
"""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Contestant = Callable[[], object]


@dataclass(frozen=True)
class Times:
    """Seconds of each contestant, one for each round."""

    seconds: Mapping[str, list[float]]

    def ratio(self, name: str, peer: str) -> float:
        """Return the median over rounds of the seconds of ``name`` ÷ those of ``peer``."""
        pairs = zip(self.seconds[name], self.seconds[peer], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)

    def spread(self, name: str, peer: str) -> tuple[float, float]:
        """Return the quartiles of the same-round ratios."""
        pairs = zip(self.seconds[name], self.seconds[peer], strict=True)
        ratios = [a / b for a, b in pairs]
        if len(ratios) == 1:
            return ratios[0], ratios[0]
        low, _, high = statistics.quantiles(ratios, n=4)
        return low, high

    def median(self, name: str) -> float:
        """Return the median of the seconds of one call of ``name``."""
        return statistics.median(self.seconds[name])


def compare(
    contestants: Mapping[str, Contestant], *, rounds: int = 15, repeat: int = 1, warmup: int = 2
) -> Times:
    """Run every contestant once in each round, the order reversed from round to round.

    Args:
        contestants: what to time, by name.
        rounds: how many rounds are counted.
        repeat: how often a contestant is called in its turn; its seconds are divided by it.
        warmup: rounds that are not counted.

    Returns:
        The seconds of one call, for each contestant and round.
    """
    names = list(contestants)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    enabled = gc.isenabled()
    gc.disable()
    try:
        for turn in range(-warmup, rounds):
            for name in names if turn % 2 == 0 else reversed(names):
                call = contestants[name]
                start = time.perf_counter()
                for _ in range(repeat):
                    call()
                elapsed = (time.perf_counter() - start) / repeat
                if turn >= 0:
                    seconds[name].append(elapsed)
            gc.collect(0)
    finally:
        if enabled:
            gc.enable()
    return Times(seconds)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: what was measured, against whom, and the goal."""

    id: str
    work: str
    peer: str
    value: float | None  # None: the peer is not here
    unit: str
    goal: float | None  # None: reported without a goal
    better: Literal["lower", "higher"]
    note: str = ""
