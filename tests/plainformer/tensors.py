"""Awkward tensors for property tests."""

import torch
from hypothesis import strategies as st
from torch import Tensor

AWKWARD_SIZES = st.sampled_from([1, 2, 3, 5, 7])
SEEDS = st.integers(0, 2**31 - 1)


def normal(*shape: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Draw from the standard normal distribution, always in float64 first."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def coins(*shape: int, seed: int) -> Tensor:
    """Draw a boolean mask, True with probability one half."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.5


def qkv(
    b: int = 2, h: int = 3, q: int = 4, k: int = 5, d: int = 7, e: int = 6, *, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries, keys and values whose axes all differ in length."""
    return (
        normal(b, h, q, d, seed=seed),
        normal(b, h, k, d, seed=seed + 1),
        normal(b, h, k, e, seed=seed + 2),
    )
