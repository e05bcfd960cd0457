"""Peaks of machines, as published by their manufacturers."""

from collections.abc import Mapping

from plainformer.costs.roofline import Machine


def _rooflines(
    name: str, bytes_per_second: float, peaks: Mapping[int, float]
) -> dict[int, Machine]:
    return {size: Machine(peak, bytes_per_second, name) for size, peak in peaks.items()}


# By name, then by the bytes of a number: 4 (float32), 2 (bfloat16), 1 (FP8 or INT8). For products
# of dense matrices, without the factor of two that NVIDIA lists for sparse ones. Data sheets of
# NVIDIA's H100 SXM and A100 SXM with 80 GB; for a TPU v5e, Austin et al. 2025, "inference".
MACHINES: Mapping[str, Mapping[int, Machine]] = {
    "H100": _rooflines("H100 SXM", 3.35e12, {4: 67e12, 2: 989e12, 1: 1979e12}),
    "A100": _rooflines("A100 SXM 80 GB", 2.039e12, {4: 19.5e12, 2: 312e12, 1: 624e12}),
    "TPU v5e": _rooflines("TPU v5e", 8.2e11, {2: 1.97e14}),
}
