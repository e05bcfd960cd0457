"""What engine and simulator have in common: requests come in, steps are taken, answers go out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from plainformer.cache import PageTable
from plainformer.generation.stopping import why_stopped
from plainformer.serving.cost import Load, load_of
from plainformer.serving.request import Answer, Request, Running
from plainformer.serving.scheduler import Scheduler, Work


@dataclass(frozen=True)
class Drawn:
    """One token that a step drew.

    Args:
        number: the request's number.
        token: the token.
        stopped: why the answer ends with it; None where it goes on.
    """

    number: int
    token: int
    stopped: str | None


@dataclass(frozen=True)
class Step:
    """What one step did.

    Args:
        load: positions, pairs and requests.
        seconds: how long it took, or would take.
        drawn: the tokens it drew, in the order of the requests.
    """

    load: Load
    seconds: float
    drawn: list[Drawn]


class Server(ABC):
    """Answer requests in steps; what computes a step is a subclass's.

    Args:
        scheduler: plans the steps.
        context: positions that the model can read at most; None for no limit.

    Attributes:
        answers: what was answered so far, by the number of the request.
    """

    def __init__(self, scheduler: Scheduler, *, context: int | None = None) -> None:
        self.scheduler, self.context = scheduler, context
        self.answers: dict[int, Answer] = {}
        self._open: dict[int, Running] = {}
        self._asked = 0

    def submit(self, request: Request) -> int:
        """Take in ``request`` and return its number.

        Raises:
            ValueError: it could not be answered even if it were alone: it is longer than the
                context, or than all pages together.
        """
        if self.context is not None and request.longest > self.context:
            raise ValueError(
                f"a prompt of {len(request.prompt)} tokens and up to {request.max_new_tokens} new "
                f"ones need {request.longest} positions; the context has {self.context}"
            )
        table = PageTable(self.scheduler.pages)
        running = Running(self._asked, request, list(request.prompt), table)
        (running.generator,) = request.sampler.generators(1)
        self.scheduler.submit(running)
        self._open[self._asked] = running
        self._asked += 1
        return running.number

    def cancel(self, number: int) -> None:
        """Stop the request ``number``; what it had generated is its answer.

        Raises:
            ValueError: there is no such request that is still open.
        """
        if number not in self._open:
            raise ValueError(f"request {number} is not open: it was answered, or never submitted")
        self._answer(self._open[number], "cancelled")

    @property
    def idle(self) -> bool:
        """Whether every request is answered."""
        return not self._open

    def step(self) -> Step | None:
        """Compute what the scheduler plans, draw tokens, and answer what is complete.

        Returns:
            What was done; None where there is nothing to do.
        """
        work = self.scheduler.plan()
        if not work:
            return None
        tokens, seconds = self.compute(work)
        for one in work:
            self.scheduler.done(one)
        drawn = [self._draw(one.running, token) for one, token in zip(work, tokens, strict=True)]
        return Step(load_of(work), seconds, [token for token in drawn if token is not None])

    def run(self) -> dict[int, Answer]:
        """Take steps until every request is answered, and return all answers so far."""
        while self.step() is not None:
            pass
        return self.answers

    @abstractmethod
    def compute(self, work: Sequence[Work]) -> tuple[list[int | None], float]:
        """Compute all of ``work``, its tables growing, and draw a token where one is due.

        Returns:
            For each piece of work a token, None where none is drawn, or -1 where none can be; and
            the seconds.
        """

    def _draw(self, running: Running, token: int | None) -> Drawn | None:
        if token is None:
            return None
        if token < 0:
            self._answer(running, "logits")
            return None
        running.tokens.append(token)
        request = running.request
        limit = request.max_new_tokens
        why = why_stopped(running.new, request.stop, max_new_tokens=limit, room=0)
        if why is not None:
            self._answer(running, why)
        return Drawn(running.number, token, why)

    def _answer(self, running: Running, why: str) -> None:
        self.scheduler.finish(running)
        del self._open[running.number]
        self.answers[running.number] = Answer(
            tokens=running.new,
            stopped=why,
            preempted=running.preempted,
            reused=running.reused or 0,
        )
