"""What is asked, and who computes what in the next step.

Three ideas meet in a step: continuous batching, chunked prefill, preemption. The scheduler knows
numbers of tokens and pages, and no tensor: the engine and the simulator use the same one.
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
    """Ask for what follows a prompt.

    Args:
        prompt: its tokens, at least one.
        max_new_tokens: how many tokens are wanted at most, at least one.
        sampler: draws the tokens; always the likeliest one when left out.
        stop: conditions that end the answer early, one or several, as
            :func:`~plainformer.generation.generate` takes them. Left out, the ``end_tokens`` of
            the model's configuration; with ``[]`` they do not count.
        salt: the tenant for whom it is asked. Requests with different salts share no pages, so
            that no tenant can learn from the time of an answer what another has asked.

    Raises:
        ValueError: the prompt is empty, no token is asked for, or an argument is of another kind
            than expected.
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
        conditions(self.stop, ())  # refuse now what could not be asked later
        if self.salt is not None and not isinstance(self.salt, str):
            raise ValueError(f"salt={self.salt!r}: expected a string, or None for no tenant")
        if not len(self.prompt) or self.max_new_tokens < 1:
            raise ValueError(
                f"a prompt of {len(self.prompt)} tokens, max_new_tokens={self.max_new_tokens}: "
                "expected at least one of each"
            )

    @property
    def longest(self) -> int:
        """How many positions must be kept at most: the last token is never read."""
        return len(self.prompt) + self.max_new_tokens - 1


@dataclass(eq=False)
class Running:
    """What the server keeps of a request until it is answered.

    Args:
        number: the request's number, in the order of arrival.
        request: what was asked.
        tokens: the prompt and what was generated so far.
        table: the pages where the keys and values of its first positions are.
        generator: where its draws come from.
        preempted: how often it lost its pages.
        reused: positions found in the prefix cache when it was first admitted; None before.
        computed: positions computed so far, some of them again.
        found: positions found in the prefix cache, at all its admissions.
        lost: positions it had when it lost its pages.
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
        """How many positions must be computed before the next token can be drawn."""
        return len(self.tokens) - self.table.length


@dataclass(frozen=True)
class Work:
    """Compute the next ``count`` positions of one request.

    Args:
        running: the request.
        first: its first position to compute.
        count: how many positions.
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

    Every running request gets what it misses, one position when it is being answered, more while
    its prompt is read; a long prompt is read in chunks, so that it never holds up the others for
    longer than one step. Room that is left admits waiting requests: so whoever still reads is the
    youngest that runs, and decodes come first. Where pages run out, the
    youngest running request gives its own back and waits again, in front; what it had generated
    is kept and read again like a prompt.

    Args:
        pages: the pool of pages.
        token_budget: positions computed in one step, at most.
        max_running: requests that run at once, at most.
        prefix_cache: finds pages of prompts that begin alike; None computes all of them.
        continuous: whether requests join those that run; else a batch is answered whole before
            the next begins (static batching).

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
            ValueError: it could not be answered even if it were alone.
        """
        room = self.pages.n_pages * self.pages.page_size
        if running.request.longest > room:
            raise ValueError(
                f"the request needs up to {running.request.longest} positions, and all pages "
                f"together hold {room}: shorten it, or make the server with more pages"
            )
        self.waiting.append(running)

    def plan(self) -> list[Work]:
        """Return what to compute in the next step; there are free pages for all of it.

        Returns:
            Work of different requests, the oldest first; none where nobody runs or waits.
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
        """Count ``work``, and offer the full pages it made to requests that begin alike."""
        work.running.computed += work.count
        table, size = work.running.table, self.pages.page_size
        full = table.length // size
        if self.prefix_cache is not None and full > work.first // size:  # a page became full
            known = work.running.tokens[: full * size]
            self.prefix_cache.insert(known, table.pages[:full], work.running.request.salt)

    def finish(self, running: Running) -> None:
        """Forget the request ``running``, whether it runs or waits, and free its pages."""
        if running in self.running:
            self.running.remove(running)
        else:
            self.waiting.remove(running)
        running.table.free()

    def start_over(self, requests: Sequence[Running]) -> None:
        """Forget all pages, and let all requests wait, to be read again from their first token.

        Args:
            requests: those that are not answered, in the order of their arrival.
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
        """Promise pages to a running request, taking them from younger ones where need be."""
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
        """Set pages aside for this step; the step itself takes them."""
        needed = self._lacking(running, count)
        lacking = self._promised + needed - self.pages.free_pages
        if lacking > 0 and self.prefix_cache is not None:
            lacking -= self.prefix_cache.evict(lacking, partly=False)
        if lacking > 0:
            return False
        self._promised += needed
        return True

    def _lacking(self, running: Running, count: int) -> int:
        """Return how many pages a request needs besides its own for ``count`` more positions."""
        table = running.table
        return -(-(table.length + count) // self.pages.page_size) - len(table.pages)

    def _reuse(self, running: Running) -> None:
        """Begin with pages of the prefix cache; at least one position is left to compute."""
        pages: list[int] = []
        if self.prefix_cache is not None:
            pages = self.prefix_cache.match(running.tokens[:-1], running.request.salt)
        length = len(pages) * self.pages.page_size
        running.table = PageTable(self.pages, pages=pages, length=length)
