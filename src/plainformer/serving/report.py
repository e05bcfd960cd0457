"""Give a server its requests as they arrive, and say in numbers how it did."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plainformer.serving.engine import Server
from plainformer.serving.scheduler import Request


@dataclass(frozen=True, kw_only=True)
class Served:
    """Say when one request came, began to be answered, and was done; in seconds.

    Args:
        arrived: when it came.
        first: when its first token was there.
        done: when its last token was there.
        tokens: how many tokens it got.
    """

    arrived: float
    first: float
    done: float
    tokens: int

    @property
    def to_first(self) -> float:
        """Seconds from arrival to the first token."""
        return self.first - self.arrived

    @property
    def each(self) -> float:
        """Seconds from one token to the next, on average; 0 for an answer of one token."""
        return (self.done - self.first) / (self.tokens - 1) if self.tokens > 1 else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least ``share`` of all values do not exceed.

    Args:
        values: at least one.
        share: from 0 to 1; 0.5 is the median.

    Raises:
        ValueError: there is no value, or the share is out of range.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    if not values or not 0 <= share <= 1:
        raise ValueError(f"{len(values)} values, share={share}: expected some, and 0 to 1")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


@dataclass(frozen=True, kw_only=True)
class Report:
    """Say how a server did: how much it answered, how fast, and how long each had to wait.

    Args:
        served: one entry for each request, in the order of their numbers.
        steps: how many steps were taken.
        seconds: from time 0 to the last token.
        busy: seconds of all steps; the rest the server had nothing to do.
        preemptions: how often a request lost its pages.
        reused: share of the prompts' positions found in the prefix cache.
    """

    served: list[Served]
    steps: int
    seconds: float
    busy: float
    preemptions: int
    reused: float

    @property
    def throughput(self) -> float:
        """New tokens a second."""
        return sum(one.tokens for one in self.served) / self.seconds

    def to_first(self, share: float) -> float:
        """Return the seconds to the first token that a ``share`` of the requests keep within."""
        return percentile([one.to_first for one in self.served], share)

    def each(self, share: float) -> float:
        """Return the seconds for each further token that a ``share`` of requests keep within."""
        return percentile([one.each for one in self.served if one.tokens > 1] or [0.0], share)

    def summary(self) -> dict[str, float]:
        """Return the numbers that :func:`table` shows, by their names."""
        return {
            "tokens a second": self.throughput,
            "seconds to the first token, median": self.to_first(0.5),
            "seconds to the first token, 95 %": self.to_first(0.95),
            "seconds for each further token, median": self.each(0.5),
            "seconds for each further token, 95 %": self.each(0.95),
            "seconds in all": self.seconds,
            "share of them busy": self.busy / self.seconds,
            "steps": self.steps,
            "preemptions": self.preemptions,
            "share of prompts found in the prefix cache": self.reused,
        }


def drive(server: Server, asked: Sequence[tuple[float, Request]]) -> Report:
    """Give a server its requests as they arrive, and keep the time.

    The clock moves by the seconds of each step, and jumps where the server is idle; so an engine
    that is driven need not wait for arrivals, and a simulator takes no time at all.

    Args:
        server: an engine or a simulator, with nothing to do yet.
        asked: when each request arrives, in seconds, in order; and the request.

    Raises:
        ValueError: nothing is asked, a request cannot be served, or the server is not idle.
    """
    if not asked or not server.idle:
        raise ValueError(f"{len(asked)} requests, idle={server.idle}: expected some, and idle")
    now, busy, steps, waiting = 0.0, 0.0, 0, list(reversed(asked))
    preempted = server.scheduler.preemptions
    arrived: dict[int, float] = {}
    first: dict[int, float] = {}
    done: dict[int, float] = {}
    while waiting or not server.idle:
        if server.idle:
            now = max(now, waiting[-1][0])
        while waiting and waiting[-1][0] <= now:
            at, request = waiting.pop()
            arrived[server.submit(request)] = at
        step = server.step()
        if step is None:
            continue
        now, busy, steps = now + step.seconds, busy + step.seconds, steps + 1
        for token in step.drawn:
            first.setdefault(token.number, now)
            done[token.number] = now
    answers = server.answers
    served = [
        Served(arrived=at, first=first[n], done=done[n], tokens=len(answers[n].tokens))
        for n, at in arrived.items()
        if n in first
    ]
    read = sum(len(request.prompt) for _, request in asked)
    return Report(
        served=served,
        steps=steps,
        seconds=now,
        busy=busy,
        preemptions=server.scheduler.preemptions - preempted,
        reused=sum(answers[n].reused for n in arrived) / read,
    )


def table(reports: Mapping[str, Report]) -> str:
    """Write reports side by side, one line for each number.

    Args:
        reports: by the name of their column.
    """
    columns = {name: report.summary() for name, report in reports.items()}
    lines = [f"{'':44}" + "".join(f"{name:>12}" for name in columns)]
    for what in next(iter(columns.values())):
        lines.append(f"{what:44}" + "".join(f"{column[what]:12.4g}" for column in columns.values()))
    return "\n".join(lines)
