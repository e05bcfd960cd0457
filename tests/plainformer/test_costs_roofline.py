"""Laws of the roofline, the least time of a step and the critical batch."""

import math
import time

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from plainformer.costs import (
    PUBLIC,
    Count,
    Machine,
    best_seconds,
    critical_batch,
    decode_step,
    measure,
)
from plainformer.models import Config

RATE = st.floats(1e6, 1e15)
# H100 SXM: 989 TFLOP/s dense in bfloat16, 3.35 TB/s.
LARGE = Machine(989e12, 3.35e12)
SMALL = Config(vocabulary=31, d_model=24, n_layers=3, n_heads=6, n_kv_heads=2, d_ff=40)


@given(RATE, RATE, st.floats(0, 1e6))
def test_the_roof_is_the_lower_of_both_limits_and_they_meet_at_the_ridge(peak, bandwidth, x):
    machine = Machine(peak, bandwidth)
    assert machine.attainable(x) == min(peak, bandwidth * x)
    assert machine.attainable(machine.ridge) == pytest.approx(peak)
    assert machine.attainable(machine.ridge / 2) == pytest.approx(peak / 2)
    assert machine.attainable(2 * machine.ridge) == peak


@given(RATE, RATE, st.integers(1, 10**15), st.integers(1, 10**15))
def test_the_floor_is_the_work_over_what_is_attainable(peak, bandwidth, flops, nbytes):
    machine, count = Machine(peak, bandwidth), Count(flops, nbytes)
    seconds = machine.floor_seconds(count)
    assert seconds == pytest.approx(flops / machine.attainable(count.intensity))
    # In the least time, one of the two limits is fully used, and neither is exceeded.
    assert max(machine.mfu(count, seconds), machine.mbu(count, seconds)) == pytest.approx(1)


def test_shares_by_hand():
    machine = Machine(100.0, 10.0)
    assert machine.mfu(Count(50, 40), 2.0) == 0.25
    assert machine.mbu(Count(50, 12), 2.0) == 0.6
    assert machine.floor_seconds(Count(50, 40)) == 4.0


@given(RATE, RATE, st.integers(1, 4000), st.sampled_from([1, 2, 4]))
def test_at_the_critical_batch_arithmetic_and_traffic_take_as_long(peak, bandwidth, k, itemsize):
    machine = Machine(peak, bandwidth)
    batch = critical_batch(machine, SMALL, k, itemsize=itemsize)
    assume(batch < 1e6)
    one, two = (decode_step(SMALL, k, batch=b, itemsize=itemsize) for b in (1, 2))
    flops = one.flops + (batch - 1) * (two.flops - one.flops)
    nbytes = one.nbytes + (batch - 1) * (two.nbytes - one.nbytes)
    assert flops / peak == pytest.approx(nbytes / bandwidth)


def test_without_a_cache_the_critical_batch_is_half_the_ridge_times_the_itemsize():
    config = PUBLIC["Llama 3 8B"].config
    for itemsize in (1, 2, 4):
        batch = critical_batch(LARGE, config, 1, itemsize=itemsize)
        assert batch == pytest.approx(LARGE.ridge * itemsize / 2, rel=0.02)


def test_a_longer_cache_raises_the_critical_batch_until_there_is_none():
    config = PUBLIC["Llama 3 8B"].config
    batches = [critical_batch(LARGE, config, k) for k in (1, 100, 300, 1000, 8192)]
    assert batches == sorted(batches)
    assert math.isinf(batches[-1])


def test_timing_takes_the_shortest_of_at_least_three_runs_after_one_to_warm_up():
    waits, calls = iter([0.0, 0.03, 0.01, 0.03]), []

    def run():
        calls.append(1)
        time.sleep(next(waits))

    seconds = best_seconds(run, budget_seconds=1e-9)
    assert len(calls) == 4
    assert seconds >= 0.01


def test_this_machine_is_measured_in_flops_and_bytes_per_second():
    machine = measure(budget_seconds=0.02, stream_bytes=2**16)
    assert machine.flops_per_second > 1e6
    assert machine.bytes_per_second > 1e6
    assert machine.name == f"cpu, {torch.get_num_threads()} threads, float32"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Machine(0.0, 1.0), r"flops_per_second=0\.0"),
        (lambda: Machine(1.0, math.nan), "bytes_per_second=nan"),
        (lambda: LARGE.attainable(-1), "intensity=-1"),
        (lambda: LARGE.mfu(Count(1, 1), 0), "0 seconds"),
        (lambda: LARGE.mbu(Count(1, 1), -1), "-1 seconds"),
        (lambda: best_seconds(int, budget_seconds=0), "0 seconds"),
        (lambda: measure(budget_seconds=-1), "-1"),
        (lambda: measure(stream_bytes=0), "stream_bytes=0"),
        (lambda: critical_batch(LARGE, SMALL, 0), "k=0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
