"""The load of a step, which determines its duration."""

from collections.abc import Sequence
from dataclasses import dataclass

from plainformer.serving.scheduler import Work


@dataclass(frozen=True)
class Load:
    """The work of one step.

    Args:
        tokens: positions computed.
        looks: pairs of a query and a key, summed over the requests.
        requests: number of requests in the step.
    """

    tokens: int
    looks: int
    requests: int


def load_of(work: Sequence[Work]) -> Load:
    """Add up the work of the requests in a step.

    Args:
        work: the scheduler's plan.
    """
    looks = sum(w.count * w.first + w.count * (w.count + 1) // 2 for w in work)
    return Load(sum(w.count for w in work), looks, len(work))
