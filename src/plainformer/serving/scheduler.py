"""Requests, and the plan of the computation in the next step.

A step combines three ideas: continuous batching, chunked prefill, preemption. The scheduler uses
numbers of tokens and pages, and no tensor, so the engine and the simulator can share it.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Generator, Tensor

from plainformer.cache import PagePool, PageTable
from plainformer.generation.sampling import Sampler, sampler_or_greedy
from plainformer.generation.stopping import Stop, conditions
from plainformer.serving.prefix import PrefixCache
from plainformer.whole_numbers import Whole, whole, wholes


@dataclass(frozen=True, kw_only=True)
class Request:
    """Request the continuation of a prompt.

    Args:
        prompt: its tokens, at least one.
        max_new_tokens: the largest number of new tokens, at least one.
        sampler: draws the tokens; always the most likely one when left out.
        stop: conditions that end the answer early, one or several, as for
            :func:`~plainformer.generation.generate`. Left out, the ``end_tokens`` of the model's
            configuration; with ``[]`` they are ignored.
        salt: the tenant of the request. Requests with different salts share no pages, so that no
            tenant can infer another one's prompts from the time of an answer.

    Raises:
        ValueError: the prompt is empty, no token is requested, or an argument has the wrong type.
    """

    prompt: Sequence[Whole] | Tensor
    max_new_tokens: Whole
    sampler: Sampler = field(default_factory=lambda: Sampler(temperature=0.0))
    stop: Sequence[Stop] | Stop | None = None
    salt: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompt", wholes(self.prompt, "prompt"))
        object.__setattr__(self, "max_new_tokens", whole(self.max_new_tokens, "max_new_tokens"))
        object.__setattr__(self, "sampler", sampler_or_greedy(self.sampler))
        conditions(self.stop, ())  # check them early
        if self.salt is not None and not isinstance(self.salt, str):
            raise ValueError(f"salt={self.salt!r}: expected a string, or None for no tenant")
        if not len(self.prompt) or self.max_new_tokens < 1:
            raise ValueError(
                f"a prompt of {len(self.prompt)} tokens, max_new_tokens={self.max_new_tokens}: "
                "expected at least one of each"
            )

    @property
    def longest(self) -> int:
        """The largest number of positions to store: the last token is never read."""
        return len(self.prompt) + self.max_new_tokens - 1


@dataclass(eq=False)
class Running:
    """The server's state of a request until it is answered.

    Args:
        number: the request's number, in the order of arrival.
        request: the request.
        tokens: the prompt and the tokens generated so far.
        table: the pages with the keys and values of its first positions.
        generator: source of its random draws.
        preempted: how often it lost its pages.
        reused: positions found in the prefix cache when it was first admitted; None before.
        computed: positions computed so far, some of them again.
        found: positions found in the prefix cache, at all its admissions.
        lost: positions that it had each time it lost its pages, in total.
        stop: conditions that end the answer early.
    """

    number: int
    request: Request
    tokens: list[int]
    table: PageTable
    generator: Generator | None = None
    preempted: int = 0
    reused: int | None = None
    computed: int = 0
    found: int = 0
    lost: int = 0
    stop: Sequence[Stop] = ()

    @property
    def new(self) -> list[int]:
        """The tokens generated so far."""
        return self.tokens[len(self.request.prompt) :]

    @property
    def missing(self) -> int:
        """Number of positions to compute before the next token can be drawn."""
        return len(self.tokens) - self.table.length


@dataclass(frozen=True)
class Work:
    """The task of computing the next ``count`` positions of one request.

    Args:
        running: the request.
        first: its first position to compute.
        count: number of positions.
    """

    running: Running
    first: int
    count: int

    @property
    def draws(self) -> bool:
        """Whether the request's next token can be drawn afterwards."""
        return self.first + self.count == len(self.running.tokens)


