"""The server: accept requests, take steps, return answers; with a model or without one.

A step changes nothing until all of it is computed. If it is interrupted (by an error of the model,
Ctrl-C, too little memory), the server is in the same state as before the step, and the next call of
:meth:`Server.step` takes it again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from plainformer.cache import PageTable
from plainformer.generation.sampling import Sampler
from plainformer.generation.stopping import Stop, conditions, why_stopped
from plainformer.serving.load import Load, load_of
from plainformer.serving.scheduler import Request, Running, Scheduler, Work

# Errors that are not caused by the current request: the whole step is undone.
NOT_THE_REQUESTS = (MemoryError, torch.OutOfMemoryError)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Tokens that were generated for a request.

    Args:
        tokens: the new tokens, including those that ended the answer.
        stopped: why it ended: "token", "sequence", "length", the reason that a condition returned,
            "cancelled", "logits" (they were not numbers), or "error: …", with the error of its
            sampler or of one of its conditions.
        preempted: how often the request lost its pages and was read again.
        reused: positions whose keys and values were found in the prefix cache, at the first
            admission.
        computed: positions that were computed, some of them again after a preemption.
        error: the error, if the answer ended because of one.
    """

    tokens: list[int]
    stopped: str
    preempted: int
    reused: int
    computed: int
    error: Exception | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Drawn:
    """One token drawn in a step.

    Args:
        number: the request's number.
        token: the token.
        stopped: why the answer ends with it; None if it continues.
    """

    number: int
    token: int
    stopped: str | None


@dataclass(frozen=True)
class Fault:
    """Reason why a request ends without another token.

    Args:
        reason: the answer's ``stopped``.
        error: the error.
    """

    reason: str
    error: Exception


@dataclass(frozen=True)
class Step:
    """The results of one step.

    Args:
        load: positions, pairs and requests.
        seconds: its measured or predicted duration.
        drawn: the tokens drawn, in the order of the requests.
        shares: number, first position and count of each request in the step.
    """

    load: Load
    seconds: float
    drawn: list[Drawn]
    shares: list[tuple[int, int, int]]


