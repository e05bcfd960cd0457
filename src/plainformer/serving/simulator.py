"""The server without a model: the same scheduler, and seconds from a formula."""

from collections.abc import Sequence

from plainformer.cache.pages import grow
from plainformer.serving.cost import Cost, load_of
from plainformer.serving.report import Report
from plainformer.serving.request import Request
from plainformer.serving.scheduler import Scheduler, Work
from plainformer.serving.server import Server
from plainformer.serving.workload import Served


class Simulator(Server):
    """Take the steps that an engine would take, and say how long they would last.

    Args:
        scheduler: plans the steps, as the engine's does.
        cost: seconds of a step.
    """

    def __init__(self, scheduler: Scheduler, cost: Cost) -> None:
        super().__init__(scheduler)
        self.cost = cost

    def compute(self, work: Sequence[Work]) -> tuple[list[int | None], float]:
        """Grow the tables of ``work``, draw token 0, and return what the cost says.

        Answers end by their length only: conditions on tokens have nothing to look at.
        """
        grow([one.running.table for one in work], [one.first + one.count for one in work])
        tokens: list[int | None] = [0 if one.draws else None for one in work]
        return tokens, self.cost.seconds(load_of(work))


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
        preemptions=server.scheduler.preemptions,
        reused=sum(answers[n].reused for n in arrived) / read,
    )
