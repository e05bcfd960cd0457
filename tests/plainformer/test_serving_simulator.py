import itertools
import random
import statistics

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.models import Config, Decoder
from plainformer.serving import (
    Cost,
    Engine,
    Load,
    Simulator,
    Workload,
    calibrate,
    drive,
    fit,
    scheduler_for,
)
from plainformer.serving.simulator import fitted

SHAPE = {"pages": 40, "page_size": 4, "token_budget": 16, "max_running": 4}
ONE = Cost(step=1.0, token=0.0, look=0.0, request=0.0)


def engine():
    torch.manual_seed(0)
    config = Config(vocabulary=13, d_model=16, n_layers=2, n_heads=2, context=64)
    return Engine(Decoder(config).eval(), **SHAPE)


WORKLOAD = Workload(
    requests=12, rate=500.0, prompt_tokens=(6, 30), answer_tokens=(1, 9), shared_tokens=5,
    vocabulary=13,
)  # fmt: skip


class Recorded(Simulator):
    """A simulator that records the loads of its steps."""

    def __init__(self, *args):
        super().__init__(*args)
        self.loads = []

    def step(self):
        step = super().step()
        if step is not None:
            self.loads.append(step.load)
        return step


def test_the_simulator_takes_exactly_the_steps_that_the_engine_takes():
    real, simulated = engine(), Recorded(scheduler_for(**SHAPE), ONE)
    for _, request in WORKLOAD.draw():
        real.submit(request)
        simulated.submit(request)
    loads = []
    while (step := real.step()) is not None:
        loads.append(step.load)
    simulated.run()
    # Later tokens differ (the simulator draws zeros), so only whole pages of prompts may be shared.
    assert simulated.loads == loads
    assert simulated.answers.keys() == real.answers.keys()


def test_a_shared_beginning_saves_steps_only_where_there_is_a_prefix_cache():
    workload = Workload(
        requests=20, rate=0.01, prompt_tokens=(33, 36), answer_tokens=(1, 2), shared_tokens=32
    )
    with_it = drive(Simulator(scheduler_for(**SHAPE), ONE), workload.draw())
    without = drive(Simulator(scheduler_for(**SHAPE, prefix_cache=False), ONE), workload.draw())
    assert with_it.steps < without.steps
    assert with_it.reused > 0.8
    assert without.reused == 0


def workload(**changes):
    usual = {"requests": 50, "rate": 4.0, "prompt_tokens": (8, 20), "answer_tokens": (1, 5)}
    return Workload(**{**usual, **changes})


def test_requests_have_the_asked_lengths_and_tokens_and_come_in_order():
    asked = workload(vocabulary=7).draw()
    times = [at for at, _ in asked]
    assert times == sorted(times)
    assert min(times) > 0
    assert {len(r.prompt) for _, r in asked} <= set(range(8, 21))
    assert {r.max_new_tokens for _, r in asked} == {1, 2, 3, 4, 5}
    assert {t for _, r in asked for t in r.prompt} == set(range(7))


def test_gaps_are_exponential_with_the_asked_mean():
    asked = workload(requests=4000, rate=4.0).draw()
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(asked)]
    assert statistics.mean(gaps) == pytest.approx(0.25, rel=0.05)
    assert statistics.stdev(gaps) == pytest.approx(0.25, rel=0.1)


def test_prompts_begin_alike_for_as_long_as_was_asked_and_not_longer():
    prompts = [r.prompt for _, r in workload(shared_tokens=6).draw()]
    assert len({tuple(p[:6]) for p in prompts}) == 1
    assert len({p[6] for p in prompts}) > 10


def test_the_same_seed_gives_the_same_requests():
    assert workload(seed=1).draw() == workload(seed=1).draw() != workload(seed=2).draw()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"requests": 0}, "requests=0"),
        ({"rate": 0.0}, "rate=0.0"),
        ({"prompt_tokens": (0, 3)}, r"prompt_tokens=\(0, 3\)"),
        ({"answer_tokens": (3, 2)}, r"answer_tokens=\(3, 2\)"),
        ({"shared_tokens": 8}, "shared_tokens=8: expected fewer than the shortest prompt, 8"),
    ],
)
def test_impossible_workloads_are_named(changes, named):
    with pytest.raises(ValueError, match=named):
        workload(**changes)


PARTS = st.floats(0, 1e-2)


def loads(seed, count=12):
    chance = random.Random(seed)
    return [
        Load(chance.randint(1, 300), chance.randint(1, 90_000), chance.randint(1, 20))
        for _ in range(count)
    ]


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-4, 1e-2), PARTS, st.floats(0, 1e-6), PARTS, st.integers(0, 999))
def test_a_cost_is_found_again_from_the_times_of_its_own_steps(step, token, look, request, seed):
    cost = Cost(step=step, token=token, look=look, request=request)
    measured = [cost.seconds(load) for load in loads(seed)]
    again = fit(loads(seed), measured)
    for load in loads(seed + 1):
        assert again.seconds(load) == pytest.approx(cost.seconds(load), rel=1e-5)


def test_no_part_becomes_negative_where_noise_would_have_it_so():
    times = [0.010, 0.009, 0.011, 0.008, 0.012, 0.007]
    found = fit([Load(n, n * n, 1) for n in (1, 20, 3, 40, 5, 60)], times)
    assert min(found.step, found.token, found.look, found.request) >= 0
    assert found.seconds(Load(10, 100, 1)) == pytest.approx(0.01, rel=0.3)


def test_a_short_step_weighs_as_much_as_a_long_one():
    some = [Load(1, 1, 1), Load(1000, 1, 1)] * 4
    found = fit(some, [0.001, 1.0] * 4)
    assert found.seconds(some[0]) == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize(
    ("given_loads", "seconds"),
    [
        ([], []),
        (loads(0, 3), [1.0] * 3),
        (loads(0, 5), [1.0] * 4),
        (loads(0, 4), [1.0] * 3 + [0.0]),
    ],
)
def test_too_few_or_impossible_times_are_refused(given_loads, seconds):
    with pytest.raises(ValueError, match="expected as many of each, at least four"):
        fit(given_loads, seconds)


def test_a_negative_part_is_named():
    with pytest.raises(ValueError, match="look=-1"):
        Cost(step=0.0, token=0.0, look=-1.0, request=0.0)


def test_calibration_predicts_the_engines_own_steps():
    tried = [calibrate(engine(), WORKLOAD) for _ in range(3)]
    found = min(tried, key=lambda one: one.error)
    assert found.steps > 4
    assert found.error < 0.5, "this engine is tiny; its steps are noisy"
    assert found.cost.seconds(Load(16, 300, 4)) > 0


def test_the_error_of_a_calibration_is_that_of_its_steps():
    measured = [(Load(n, n, 1), 0.01 * (1.1 if n % 2 else 0.9)) for n in range(1, 41)]
    assert fitted(measured).error == pytest.approx(0.1, abs=0.02)