class Server(ABC):
    """Answer requests in steps; a subclass computes them.

    Args:
        scheduler: plans the steps.
        context: the largest number of positions that the model can read; None for no limit.
        end_tokens: tokens that end an answer unless its request has its own conditions.

    Attributes:
        answers: the answers so far, by the number of the request.
        open: the open requests, by number.
        asked: number of requests so far; they are numbered from 0.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        *,
        context: int | None = None,
        end_tokens: Sequence[int] = (),
    ) -> None:
        self.scheduler, self.context, self.end_tokens = scheduler, context, end_tokens
        self.answers: dict[int, Answer] = {}
        self.open: dict[int, Running] = {}
        self.asked = 0

    def submit(self, request: Request) -> int:
        """Accept ``request`` and return its number.

        Raises:
            ValueError: it could not be answered even if it were the only request: it is longer than
                the context, or than all pages together.
        """
        if self.context is not None and request.longest > self.context:
            raise ValueError(
                f"a prompt of {len(request.prompt)} tokens and up to {request.max_new_tokens} new "
                f"ones need {request.longest} positions; the context has {self.context}"
            )
        table, number = PageTable(self.scheduler.pages), self.asked
        running = Running(number, request, list(request.prompt), table, stop=self.ends(request))
        (running.generator,) = request.sampler.generators(1)
        self.open[number] = running
        try:
            self.scheduler.submit(running)
        except BaseException:
            del self.open[number]
            raise
        self.asked += 1
        return number

    def ends(self, request: Request) -> Sequence[Stop]:
        """Return the conditions that end the answer to ``request``."""
        return conditions(request.stop, self.end_tokens)

    def cancel(self, number: int) -> None:
        """Stop the request ``number``; its answer is the tokens generated so far.

        Raises:
            ValueError: there is no open request with this number.
        """
        if number not in self.open:
            raise ValueError(f"request {number} is not open: it was answered, or never submitted")
        self._answer(self.open[number], "cancelled")

    @property
    def idle(self) -> bool:
        """Whether every request is answered."""
        return not self.open

    def step(self) -> Step | None:
        """Compute the scheduler's plan, draw tokens, and return complete answers.

        A request whose sampler or condition raises an error ends with it, without an effect on the
        others. Any other error, and Ctrl-C, is passed on, and the requests are in the same state as
        before the step.

        Returns:
            The results of the step; None if there is nothing to do.
        """
        with self._bookkeeping():
            work = self.scheduler.plan()
        if not work:
            return None
        states = [_state(one.running) if one.draws else None for one in work]
        try:
            outcomes, seconds = self.compute(work)
            ends = [self._end(*pair) for pair in zip(work, outcomes, strict=True)]
        except BaseException:
            for one in work:
                kept = one.first if one.running.number in self.open else 0
                one.running.table.truncate(min(kept, one.running.table.length))
            _restore(zip(work, states, strict=True))
            raise
        drawn = []
        with self._bookkeeping(work, states):
            for one, end in zip(work, ends, strict=True):
                if one.running.number not in self.open:
                    one.running.table.free()  # it was cancelled during the step
                    continue
                self.scheduler.done(one)
                if end is not None:
                    drawn += self._draw(one.running, *end)
        return Step(
            load=load_of(work),
            seconds=seconds,
            drawn=drawn,
            shares=[(one.running.number, one.first, one.count) for one in work],
        )

    def run(self) -> dict[int, Answer]:
        """Take steps until every request is answered, and return all answers so far."""
        while self.step() is not None:
            pass
        return self.answers

    @abstractmethod
    def compute(self, work: Sequence[Work]) -> tuple[list[int | Fault | None], float]:
        """Compute all of ``work``, which extends its tables, and draw the tokens that are due.

        Returns:
            For each piece of work a token, None if it needs none, or the fault that prevents it;
            and the seconds.
        """

    def _end(
        self, work: Work, outcome: int | Fault | None
    ) -> tuple[int | Fault, str | Fault | None] | None:
        """Return the drawn token and why the answer ends with it, without changing any state."""
        if outcome is None or isinstance(outcome, Fault):
            return None if outcome is None else (outcome, outcome)
        running = work.running
        limit = running.request.max_new_tokens
        try:
            new = [*running.new, outcome]
            return outcome, why_stopped(new, running.stop, max_new_tokens=limit, room=0)
        except NOT_THE_REQUESTS:
            raise
        except Exception as error:
            return outcome, fault_of(error)

    def _draw(self, running: Running, token: int | Fault, why: str | Fault | None) -> list[Drawn]:
        """Append the drawn token, and answer the request if it ends there."""
        reason, error = (why.reason, why.error) if isinstance(why, Fault) else (why, None)
        if not isinstance(token, Fault):
            running.tokens.append(token)
        if reason is not None:
            self._answer(running, reason, error)
        return [] if isinstance(token, Fault) else [Drawn(running.number, token, reason)]

    def _answer(self, running: Running, why: str, error: Exception | None = None) -> None:
        self.answers[running.number] = Answer(
            tokens=running.new,
            stopped=why,
            preempted=running.preempted,
            reused=running.reused or 0,
            computed=running.computed,
            error=error,
        )
        self.open.pop(running.number)
        self.scheduler.finish(running)

    def start_over(self) -> None:
        """Read all open requests again, from their first token, as after a preemption.

        Afterwards no page is held, and the prefix cache is empty.
        """
        self.open = {n: one for n, one in self.open.items() if n not in self.answers}
        self.scheduler.start_over([self.open[n] for n in sorted(self.open)])

    @contextmanager
    def _bookkeeping(
        self, work: Sequence[Work] = (), states: Sequence[Tensor | None] = ()
    ) -> Iterator[None]:
        """If the bookkeeping itself is interrupted, keep only the tokens, and read them again."""
        try:
            yield
        except BaseException:
            _restore([pair for pair in zip(work, states, strict=True) if pair[0].draws])
            self.start_over()
            raise


def fault_of(error: Exception) -> Fault:
    """Return the fault of a request whose sampler or condition raised an error.

    Args:
        error: the error.
    """
    return Fault(f"error: {type(error).__name__}: {error}", error)


def _state(running: Running) -> Tensor | None:
    """Return the state of a request's generator; None if nothing is drawn from it."""
    sampler, generator = running.request.sampler, running.generator
    certain = type(sampler) is Sampler and sampler.greedy
    return None if certain or generator is None else generator.get_state()


def _restore(pairs: Iterable[tuple[Work, Tensor | None]]) -> None:
    for one, state in pairs:
        if state is not None and one.running.generator is not None:
            one.running.generator.set_state(state)
