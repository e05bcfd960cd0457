"""Send requests to a server as they arrive, measure its times, and check its bookkeeping.

The measures have the field's names: TTFT, the time to the first token; TPOT, the time per output
token after it, one mean for each request; ITL, the inter-token latency, one gap at a time, with the
gaps of all requests in one pool. They are reported as percentiles, because a mean hides the longest
waits.
"""

import itertools
import math
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from plainformer.serving.scheduler import Request
from plainformer.serving.server import Server, Step


@dataclass(frozen=True, kw_only=True)
class Served:
    """The time at which a request arrived, and the times of its tokens; in seconds.

    Args:
        arrived: time of arrival.
        times: time of each token, in order; at least one.
    """

    arrived: float
    times: Sequence[float]

    @property
    def ttft(self) -> float:
        """Seconds from arrival to the first token."""
        return self.times[0] - self.arrived

    @property
    def tpot(self) -> float:
        """Seconds from one token to the next, on average; 0 for an answer of one token."""
        gaps = len(self.times) - 1
        return (self.times[-1] - self.times[0]) / gaps if gaps else 0.0

    @property
    def latency(self) -> float:
        """Seconds from arrival to the last token."""
        return self.times[-1] - self.arrived


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
    """The performance of a server: requests answered, throughput, and waiting times.

    Args:
        served: one entry for each request that got a token, in the order of their numbers.
        failed: number of requests that ended without a token.
        steps: number of steps taken.
        computed: number of positions computed in them.
        seconds: from time 0 to the last token.
        busy: seconds of all steps; for the rest of the time the server was idle.
        preemptions: how often a request lost its pages.
        reused: fraction of the prompts' positions found in the prefix cache.
    """

    served: list[Served]
    failed: int
    steps: int
    computed: int
    seconds: float
    busy: float
    preemptions: int
    reused: float

    @property
    def throughput(self) -> float:
        """New tokens per second."""
        return sum(len(one.times) for one in self.served) / self.seconds

    @property
    def rate(self) -> float:
        """Requests answered per second: λ of Little's law."""
        return len(self.served) / self.seconds

    @property
    def latency(self) -> float:
        """Mean seconds from arrival to the last token: W of Little's law."""
        return sum(one.latency for one in self.served) / len(self.served)

    @property
    def inside(self) -> float:
        """Mean number of requests that have arrived and are not done: L of Little's law, λ·W.

        It is computed as the area under :meth:`curve`, independently of the two factors.

        Ref: Little 1961.
        """
        curve = [*self.curve(), (self.seconds, 0)]
        area = sum((b[0] - a[0]) * a[1] for a, b in itertools.pairwise(curve))
        return area / self.seconds

    def curve(self) -> list[tuple[float, int]]:
        """Return each time at which the number of open requests changes, and the new number."""
        changes = Counter(one.arrived for one in self.served)
        changes.subtract(one.times[-1] for one in self.served)
        times = sorted(changes)
        return list(zip(times, itertools.accumulate(changes[at] for at in times), strict=True))

    def ttft(self, share: float) -> float:
        """Return the seconds to the first token that a ``share`` of the requests do not exceed."""
        return percentile([one.ttft for one in self.served], share)

    def tpot(self, share: float) -> float:
        """Return the seconds per further token that a ``share`` of the requests do not exceed."""
        return percentile([one.tpot for one in self.served if len(one.times) > 1] or [0.0], share)

    def itl(self, share: float) -> float:
        """Return the seconds from token to token that a ``share`` of all gaps do not exceed."""
        gaps = [b - a for one in self.served for a, b in itertools.pairwise(one.times)]
        return percentile(gaps or [0.0], share)

    def goodput(self, *, ttft: float, tpot: float) -> float:
        """Return the number of requests per second that were answered within both limits.

        Args:
            ttft: the largest number of seconds to the first token.
            tpot: the largest number of seconds for each further token.

        Ref: Zhong et al. 2024 (DistServe), there for each GPU.
        """
        good = sum(one.ttft <= ttft and one.tpot <= tpot for one in self.served)
        return good / self.seconds

    def summary(self) -> dict[str, float]:
        """Return the numbers of :func:`table`, by their names."""
        shares = {"median": 0.5, "95 %": 0.95, "99 %": 0.99}
        return {
            "tokens a second": self.throughput,
            **{f"seconds to the first token, {n}": self.ttft(x) for n, x in shares.items()},
            **{f"seconds for each further token, {n}": self.tpot(x) for n, x in shares.items()},
            "seconds between any two tokens, 99 %": self.itl(0.99),
            "requests a second": self.rate,
            "seconds from arrival to the end, mean": self.latency,
            "requests inside, mean": self.inside,
            "seconds in all": self.seconds,
            "share of them busy": self.busy / self.seconds,
            "steps": self.steps,
            "positions computed": self.computed,
            "preemptions": self.preemptions,
            "share of prompts found in the prefix cache": self.reused,
        }


