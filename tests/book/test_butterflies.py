"""The book's claims about training hold if every weight changes by its last bit."""

import os
import subprocess
import sys

import pytest

from tests.book.committed import ROOT

WINGS = ROOT / "tests" / "butterfly"
TRAIN = """
import torch
torch.manual_seed(0)
layer = torch.nn.Linear(40, 40)
before, state = layer.weight.detach().clone(), torch.get_rng_state()
class Step(torch.optim.Optimizer):
    def step(self): pass
optimiser = Step(layer.parameters(), {})
optimiser.step()
once = layer.weight.detach().clone()
optimiser.step()
moved = (once / before - 1).abs()
same = torch.equal(once, layer.weight) and torch.equal(state, torch.get_rng_state())
print(float(moved.max()), float((moved > 0).float().mean()), same)
"""


def shaken(seed: str) -> tuple[float, float, str]:
    environment = {**os.environ, "PYTHONPATH": str(WINGS), "BUTTERFLY": seed}
    run = subprocess.run(
        [sys.executable, "-c", TRAIN], env=environment, capture_output=True, text=True, check=True
    )
    most, share, same = run.stdout.split()
    return float(most), float(share), same


def test_a_butterfly_moves_weights_once_by_their_last_bits_and_no_other_draw():
    most, share, same = shaken("1")
    assert 1e-7 < most < 1e-6
    assert share > 0.5
    assert same == "True"


def test_without_a_seed_nothing_moves():
    assert shaken("")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        "BUTTERFLY=1",
        "BUTTERFLY=2 THREADS=2",
        "BUTTERFLY=3 PROCESSOR=avx2",
        "BUTTERFLY=4 PROCESSOR=avx2 THREADS=2",
        "BUTTERFLY=5 PROCESSOR=default",
    ],
)
def test_the_book_holds_under_a_butterfly(settings):
    command = ["make", "notebooks", *settings.split()]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-8000:]
