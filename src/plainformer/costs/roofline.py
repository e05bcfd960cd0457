"""The roofline of a machine: its measured peaks, and the share of them that a step reaches."""

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
    r"""The speed of a machine in arithmetic and in memory traffic: its roofline.

    .. math:: \text{attainable} = \min(\text{peak},\ \text{bandwidth} \cdot \text{intensity})

    Args:
        flops_per_second: peak arithmetic.
        bytes_per_second: peak traffic between memory and processor.
        name: name of the machine, and the number of threads.

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
        """The intensity, in FLOPs per byte, from which arithmetic is the limit."""
        return self.flops_per_second / self.bytes_per_second

    def attainable(self, intensity: float | int) -> float:
        """Return the highest FLOPs per second that an operation of an intensity can reach.

        Args:
            intensity: FLOPs per byte.

        Raises:
            ValueError: it is negative.
        """
        if not intensity >= 0:
            raise ValueError(f"intensity={intensity}: expected FLOPs per byte, 0 or more")
        return min(self.flops_per_second, self.bytes_per_second * intensity)

    def floor_seconds(self, count: Count) -> float:
        """Return the fewest seconds of an operation: the longer of its arithmetic and its traffic.

        Args:
            count: the FLOPs and the bytes.
        """
        return max(count.flops / self.flops_per_second, count.nbytes / self.bytes_per_second)

    def mfu(self, count: Count, seconds: float | int) -> float:
        """Return the share of the peak arithmetic that was reached (model FLOPs utilisation).

        Args:
            count: the FLOPs that the operation needs, however many were executed.
            seconds: its duration.

        Raises:
            ValueError: the time is not above 0.

        Ref: Chowdhery et al. 2022 (PaLM), section 4.1.
        """
        return count.flops / _positive(seconds) / self.flops_per_second

    def mbu(self, count: Count, seconds: float | int) -> float:
        """Return the share of the peak traffic that was reached (model bandwidth utilisation).

        Args:
            count: the bytes that the operation must move: weights and cache of a decode step.
            seconds: its duration.

        Raises:
            ValueError: the time is not above 0.

        Ref: Agarwal et al. 2023 (Databricks, "LLM Inference Performance Engineering").
        """
        return count.nbytes / _positive(seconds) / self.bytes_per_second


def critical_batch(machine: Machine, config: Config, k: int, *, itemsize: int = 2) -> float:
    r"""Return the batch size from which a decode step is limited by arithmetic, not by traffic.

    With W bytes of weights, and for each sequence F FLOPs and C bytes of cache, the two times are
    equal at

    .. math:: b = \frac{W / \text{bandwidth}}{F / \text{peak} - C / \text{bandwidth}}

    Without a cache this is ridge · itemsize / 2. If a sequence's cache takes longer to read than
    its FLOPs to compute, no batch is large enough.

    Args:
        machine: its speeds of arithmetic and traffic.
        config: configuration of the decoder.
        k: positions of each sequence.
        itemsize: bytes of a number.

    Returns:
        A number of sequences, not rounded; ``math.inf`` if no batch is large enough.

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
    """Time a function: one warm-up, then repetitions, of which the shortest counts.

    Other programs can only make a run longer, so the shortest is the most accurate.

    Args:
        run: the function to time.
        budget_seconds: time for the repetitions; there are at least three.
        device: the device to wait for before the clock is read; none for the CPU.

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
    """Measure this machine's roofline, with PyTorch's current number of threads.

    Peak arithmetic is the best rate of square products of a few sizes. Peak traffic is the better
    rate of copying a tensor (which reads and writes it) and summing it (which reads it).

    Args:
        device: the device to measure.
        dtype: dtype of the numbers.
        budget_seconds: approximate duration, besides making the tensors.
        stream_bytes: bytes of the tensor that is copied, larger than the caches: usually four times
            the last-level cache.

    Raises:
        ValueError: the budget is not above 0, or ``stream_bytes`` is not a whole number of at
            least 1.

    Cost: the time requested; twice ``stream_bytes`` of memory.

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
    """Wait until a device has done its work, so that a clock measures it."""
    if device is not None and device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device is not None and device.type == "mps":
        torch.mps.synchronize()
