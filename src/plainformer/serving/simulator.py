"""A server without a model: random requests, and durations from a formula.

The formula has a few numbers, :class:`Cost`, fitted to the measured steps of an engine.
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
    """Requests that arrive one by one, independently of each other.

    Args:
        requests: number of requests.
        rate: requests per second, on average; the gaps are exponential (a Poisson process).
        prompt_tokens: shortest and longest prompt; all lengths in between are equally likely.
        answer_tokens: shortest and longest answer, likewise; no token ends it earlier.
        shared_tokens: number of first tokens that all prompts share, such as one document.
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
        """Return the requests with their arrival times in seconds, in order."""
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
        step: seconds for each step, whatever its load.
        token: seconds for each position computed.
        look: seconds for each pair of a query and a key.
        request: seconds for each request in the step.

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
        """Return the duration of a step with this ``load``."""
        parts = (1, load.tokens, load.looks, load.requests)
        return float(np.dot(parts, (self.step, self.token, self.look, self.request)))


def fit(loads: Sequence[Load], seconds: Sequence[float]) -> Cost:
    """Find the cost that predicts measured steps with the least squares of relative errors.

    Each step has the same weight, whether it is long or short. No part may be negative: a part that
    would be is left out, and the others are fitted again.

    Args:
        loads: load of each step.
        seconds: duration of each step.

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
    """A cost, and the error of its predictions.

    Args:
        cost: the seconds of a step.
        error: the median over the steps of the distance of predicted ÷ measured from 1.
        steps: how many steps were measured.
    """

    cost: Cost
    error: float
    steps: int


def calibrate(server: Server, workload: Workload, *, warmup: int = 3) -> Calibrated:
    """Run a workload, with all requests at once, and fit a cost to the steps.

    The workload should resemble the simulated one: prompts of similar lengths, and a similar number
    of requests in parallel.

    Args:
        server: an engine that is still idle.
        workload: the workload to run; its arrival times are not used.
        warmup: steps at the beginning that are ignored.

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
    """Fit a cost to measured steps, and compute its error.

    Args:
        measured: load and seconds of each step.

    Raises:
        ValueError: there are fewer than four steps.
    """
    loads, seconds = [load for load, _ in measured], [time for _, time in measured]
    cost = fit(loads, seconds)
    errors = [abs(cost.seconds(load) / time - 1) for load, time in measured]
    return Calibrated(cost, percentile(errors, 0.5), len(measured))


class Simulator(Server):
    """Take the steps that an engine would take, and predict their duration.

    Args:
        scheduler: plans the steps, as the engine's does.
        cost: seconds of a step.
    """

    def __init__(self, scheduler: Scheduler, cost: Cost) -> None:
        super().__init__(scheduler)
        self.cost = cost

    def ends(self, request: Request) -> Sequence[Stop]:
        """Return no conditions, because the tokens are not a model's, whatever ``request``."""
        return []

    def compute(self, work: Sequence[Work]) -> tuple[list[int | Fault | None], float]:
        """Extend the tables of ``work``, draw token 0, and return the predicted seconds.

        Answers end only by their length.
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
    """Make the scheduler of an :class:`Engine` with the same arguments, without a model.

    Args:
        pages: pages of the cache.
        page_size: positions on a page.
        token_budget: the largest number of positions computed in one step.
        max_running: the largest number of requests that run in parallel.
        prefix_cache: whether prompts with the same beginning share pages.
        continuous: whether new requests join running ones; see :class:`Scheduler`.

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
