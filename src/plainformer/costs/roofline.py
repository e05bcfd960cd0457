"""The roofline of a machine: what it can do at most, measured, and what share a step reaches."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from plainformer.costs.decoder import decode_step
from plainformer.costs.operations import Count, check_sizes
from plainformer.models.config import Config

SIDES = {"cpu": (256, 512, 1024), "cuda": (2048, 4096, 8192), "mps": (1024, 2048)}


@dataclass(frozen=True)
class Machine:
    r"""Say how fast a machine computes and how fast it moves: its roofline.

    .. math:: \text{attainable} = \min(\text{peak},\ \text{bandwidth} \cdot \text{intensity})

    Args:
        flops_per_second: peak arithmetic.
        bytes_per_second: peak traffic between memory and processor.
        name: which machine, and with how many threads.

    Raises:
        ValueError: a rate is not above 0.

    Ref: Williams et al. 2009, "The Roofline Model".

    >>> machine = Machine(flops_per_second=100e9, bytes_per_second=20e9)
    >>> machine.ridge, machine.attainable(2.5), machine.attainable(50)
    (5.0, 50000000000.0, 100000000000.0)
    """

    flops_per_second: float | int
    bytes_per_second: float | int
    name: str = ""

    def __post_init__(self) -> None:
        for what in ("flops_per_second", "bytes_per_second"):
            if not getattr(self, what) > 0:
                raise ValueError(f"{what}={getattr(self, what)}: expected a rate above 0")

    @property
    def ridge(self) -> float:
        """The intensity, in FLOPs per byte, from which on arithmetic is the limit."""
        return self.flops_per_second / self.bytes_per_second

    def attainable(self, intensity: float | int) -> float:
        """Return the most FLOPs per second that work of an intensity can reach.

        Args:
            intensity: FLOPs per byte.

        Raises:
            ValueError: it is negative.
        """
        if not intensity >= 0:
            raise ValueError(f"intensity={intensity}: expected FLOPs per byte, 0 or more")
        return min(self.flops_per_second, self.bytes_per_second * intensity)

    def floor_seconds(self, count: Count) -> float:
        """Return the least seconds that work takes: its arithmetic or its traffic, the longer.

        Args:
            count: the FLOPs and the bytes.
        """
        return max(count.flops / self.flops_per_second, count.nbytes / self.bytes_per_second)

    def mfu(self, count: Count, seconds: float | int) -> float:
        """Return the share of the peak arithmetic that work reached (model FLOPs utilisation).

        Args:
            count: the FLOPs that the work needs, however many were executed.
            seconds: how long it took.

        Raises:
            ValueError: the time is not above 0.

        Ref: Chowdhery et al. 2022 (PaLM), section 4.1.
        """
        return count.flops / _positive(seconds) / self.flops_per_second

    def mbu(self, count: Count, seconds: float | int) -> float:
        """Return the share of the peak traffic that work reached (model bandwidth utilisation).

        Args:
            count: the bytes that the work must move: weights and cache of a decode step.
            seconds: how long it took.

        Raises:
            ValueError: the time is not above 0.

        Ref: Agarwal et al. 2023 (Databricks, "LLM Inference Performance Engineering").
        """
        return count.nbytes / _positive(seconds) / self.bytes_per_second


def critical_batch(machine: Machine, config: Config, k: int, *, itemsize: int = 2) -> float:
    r"""Return the batch from which on a decode step is limited by arithmetic, not by traffic.

    With W bytes of weights, and for each sequence F FLOPs and C bytes of cache, the two times are
    equal at

    .. math:: b = \frac{W / \text{bandwidth}}{F / \text{peak} - C / \text{bandwidth}}

    Without a cache this is ridge · itemsize / 2. Where a sequence's cache takes longer to read
    than its FLOPs to compute, no batch is large enough.

    Args:
        machine: how fast it computes and moves.
        config: what the decoder is made of.
        k: positions of each sequence.
        itemsize: bytes of a number.

    Returns:
        A number of sequences, not rounded; ``math.inf`` where there is none.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    Ref: Pope et al. 2023, section 2; Austin et al. 2025 ("How to Scale Your Model", inference).
    """
    one, two = (decode_step(config, k, batch=b, itemsize=itemsize) for b in (1, 2))
    each = Count(two.flops - one.flops, two.nbytes - one.nbytes)
    weights = (one.nbytes - each.nbytes) / machine.bytes_per_second
    gained = each.flops / machine.flops_per_second - each.nbytes / machine.bytes_per_second
    return weights / gained if gained > 0 else math.inf


def best_seconds(
    run: Callable[[], object],
    *,
    budget_seconds: float | int = 0.3,
    device: torch.device | None = None,
) -> float:
    """Time something: once to warm up, then again and again; the shortest counts.

    What else runs on the machine only makes a run longer, so the shortest is nearest the truth.

    Args:
        run: what is timed.
        budget_seconds: time for the repetitions; there are at least three.
        device: what to wait for before the clock is read; nothing on the CPU.

    Raises:
        ValueError: the budget is not above 0.
    """
    deadline = time.perf_counter() + _positive(budget_seconds)
    times: list[float] = []
    run()
    while len(times) < 3 or time.perf_counter() < deadline:
        _wait(device)
        start = time.perf_counter()
        run()
        _wait(device)
        times.append(time.perf_counter() - start)
    return min(times)


def measure(
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    budget_seconds: float | int = 1.0,
    stream_bytes: int = 2**27,
) -> Machine:
    """Measure this machine's roofline, with as many threads as PyTorch has now.

    Peak arithmetic is the best rate of square products of a few sizes. Peak traffic is the better
    of copying a tensor (which reads and writes it) and adding it up (which reads it).

    Args:
        device: where.
        dtype: of the numbers.
        budget_seconds: about how long it may take, besides making the tensors.
        stream_bytes: bytes of the tensor that is copied, more than the caches hold: four times
            the last-level cache is the rule.

    Raises:
        ValueError: the budget is not above 0, or ``stream_bytes`` is not a whole number of at
            least 1.

    Cost: the time asked for; twice ``stream_bytes`` of memory.

    Ref: McCalpin 1995 (STREAM; a copy counts its reads and its writes).
    """
    device = torch.device(device)
    check_sizes(stream_bytes=stream_bytes)
    sides = SIDES[device.type]
    each = _positive(budget_seconds) / (len(sides) + 2)
    rates = []
    for side in sides:
        left, right, out = (torch.ones(side, side, dtype=dtype, device=device) for _ in range(3))
        seconds = best_seconds(
            lambda left=left, right=right, out=out: torch.mm(left, right, out=out),  # type: ignore[misc]
            budget_seconds=each,
            device=device,
        )
        rates.append(2 * side**3 / seconds)
    source = torch.ones(max(1, stream_bytes // dtype.itemsize), dtype=dtype, device=device)
    target = torch.empty_like(source)
    copied = best_seconds(lambda: target.copy_(source), budget_seconds=each, device=device)
    added = best_seconds(source.sum, budget_seconds=each, device=device)
    name = f"{device.type}, {torch.get_num_threads()} threads, {str(dtype).removeprefix('torch.')}"
    return Machine(max(rates), max(2 * source.nbytes / copied, source.nbytes / added), name)


def _positive(seconds: float | int) -> float:
    if not seconds > 0:
        raise ValueError(f"{seconds} seconds: expected a time above 0")
    return seconds


def _wait(device: torch.device | None) -> None:
    """Wait for what a device was asked to do, so that a clock tells its time."""
    if device is not None and device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device is not None and device.type == "mps":
        torch.mps.synchronize()
