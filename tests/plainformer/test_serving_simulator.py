import pytest
import torch

from plainformer.models import Config, Decoder
from plainformer.serving import (
    Cost,
    Engine,
    Request,
    Simulator,
    Workload,
    drive,
    scheduler_for,
)

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
    """A simulator that keeps the loads of its steps."""

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


def test_time_counts_steps_waits_for_arrivals_and_begins_answers_in_time():
    asked = [
        (0.5, Request(prompt=[1] * 4, max_new_tokens=3)),
        (10.0, Request(prompt=[1] * 40, max_new_tokens=1)),
    ]
    report = drive(Simulator(scheduler_for(**SHAPE, prefix_cache=False), ONE), asked)
    first, second = report.served
    assert (first.arrived, first.first, first.done, first.tokens) == (0.5, 1.5, 3.5, 3)
    assert (second.first, second.done) == (13.0, 13.0), "40 positions are three steps of 16"
    assert (report.steps, report.busy, report.seconds) == (6, 6.0, 13.0)
    assert report.throughput == pytest.approx(4 / 13)
    assert (report.to_first(0.5), report.each(1.0)) == (1.0, 1.0)


def test_a_shared_beginning_saves_steps_only_where_there_is_a_prefix_cache():
    workload = Workload(
        requests=20, rate=0.01, prompt_tokens=(33, 36), answer_tokens=(1, 2), shared_tokens=32
    )
    with_it = drive(Simulator(scheduler_for(**SHAPE), ONE), workload.draw())
    without = drive(Simulator(scheduler_for(**SHAPE, prefix_cache=False), ONE), workload.draw())
    assert with_it.steps < without.steps
    assert with_it.reused > 0.8
    assert without.reused == 0


def test_nothing_asked_and_a_busy_server_are_refused():
    with pytest.raises(ValueError, match="0 requests, idle=True"):
        drive(engine(), [])
    busy = engine()
    busy.submit(Request(prompt=[1], max_new_tokens=1))
    with pytest.raises(ValueError, match="idle=False"):
        drive(busy, WORKLOAD.draw())
