"""A step's achieved rate is its count divided by its measured time."""

import pytest
import torch

from plainformer.costs import (
    Count,
    Machine,
    OperationCounter,
    Reached,
    decode_step,
    reach,
    reach_decode,
)
from plainformer.costs import reached as module
from plainformer.models import Config, Decoder

SMALL = Config(vocabulary=31, d_model=24, n_layers=3, n_heads=6, n_kv_heads=2, d_ff=40)
MACHINE = Machine(100.0, 10.0)


def test_shares_and_roof_by_hand():
    found = Reached(Count(50, 12), 2.0, MACHINE)
    assert (found.mbu, found.mfu, found.floor_seconds) == (0.6, 0.25, 1.2)
    assert found.bound == "memory"
    assert Reached(Count(500, 12), 6.0, MACHINE).bound == "arithmetic"
    assert repr(found) == "Reached: 2000 ms, floor 1200 ms (memory); MBU 60 %, MFU 25 %"


def test_the_shorter_time_counts():
    calls = []
    found = reach(lambda: calls.append(1), Count(1, 1), MACHINE, budget_seconds=1e-9)
    assert len(calls) == 4
    assert 0 < found.seconds < 1


@pytest.mark.parametrize(("k", "batch"), [(1, 1), (7, 3)])
def test_every_repetition_is_the_same_step_at_the_same_position(monkeypatch, k, batch):
    counted = []

    def twice(run, **_):
        for _ in range(2):
            with OperationCounter() as counter:
                run()
            counted.append(counter.products)
        return 1.0

    monkeypatch.setattr(module, "best_seconds", twice)
    found = reach_decode(Decoder(SMALL), MACHINE, k=k, batch=batch)
    assert found.count == decode_step(SMALL, k, batch=batch, itemsize=4)
    assert counted == 2 * [found.count.flops]


def test_the_dtype_of_the_weights_is_counted():
    model = Decoder(SMALL).to(torch.bfloat16)
    found = reach_decode(model, MACHINE, k=3, budget_seconds=1e-9)
    assert found.count == decode_step(SMALL, 3, itemsize=2)


@pytest.mark.parametrize("sizes", [{"k": 0}, {"k": 2, "batch": 0}])
def test_sizes_that_cannot_be_are_refused_by_name(sizes):
    with pytest.raises(ValueError, match="=0: expected a whole number"):
        reach_decode(Decoder(SMALL), MACHINE, **sizes)
