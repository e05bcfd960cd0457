"""What a server is asked over time: arrivals, lengths, and how many prompts begin alike."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from plainformer.serving.request import Request


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Describe requests that come one by one, independently of each other.

    Args:
        requests: how many.
        rate: requests a second, on average; the gaps are exponential (a Poisson process).
        prompt_tokens: shortest and longest prompt; all lengths between are alike.
        answer_tokens: shortest and longest answer, likewise.
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
            request = Request(prompt=prompt, max_new_tokens=chance.randint(*self.answer_tokens))
            asked.append((at, request))
        return asked

    def _tokens(self, chance: random.Random, count: int) -> list[int]:
        return [chance.randrange(self.vocabulary) for _ in range(count)]


@dataclass(frozen=True, kw_only=True)
class Served:
    """Say when one request came, began to be answered, and was done; in seconds.

    Args:
        arrived: when it came.
        first: when its first token was there.
        done: when its last token was there.
        tokens: how many tokens it got.
    """

    arrived: float
    first: float
    done: float
    tokens: int

    @property
    def to_first(self) -> float:
        """Seconds from arrival to the first token."""
        return self.first - self.arrived

    @property
    def each(self) -> float:
        """Seconds from one token to the next, on average; 0 for an answer of one token."""
        return (self.done - self.first) / (self.tokens - 1) if self.tokens > 1 else 0.0


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
