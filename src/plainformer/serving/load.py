"""The load of a step: what decides how long it takes."""

from collections.abc import Sequence
from dataclasses import dataclass

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


def load_of(work: Sequence[Work]) -> Load:
    """Add up what the requests of a step do.

    Args:
        work: what the scheduler planned.
    """
    looks = sum(w.count * w.first + w.count * (w.count + 1) // 2 for w in work)
    return Load(sum(w.count for w in work), looks, len(work))
