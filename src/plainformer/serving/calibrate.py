"""Measure an engine's steps, so that the simulator can stand in for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from plainformer.serving.cost import Cost, Load, fit
from plainformer.serving.server import Server
from plainformer.serving.workload import Workload, percentile


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
