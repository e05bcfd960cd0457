"""How a server did, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from plainformer.serving.workload import Served, percentile


@dataclass(frozen=True, kw_only=True)
class Report:
    """Say how a server did: how much it answered, how fast, and how long each had to wait.

    Args:
        served: one entry for each request, in the order of their numbers.
        steps: how many steps were taken.
        seconds: from time 0 to the last token.
        busy: seconds of all steps; the rest the server had nothing to do.
        preemptions: how often a request lost its pages.
        reused: share of the prompts' positions found in the prefix cache.
    """

    served: list[Served]
    steps: int
    seconds: float
    busy: float
    preemptions: int
    reused: float

    @property
    def throughput(self) -> float:
        """New tokens a second."""
        return sum(one.tokens for one in self.served) / self.seconds

    def to_first(self, share: float) -> float:
        """Return the seconds to the first token that a ``share`` of the requests keep within."""
        return percentile([one.to_first for one in self.served], share)

    def each(self, share: float) -> float:
        """Return the seconds for each further token that a ``share`` of requests keep within."""
        return percentile([one.each for one in self.served if one.tokens > 1] or [0.0], share)

    def summary(self) -> dict[str, float]:
        """Return the numbers that :func:`table` shows, by their names."""
        return {
            "tokens a second": self.throughput,
            "seconds to the first token, median": self.to_first(0.5),
            "seconds to the first token, 95 %": self.to_first(0.95),
            "seconds for each further token, median": self.each(0.5),
            "seconds for each further token, 95 %": self.each(0.95),
            "seconds in all": self.seconds,
            "share of them busy": self.busy / self.seconds,
            "steps": self.steps,
            "preemptions": self.preemptions,
            "share of prompts found in the prefix cache": self.reused,
        }


def table(reports: Mapping[str, Report]) -> str:
    """Write reports side by side, one line for each number.

    Args:
        reports: by the name of their column.
    """
    columns = {name: report.summary() for name, report in reports.items()}
    lines = [f"{'':44}" + "".join(f"{name:>12}" for name in columns)]
    for what in next(iter(columns.values())):
        lines.append(f"{what:44}" + "".join(f"{column[what]:12.4g}" for column in columns.values()))
    return "\n".join(lines)
