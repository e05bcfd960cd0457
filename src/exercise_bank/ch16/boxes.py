"""Servers in closed boxes: the package's simulator, sound in several ways, or with one fault.

A server takes requests, each with the step at which it arrives, its prompt and the number of tokens
to generate, and a number of pages; it returns a record of each step.
"""

import copy
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from exercise_bank.arguments import whole, wholes
from exercise_bank.closing import closed
from plainformer.cache import PagePool, PageTable
from plainformer.serving import Cost, PrefixCache, Request, Scheduler, Simulator
from plainformer.serving.scheduler import Running, Work

Asked = tuple[int, Sequence[int], int]
Trace = list[dict[str, Any]]
Server = Callable[[list[Asked], int], Trace]
FAULTS = (
    "none",
    "no query left",
    "leaked page",
    "prefill first",
    "lost request",
)
SOUND = ("shares", "shares nothing", "in batches", "one by one")
#: Faults that need no prefix cache, in servers without one.
UNCACHED = tuple(f"{fault}, shares nothing" for fault in FAULTS[2:])
SIZE, BUDGET, SLOTS, MOST = 4, 8, 4, 300
MOST_PAGES, MOST_TOKENS = 10_000, 10_000


class _Box(Scheduler):
    """A scheduler with one fault, or none."""

    def __init__(self, kind: str, pages: int) -> None:
        kind, _, way = kind.partition(", ")
        pool = PagePool(n_layers=1, n_pages=pages, page_size=SIZE, n_kv_heads=1, width=1)
        super().__init__(
            pool,
            token_budget=BUDGET,
            max_running=1 if kind == "one by one" else SLOTS,
            prefix_cache=None if "shares nothing" in (kind, way) else PrefixCache(pool),
            continuous=kind != "in batches",
        )
        self.kind = kind
        self.lost: list[int] = []

    def plan(self) -> list[Work]:
        self.lost = []
        if self.kind != "prefill first":
            return super().plan()
        decoding = [running for running in self.running if running.missing == 1]
        self.running = [running for running in self.running if running.missing > 1]
        self.max_running -= len(decoding)
        work = super().plan()
        self.max_running += len(decoding)
        self.running = decoding + self.running
        return work or super().plan()

    def finish(self, running: Running) -> None:
        if self.kind == "leaked page" and running.table.length % SIZE:
            self.pages.share(running.table.pages[-1:])
        super().finish(running)

    def _make_room(self, running: Running, count: int) -> bool:
        before = list(self.running)
        made = super()._make_room(running, count)
        for each in before:
            if each in self.running:
                continue
            self.lost.append(each.number)
            if self.kind == "lost request":
                self.waiting.remove(each)
        return made

    def _reuse(self, running: Running) -> None:
        super()._reuse(running)
        if self.kind == "no query left" and self.prefix_cache is not None:
            running.table.free()
            pages = self.prefix_cache.match(running.tokens)
            running.table = PageTable(self.pages, pages=pages, length=len(pages) * SIZE)


@lru_cache(maxsize=4096)
def _served(kind: str, asked: tuple[tuple[int, tuple[int, ...], int], ...], pages: int) -> Trace:
    scheduler = _Box(kind, pages)
    server = Simulator(scheduler, Cost(step=1.0, token=0.0, look=0.0, request=0.0))
    later, trace = list(asked), Trace()
    while len(trace) < MOST:
        while later and later[0][0] <= len(trace):
            _, prompt, tokens = later.pop(0)
            server.submit(Request(prompt=prompt, max_new_tokens=tokens))
        step = server.step()
        if step is None and not later:
            break
        trace.append(
            {
                "work": {number: count for number, _, count in step.shares},
                "drawn": [token.number for token in step.drawn],
                "preempted": list(scheduler.lost),
                "free": scheduler.pages.free_pages,
                "kept": _kept(scheduler),
            }
            if step is not None
            else {
                "work": {}, "drawn": [], "preempted": [],
                "free": scheduler.pages.free_pages, "kept": _kept(scheduler),
            }
        )  # fmt: skip
    return trace


def _kept(scheduler: Scheduler) -> int:
    """Count pages that only the prefix cache holds."""
    return sum(scheduler.pages.holders[page] == 1 for page in scheduler.prefix_cache or ())


def box(kind: str) -> Server:
    """Return a server with a fault, or a sound one of its own kind, under an uninformative name."""

    def server(asked: tuple[tuple[int, tuple[int, ...], int], ...], pages: int) -> Trace:
        return copy.deepcopy(_served(kind, asked, pages))

    made: Server = closed(server, _taken, name="server")
    return made


def _taken(requests: Any, pages: Any) -> tuple[tuple[tuple[int, tuple[int, ...], int], ...], int]:
    if not isinstance(requests, (list, tuple)):
        raise TypeError(f"requests is a {type(requests).__name__}: expected a list of requests")
    asked = tuple(_asked(i, each) for i, each in enumerate(requests))
    pages = whole("pages", pages, 1, MOST_PAGES)
    if any(b[0] < a[0] for a, b in pairwise(asked)):
        raise ValueError("the requests are not in the order of their arrival")
    for _, prompt, tokens in asked:
        if Request(prompt=prompt, max_new_tokens=tokens).longest > pages * SIZE:
            raise ValueError(f"{pages} pages of {SIZE} tokens are too few for one of the requests")
    return asked, pages


def _asked(i: int, request: Any) -> tuple[int, tuple[int, ...], int]:
    if not isinstance(request, (list, tuple)) or len(request) != 3:
        raise TypeError(f"request {i} is {request!r}: expected its step, its prompt, its tokens")
    at, prompt, n = request
    tokens = wholes(f"the prompt of request {i}", prompt, 0, 1_000_000)
    if not 1 <= len(tokens) <= MOST_TOKENS:
        raise ValueError(
            f"the prompt of request {i} has {len(tokens)} tokens: expected 1 to {MOST_TOKENS}"
        )
    return (
        whole(f"the step of request {i}", at, 0, MOST),
        tuple(tokens),
        whole(f"the tokens wanted by request {i}", n, 1, MOST_TOKENS),
    )