class Scheduler:
    """Plan steps of at most ``token_budget`` positions, oldest request first.

    Every running request gets its missing positions: one during generation, and several during
    prefill; a long prompt is read in chunks, so that it never delays the others by more than one
    step. The rest of the budget admits waiting requests: so a request that is still in prefill is
    the youngest one running, and decodes come first. If there are too few pages, the youngest
    running request returns its own and waits again, at the front of the queue; its generated tokens
    are kept and read again like a prompt.

    Args:
        pages: the pool of pages.
        token_budget: the largest number of positions computed in one step.
        max_running: the largest number of requests that run in parallel.
        prefix_cache: finds pages of prompts with the same beginning; None computes all of them.
        continuous: whether new requests join running ones; otherwise a batch is answered completely
            before the next begins (static batching).

    Raises:
        ValueError: a number is below 1.

    Ref: Yu et al. 2022 (Orca), section 3 (iteration-level scheduling); Agrawal et al. 2024
    (Sarathi-Serve), section 4 (chunked prefill); Kwon et al. 2023 (vLLM), section 4.5
    (preemption by recomputing).
    """

    def __init__(
        self,
        pages: PagePool,
        *,
        token_budget: Whole,
        max_running: Whole,
        prefix_cache: PrefixCache | None = None,
        continuous: bool = True,
    ) -> None:
        token_budget = whole(token_budget, "token_budget")
        max_running = whole(max_running, "max_running")
        if token_budget < 1 or max_running < 1:
            raise ValueError(
                f"token_budget={token_budget}, max_running={max_running}: expected at least 1"
            )
        self.pages, self.prefix_cache = pages, prefix_cache
        self.token_budget, self.max_running = token_budget, max_running
        self.continuous = continuous
        self.waiting: deque[Running] = deque()
        self.running: list[Running] = []
        self.preemptions = 0
        self._promised = 0

    def submit(self, running: Running) -> None:
        """Put a request at the end of the queue.

        Args:
            running: the request.

        Raises:
            ValueError: it could not be answered even if it were the only request.
        """
        room = self.pages.n_pages * self.pages.page_size
        if running.request.longest > room:
            raise ValueError(
                f"the request needs up to {running.request.longest} positions, and all pages "
                f"together hold {room}: shorten it, or make the server with more pages"
            )
        self.waiting.append(running)

    def plan(self) -> list[Work]:
        """Return the work of the next step; there are free pages for all of it.

        Returns:
            Work of different requests, the oldest first; empty if there is no request.
        """
        budget, work = self.token_budget, []
        self._promised, joining = 0, self.continuous or not self.running
        for running in list(self.running):
            if running not in self.running or not budget:
                continue  # it was preempted for an older one, or must wait for the next step
            count = min(running.missing, budget)
            if self._make_room(running, count):
                work.append(Work(running, running.table.length, count))
                budget -= count
        self._promised = sum(self._lacking(running, running.missing) for running in self.running)
        while joining and budget and self.waiting and len(self.running) < self.max_running:
            running = self.waiting[0]
            self._reuse(running)
            count = min(running.missing, budget)
            if not self._promise(running, running.missing):
                running.table.free()
                break
            self.running.append(self.waiting.popleft())
            running.found += running.table.length
            if running.reused is None:
                running.reused = running.table.length
            work.append(Work(running, running.table.length, count))
            budget -= count
        return work

    def done(self, work: Work) -> None:
        """Record that ``work`` is done, and share its full pages through the prefix cache."""
        work.running.computed += work.count
        table, size = work.running.table, self.pages.page_size
        full = table.length // size
        if self.prefix_cache is not None and full > work.first // size:  # a page became full
            known = work.running.tokens[: full * size]
            self.prefix_cache.insert(known, table.pages[:full], work.running.request.salt)

    def finish(self, running: Running) -> None:
        """Remove the request ``running``, whether it runs or waits, and free its pages."""
        if running in self.running:
            self.running.remove(running)
        else:
            self.waiting.remove(running)
        running.table.free()

    def start_over(self, requests: Sequence[Running]) -> None:
        """Drop all pages, and queue all requests to be read again from their first token.

        Args:
            requests: the open requests, in the order of their arrival.
        """
        self.pages.reset()
        if self.prefix_cache is not None:
            self.prefix_cache.clear()
        for running in requests:
            if running.table.length:
                self._lose(running)
            running.lost = running.computed + running.found
            running.table = PageTable(self.pages)
        self.running, self.waiting = [], deque(requests)

    def _make_room(self, running: Running, count: int) -> bool:
        """Reserve pages for a running request, taking them from younger ones if necessary."""
        while not self._promise(running, count):
            youngest = self.running.pop()
            self._lose(youngest)
            youngest.table.free()
            self.waiting.appendleft(youngest)
            if youngest is running:
                return False
        return True

    def _lose(self, running: Running) -> None:
        running.lost += running.table.length
        running.preempted += 1
        self.preemptions += 1

    def _promise(self, running: Running, count: int) -> bool:
        """Reserve pages for this step; the step itself takes them."""
        needed = self._lacking(running, count)
        lacking = self._promised + needed - self.pages.free_pages
        if lacking > 0 and self.prefix_cache is not None:
            lacking -= self.prefix_cache.evict(lacking, partly=False)
        if lacking > 0:
            return False
        self._promised += needed
        return True

    def _lacking(self, running: Running, count: int) -> int:
        """Return how many more pages a request needs for ``count`` more positions."""
        table = running.table
        return -(-(table.length + count) // self.pages.page_size) - len(table.pages)

    def _reuse(self, running: Running) -> None:
        """Start with pages of the prefix cache; at least one position is left to compute."""
        pages: list[int] = []
        if self.prefix_cache is not None:
            pages = self.prefix_cache.match(running.tokens[:-1], running.request.salt)
        length = len(pages) * self.pages.page_size
        running.table = PageTable(self.pages, pages=pages, length=length)
