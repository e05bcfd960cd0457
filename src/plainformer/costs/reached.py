"""Measure the share of a machine's peaks that an operation reaches: MFU and MBU."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch

from plainformer.costs.decoder import decode_step
from plainformer.costs.operations import Count, check_sizes
from plainformer.costs.roofline import Machine, best_seconds
from plainformer.models.caches import caches_for
from plainformer.models.one_stack import Decoder


@dataclass(frozen=True)
class Reached:
    """The duration of an operation, and the share of a machine's peaks that it reached.

    Args:
        count: the FLOPs and the bytes that the operation needs.
        seconds: its duration.
        machine: the machine to compare with.

    >>> Reached(Count(50, 12), 2.0, Machine(100.0, 10.0))
    Reached: 2000 ms, floor 1200 ms (memory); MBU 60 %, MFU 25 %
    """

    count: Count
    seconds: float
    machine: Machine

    @property
    def floor_seconds(self) -> float:
        """The fewest seconds that the machine allows."""
        return self.machine.floor_seconds(self.count)

    @property
    def bound(self) -> Literal["memory", "arithmetic"]:
        """The roof that limits the operation."""
        return "memory" if self.count.intensity < self.machine.ridge else "arithmetic"

    @property
    def mbu(self) -> float:
        """The share of the peak traffic (model bandwidth utilisation)."""
        return self.machine.mbu(self.count, self.seconds)

    @property
    def mfu(self) -> float:
        """The share of the peak arithmetic (model FLOPs utilisation)."""
        return self.machine.mfu(self.count, self.seconds)

    def __repr__(self) -> str:
        """Write the times in milliseconds and the shares in per cent."""
        return (
            f"Reached: {1e3 * self.seconds:.4g} ms, floor {1e3 * self.floor_seconds:.4g} ms "
            f"({self.bound}); MBU {self.mbu:.0%}, MFU {self.mfu:.0%}".replace("%", " %")
        )


def reach(
    run: Callable[[], object],
    count: Count,
    machine: Machine,
    *,
    budget_seconds: float | int = 0.3,
    device: torch.device | None = None,
) -> Reached:
    """Time an operation, and compare it with a machine.

    Args:
        run: performs the operation.
        count: the FLOPs and the bytes that it needs, however many it executes and moves.
        machine: published peaks, or the result of :func:`~plainformer.costs.roofline.measure`.
        budget_seconds: time for the repetitions.
        device: the device to wait for before the clock is read; none for the CPU.

    Raises:
        ValueError: the budget is not above 0.
    """
    return Reached(count, best_seconds(run, budget_seconds=budget_seconds, device=device), machine)


@torch.inference_mode()
def reach_decode(
    model: Decoder,
    machine: Machine,
    *,
    k: int,
    batch: int = 1,
    budget_seconds: float | int = 0.3,
) -> Reached:
    """Time one step of decoding with a static cache, and compare it with a machine.

    The cache is filled once. Each repetition removes its last position and appends it again, so
    that all steps are the same.

    Args:
        model: the decoder; its weights determine the dtype and the device.
        machine: the machine to compare with.
        k: positions of each sequence, including the new one.
        batch: sequences b.
        budget_seconds: time for the repetitions.

    Raises:
        ValueError: a size is not a whole number of at least 1, or the budget is not above 0.

    Cost: a forward pass over the first k − 1 positions, and the time requested.

    Ref: Agarwal et al. 2023 (Databricks, "LLM Inference Performance Engineering").
    """
    check_sizes(k=k, batch=batch)
    weight = next(model.parameters())
    caches = caches_for(
        model.config, "static", batch=batch, capacity=k, dtype=weight.dtype, device=weight.device
    )
    tokens = torch.zeros(batch, k, dtype=torch.long, device=weight.device)
    if k > 1:
        model(tokens[:, :-1], caches=caches)

    def step() -> None:
        for cache in caches:
            cache.truncate(k - 1)
        model(tokens[:, -1:], caches=caches)

    count = decode_step(model.config, k, batch=batch, itemsize=weight.element_size())
    return reach(step, count, machine, budget_seconds=budget_seconds, device=weight.device)
