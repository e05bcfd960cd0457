"""How long a step takes: a few numbers, fitted to steps that were measured."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from plainformer.serving.scheduler import Work


@dataclass(frozen=True)
class Load:
    """What a step had to do.

    Args:
        tokens: positions computed.
        looks: pairs of a query and a key, summed over the requests.
        requests: requests that took part.
    """

    tokens: int
    looks: int
    requests: int


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


def load_of(work: Sequence[Work]) -> Load:
    """Add up what the requests of a step do.

    Args:
        work: what the scheduler planned.
    """
    looks = sum(w.count * w.first + w.count * (w.count + 1) // 2 for w in work)
    return Load(sum(w.count for w in work), looks, len(work))


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
    return Cost(step=parts[0], token=parts[1], look=parts[2], request=parts[3])
