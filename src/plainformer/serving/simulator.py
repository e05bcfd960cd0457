"""The server without a model: requests that are drawn, and seconds from a formula.

The formula is a few numbers, :class:`Cost`, fitted to steps that an engine took.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from plainformer.cache import PagePool
from plainformer.cache.pages import grow
from plainformer.generation.stopping import Stop
from plainformer.serving.load import Load, load_of
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.report import percentile
from plainformer.serving.scheduler import Request, Scheduler, Work
from plainformer.serving.server import Fault, Server
from plainformer.whole_numbers import Whole, whole


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Describe requests that come one by one, independently of each other.

    Args:
        requests: how many.
        rate: requests a second, on average; the gaps are exponential (a Poisson process).
        prompt_tokens: shortest and longest prompt; all lengths between are alike.
        answer_tokens: shortest and longest answer, likewise; no token ends it before.
        shared_tokens: how many tokens all prompts begin with, such as one document.
        vocabulary: tokens are drawn from 0 to this, exclusive.
        seed: the same seed gives the same requests.

    Raises:
        ValueError: a number is out of range.

    Ref: Kwon et al. 2023 (vLLM), section 6.1 (Poisson arrivals).
    """

    requests: int
    rate: float
    prompt_tokens: tuple[int, int]
    answer_tokens: tuple[int, int]
    shared_tokens: int = 0
    vocabulary: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        if self.requests < 1 or not self.rate > 0 or self.vocabulary < 1:
            raise ValueError(
                f"requests={self.requests}, rate={self.rate}, vocabulary={self.vocabulary}: "
                "expected at least one request and token, and a rate above 0"
            )
        for name in ("prompt_tokens", "answer_tokens"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise ValueError(f"{name}=({low}, {high}): expected 1 <= shortest <= longest")
        if not 0 <= self.shared_tokens < self.prompt_tokens[0]:
            raise ValueError(
                f"shared_tokens={self.shared_tokens}: expected fewer than the shortest prompt, "
                f"{self.prompt_tokens[0]}, and not below 0"
            )

    def draw(self) -> list[tuple[float, Request]]:
        """Return the requests with the seconds at which they arrive, in order."""
        chance = random.Random(self.seed)
        shared = self._tokens(chance, self.shared_tokens)
        at, asked = 0.0, []
        for _ in range(self.requests):
            at += chance.expovariate(self.rate)
            length = chance.randint(*self.prompt_tokens)
            prompt = [*shared, *self._tokens(chance, length - self.shared_tokens)]
            answer = chance.randint(*self.answer_tokens)
            request = Request(prompt=prompt, max_new_tokens=answer, stop=[])
            asked.append((at, request))
        return asked

    def _tokens(self, chance: random.Random, count: int) -> list[int]:
        return [chance.randrange(self.vocabulary) for _ in range(count)]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Seconds of a step: a fixed part, and parts for each position, pair and request.

    Args:
        step: seconds for each step, whatever it does.
        token: seconds for each position computed.
        look: seconds for each pair of a query and a key.
        request: seconds for each request that takes part.

    Raises:
        ValueError: a number is negative.
    """

    step: float
    token: float
    look: float
    request: float

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value >= 0:
                raise ValueError(f"{name}={value}: expected seconds, 0 or more")

    def seconds(self, load: Load) -> float:
        """Return how long a step with this ``load`` takes."""
        parts = (1, load.tokens, load.looks, load.requests)
        return float(np.dot(parts, (self.step, self.token, self.look, self.request)))


def fit(loads: Sequence[Load], seconds: Sequence[float]) -> Cost:
    """Find the cost whose steps are nearest to those measured, in relative squares.

    Each step weighs alike, whether it is long or short. No part may be negative: where one would
    be, it is left out and the others are fitted again.

    Args:
        loads: what each step did.
        seconds: how long it took.

    Raises:
        ValueError: fewer than four steps, unequal lengths, or a time that is not positive.

    Cost: a least-squares problem with four unknowns, solved at most four times.

    Ref: Lawson and Hanson 1974, chapter 23 (active sets; here the plain elimination).
    """
    if len(loads) != len(seconds) or len(loads) < 4 or min(seconds, default=0) <= 0:
        raise ValueError(
            f"{len(loads)} loads, {len(seconds)} times: expected as many of each, at least four, "
            "all times above 0"
        )
    table = np.array([[1, x.tokens, x.looks, x.requests] for x in loads], dtype=np.float64)
    weighted = table / np.array(seconds)[:, None]
    parts, kept = np.zeros(4), [0, 1, 2, 3]
    while kept:
        scale = np.abs(weighted[:, kept]).max(axis=0).clip(1e-300)
        found, *_ = np.linalg.lstsq(weighted[:, kept] / scale, np.ones(len(loads)), rcond=None)
        found /= scale
        if (found >= 0).all():
            parts[kept] = found
            break
        kept.pop(int(np.argmin(found * scale)))
    step, token, look, request = parts.tolist()
    return Cost(step=step, token=token, look=look, request=request)


@dataclass(frozen=True)
class Calibrated:
    """Give a cost, and how far its steps are from those measured.

    Args:
        cost: the seconds of a step.
        error: the median over the steps of how far predicted ÷ measured is from 1.
        steps: how many steps were measured.
    """

    cost: Cost
    error: float
    steps: int


def calibrate(server: Server, workload: Workload, *, warmup: int = 3) -> Calibrated:
    """Run a workload, all of it at once, and fit a cost to the steps.

    The workload should do what the simulated one will: prompts of such lengths, as many requests
    at once.

    Args:
        server: an engine, with nothing to do yet.
        workload: what to run; its arrival times are not used.
        warmup: steps at the beginning that are not counted.

    Raises:
        ValueError: the workload takes too few steps, or a request cannot be served.
    """
    for _, request in workload.draw():
        server.submit(request)
    measured: list[tuple[Load, float]] = []
    while (step := server.step()) is not None:
        measured.append((step.load, step.seconds))
    return fitted(measured[warmup:])


def fitted(measured: Sequence[tuple[Load, float]]) -> Calibrated:
    """Fit a cost to measured steps, and say how well it fits.

    Args:
        measured: what each step did, and its seconds.

    Raises:
        ValueError: there are fewer than four steps.
    """
    loads, seconds = [load for load, _ in measured], [time for _, time in measured]
    cost = fit(loads, seconds)
    errors = [abs(cost.seconds(load) / time - 1) for load, time in measured]
    return Calibrated(cost, percentile(errors, 0.5), len(measured))


class Simulator(Server):
    """Take the steps that an engine would take, and say how long they would last.

    Args:
        scheduler: plans the steps, as the engine's does.
        cost: seconds of a step.
    """

    def __init__(self, scheduler: Scheduler, cost: Cost) -> None:
        super().__init__(scheduler)
        self.cost = cost

    def ends(self, request: Request) -> Sequence[Stop]:
        """Return no conditions: what is drawn are no tokens of a model, whatever ``request``."""
        return []

    def compute(self, work: Sequence[Work]) -> tuple[list[int | Fault | None], float]:
        """Grow the tables of ``work``, draw token 0, and return what the cost says.

        Answers end by their length only.
        """
        grow([one.running.table for one in work], [one.first + one.count for one in work])
        tokens: list[int | Fault | None] = [0 if one.draws else None for one in work]
        return tokens, self.cost.seconds(load_of(work))


def scheduler_for(
    *,
    pages: Whole,
    page_size: Whole,
    token_budget: Whole,
    max_running: Whole,
    prefix_cache: bool = True,
    continuous: bool = True,
) -> Scheduler:
    """Make the scheduler that an :class:`Engine` with the same arguments has, without a model.

    Args:
        pages: pages of the cache.
        page_size: positions on a page.
        token_budget: positions computed in one step, at most.
        max_running: requests that run at once, at most.
        prefix_cache: whether prompts that begin alike share pages.
        continuous: whether requests join those that run; see :class:`Scheduler`.

    Raises:
        ValueError: a number is below 1.
    """
    pool = PagePool(
        n_layers=1,
        n_pages=whole(pages, "pages"),
        page_size=whole(page_size, "page_size"),
        n_kv_heads=1,
        width=1,
    )
    return Scheduler(
        pool,
        token_budget=token_budget,
        max_running=max_running,
        prefix_cache=PrefixCache(pool) if prefix_cache else None,
        continuous=continuous,
    )
