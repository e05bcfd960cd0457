"""The engine: one model, one pool of pages, and all requests of a step in one row of tokens.

:class:`Server` is what an engine has in common with the simulator: requests come in, steps are
taken, answers go out.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from plainformer.cache import PackedPagedCache, PagePool, PageTable
from plainformer.generation import NaNLogits
from plainformer.generation.stopping import why_stopped
from plainformer.models.one_stack import Decoder
from plainformer.models.stack import check_tokens
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.scheduler import Load, Request, Running, Scheduler, Work, load_of


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Give what was generated for a request.

    Args:
        tokens: the new tokens, those that ended the answer included.
        stopped: why it ended: "token", "sequence", "length", or what a condition said.
        preempted: how often the request lost its pages and was read again.
        reused: positions whose keys and values were found in the prefix cache, at first.
        computed: positions that were computed, some of them again after a preemption.
    """

    tokens: list[int]
    stopped: str
    preempted: int
    reused: int
    computed: int


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
        shares: number, first position and count of each request that took part.
    """

    load: Load
    seconds: float
    drawn: list[Drawn]
    shares: list[tuple[int, int, int]]


class Server(ABC):
    """Answer requests in steps; what computes a step is a subclass's.

    Args:
        scheduler: plans the steps.
        context: positions that the model can read at most; None for no limit.

    Attributes:
        answers: what was answered so far, by the number of the request.
        open: what is not answered yet, likewise.
        asked: how many requests came; they are numbered from 0.
    """

    def __init__(self, scheduler: Scheduler, *, context: int | None = None) -> None:
        self.scheduler, self.context = scheduler, context
        self.answers: dict[int, Answer] = {}
        self.open: dict[int, Running] = {}
        self.asked = 0

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
        running = Running(self.asked, request, list(request.prompt), table)
        (running.generator,) = request.sampler.generators(1)
        self.scheduler.submit(running)
        self.open[self.asked] = running
        self.asked += 1
        return running.number

    def cancel(self, number: int) -> None:
        """Stop the request ``number``; what it had generated is its answer.

        Raises:
            ValueError: there is no such request that is still open.
        """
        if number not in self.open:
            raise ValueError(f"request {number} is not open: it was answered, or never submitted")
        self._answer(self.open[number], "cancelled")

    @property
    def idle(self) -> bool:
        """Whether every request is answered."""
        return not self.open

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
        return Step(
            load=load_of(work),
            seconds=seconds,
            drawn=[token for token in drawn if token is not None],
            shares=[(one.running.number, one.first, one.count) for one in work],
        )

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
        del self.open[running.number]
        self.answers[running.number] = Answer(
            tokens=running.new,
            stopped=why,
            preempted=running.preempted,
            reused=running.reused or 0,
            computed=running.computed,
        )


class Engine(Server):
    """Answer many requests with one model.

    A step packs the positions of all its requests into one row, (1, total): the linear layers see
    one matrix, and attention keeps the requests apart by their pages.

    Args:
        model: a decoder; it is used as it is, on its device and in its precision.
        pages: pages of the cache, shared by all requests.
        page_size: positions on a page.
        token_budget: positions computed in one step, at most.
        max_running: requests that run at once, at most.
        prefix_cache: whether prompts that begin alike share what was computed for one of them.
        continuous: whether requests join those that run; see :class:`Scheduler`.

    Raises:
        ValueError: a number is below 1.

    Cost: n_layers·pages·page_size·2·g·d numbers of memory, reserved at the start.

    Ref: Kwon et al. 2023 (vLLM); Yu et al. 2022 (Orca), section 4.
    """

    def __init__(
        self,
        model: Decoder,
        *,
        pages: int,
        page_size: int = 16,
        token_budget: int = 256,
        max_running: int = 64,
        prefix_cache: bool = True,
        continuous: bool = True,
    ) -> None:
        config, weight = model.config, model.embedding.weight
        pool = PagePool(
            n_layers=config.n_layers,
            n_pages=pages,
            page_size=page_size,
            n_kv_heads=config.n_kv_heads or config.n_heads,
            width=config.width_of_heads,
            dtype=weight.dtype,
            device=weight.device,
        )
        scheduler = Scheduler(
            pool,
            token_budget=token_budget,
            max_running=max_running,
            prefix_cache=PrefixCache(pool) if prefix_cache else None,
            continuous=continuous,
        )
        super().__init__(scheduler, context=config.context)
        self.model, self.pool = model, pool

    def submit(self, request: Request) -> int:
        """Take in ``request`` and return its number.

        Raises:
            ValueError: a token is outside the vocabulary; or see
                :meth:`Server.submit`.
        """
        check_tokens(torch.tensor([list(request.prompt)]), self.model.config)
        return super().submit(request)

    @torch.inference_mode()
    def compute(self, work: Sequence[Work]) -> tuple[list[int | None], float]:
        """Compute all of ``work`` in one row, and draw a token where one is due."""
        start = time.perf_counter()
        tables = [one.running.table for one in work]
        counts = [one.count for one in work]
        layers = range(self.model.config.n_layers)
        caches = [PackedPagedCache(self.pool, layer, tables, counts) for layer in layers]
        row = [t for one in work for t in one.running.tokens[one.first : one.first + one.count]]
        tokens = torch.tensor([row], device=self.pool.layers[0][0].device)
        hidden = self.model.hidden(tokens, positions=caches[0].where(), caches=caches, trusted=True)
        last = torch.tensor(counts).cumsum(0) - 1
        logits = self.model.logits(hidden[:, last.to(hidden.device)])[0]
        drawn = [self._drawn(one, logits[i : i + 1]) for i, one in enumerate(work)]
        return drawn, time.perf_counter() - start

    def _drawn(self, one: Work, logits: Tensor) -> int | None:
        if not one.draws:
            return None
        generator = one.running.generator
        assert generator is not None
        try:
            return int(one.running.request.sampler(logits, [generator])[0])
        except NaNLogits:
            return -1  # this request ends; the others do not notice
