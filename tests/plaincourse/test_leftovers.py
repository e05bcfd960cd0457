"""Freed memory does not contain the inputs of an earlier call."""

import os
import subprocess
import sys

import pytest

from plaincourse.kernels.client import environment

_LOOK = """
import sys
import numpy as np
import torch
from plaincourse.judge.leftovers import overwrite

def found(make, empty, n):
    made = make(n)
    values = set(made.flatten()[n // 2 :].tolist())
    del made
    if sys.argv[1] == "after a test":
        overwrite()
    return len(values & set(empty(n).flatten().tolist()))

WAYS = {
    "torch": (torch.rand, torch.empty),
    "a storage": (torch.rand, lambda n: torch.tensor([]).resize_(n)),
    "the old constructor": (torch.rand, torch.Tensor),
    "NumPy": (np.random.rand, np.empty),
    "NumPy's own": (np.random.rand, np.ndarray),
    "NumPy, like another": (np.random.rand, lambda n: np.empty_like(np.broadcast_to(0.5, n))),
    "from one to the other": (lambda n: torch.rand(n, dtype=torch.float64), np.empty),
}
for name, (make, empty) in WAYS.items():
    for n in (4, 16, 100, 200, 1000, 10_000, 60_000):
        if count := found(make, empty, n):
            print(f"{name}: {count} of {n // 2}")
"""


def _seen(env: dict[str, str], when: str) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", _LOOK, when], env=env, capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="it is the C library of Linux that overwrites")
def test_nothing_of_an_earlier_test_is_left_in_memory() -> None:
    env = environment({**os.environ})
    assert _seen(env, "after a test") == []
    usual = {name: value for name, value in env.items() if name != "GLIBC_TUNABLES"}
    assert _seen(usual, "after a test")  # the successful ways vary by chance
    assert any(each.startswith("NumPy") for each in _seen(env, "at once"))