def drive(
    server: Server,
    asked: Sequence[tuple[float, Request]],
    *,
    clients: int | None = None,
    think: float = 0.0,
    watch: Callable[[float, Step], None] | None = None,
) -> Report:
    """Send requests to a server as they arrive, and measure the times.

    The clock advances by the seconds of each step, and jumps while the server is idle; so an engine
    need not wait for arrivals, and a simulator takes almost no time.

    By default the load is open: requests arrive however long the queue is. With ``clients`` it is
    closed: each client sends a request, waits for its answer, thinks, and sends the next open one;
    so there are never more open requests than clients.

    Args:
        server: an engine or a simulator, still idle.
        asked: arrival time of each request, in seconds, in order; and the request.
        clients: number of clients; the arrival times are then not used.
        think: seconds from a client's answer to its next request.
        watch: called after each step, with the time and the step.

    Raises:
        ValueError: there are no requests, times are not in order, there are no clients, the time to
            think is negative or given without clients, a request cannot be served, or the server is
            not idle.
        RuntimeError: the scheduler plans nothing although requests wait.

    Ref: Schroeder et al. 2006 (open and closed loads).
    """
    if not asked or not server.idle:
        raise ValueError(f"{len(asked)} requests, idle={server.idle}: expected some, and idle")
    if clients is not None and (clients < 1 or think < 0):
        raise ValueError(f"clients={clients}, think={think}: expected one or more, 0 or more")
    if clients is None and think:
        raise ValueError(f"think={think} without clients: nobody thinks; give clients, too")
    if any(b[0] < a[0] for a, b in itertools.pairwise(asked)):
        raise ValueError("the requests are not in the order of their arrival: sort them by time")
    due, later = deque(asked), deque[Request]()
    if clients is not None:
        due = deque((0.0, request) for _, request in asked[:clients])
        later = deque(request for _, request in asked[clients:])
    now, busy, steps, computed = 0.0, 0.0, 0, 0
    preempted = server.scheduler.preemptions
    arrived: dict[int, float] = {}
    times: dict[int, list[float]] = {}
    while due or not server.idle:
        if server.idle:
            now = max(now, due[0][0])
        while due and due[0][0] <= now:
            at, request = due.popleft()
            arrived[server.submit(request)] = at
        step = server.step()
        if step is None:
            raise RuntimeError(f"{len(server.open)} requests wait, and the scheduler plans nothing")
        now, busy, steps = now + step.seconds, busy + step.seconds, steps + 1
        computed += step.load.tokens
        for token in step.drawn:
            times.setdefault(token.number, []).append(now)
        if watch is not None:
            watch(now, step)
        while clients and later and len(due) + len(server.open) < clients:  # a client is free
            due.append((now + think, later.popleft()))
    served = [Served(arrived=arrived[n], times=times[n]) for n in arrived if n in times]
    return Report(
        served=served,
        failed=len(arrived) - len(served),
        steps=steps,
        computed=computed,
        seconds=now,
        busy=busy,
        preemptions=server.scheduler.preemptions - preempted,
        reused=sum(server.answers[n].reused for n in arrived)
        / sum(len(request.prompt) for _, request in asked),
    )


def check(server: Server) -> None:
    """Check the invariants between two steps of ``server``.

    - Each request is in exactly one of three states: answered, running or waiting.
    - The number of holders of each page is the number of tables and tree nodes with it, and a page
      without holders is free.
    - The positions of a request are those computed and found, minus those lost.

    Raises:
        RuntimeError: an invariant is violated; the message names it, with its numbers.

    Cost: one check of every request and page.
    """
    scheduler, pool = server.scheduler, server.scheduler.pages
    queued = [running.number for running in [*scheduler.running, *scheduler.waiting]]
    if sorted([*queued, *server.answers]) != list(range(server.asked)):
        raise RuntimeError(
            f"{server.asked} requests came; {len(scheduler.running)} run, "
            f"{len(scheduler.waiting)} wait, {len(server.answers)} are answered: one is lost, or "
            "counted twice"
        )
    held = Counter(page for running in server.open.values() for page in running.table.pages)
    held.update(scheduler.prefix_cache or ())
    wrong = [page for page in range(pool.n_pages) if held[page] != pool.holders[page]]
    if wrong or pool.free_pages + len(held) != pool.n_pages:
        raise RuntimeError(
            f"{len(held)} pages are held and {pool.free_pages} free, of {pool.n_pages}; pages "
            f"{wrong} count other holders than they have: a page leaked, or was let go too soon"
        )
    for one in server.open.values():
        if one.table.length != one.computed + one.found - one.lost:
            raise RuntimeError(
                f"request {one.number} has {one.table.length} positions: {one.computed} computed, "
                f"{one.found} found, {one.lost} lost"
            )


def table(columns: Mapping[str, Mapping[str, float]]) -> str:
    """Write summaries of reports side by side, one line for each number.

    Args:
        columns: the numbers of :meth:`Report.summary`, by the name of their column.
    """
    lines = [f"{'':44}" + "".join(f"{name:>12}" for name in columns)]
    for what in next(iter(columns.values())):
        lines.append(f"{what:44}" + "".join(f"{column[what]:12.4g}" for column in columns.values()))
    return "\n".join(lines)
