"""The meter counts only allocated and live tensors."""

import contextlib

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from plainformer.attention import attend_heads
from plainformer.meter import Meter
from tests.plainformer.generation_models import talkative
from tests.plainformer.tensors import normal
from tests.plainformer.traps import Trap


def test_what_is_dropped_no_longer_counts_towards_the_peak():
    x = torch.zeros(1000)
    with Meter() as meter:
        for _ in range(5):
            x = x + 1
    assert (meter.peak, meter.made) == (8000, 5)  # while one is made, the one before is live


def test_what_is_kept_counts():
    x = torch.zeros(1000)
    with Meter() as meter:
        kept = [x + 1 for _ in range(5)]
    assert len(kept) == meter.made == 5
    assert meter.peak == 5 * 4000


def test_views_outputs_given_and_tensors_from_outside_cost_nothing():
    x, out = torch.zeros(10, 100), torch.zeros(10, 10)
    with Meter() as meter:
        y = x.view(100, 10)[:10].t().expand(5, 10, 10)
        torch.mm(x, x.t(), out=out)
        out.add_(1).mul_(2)
    assert (meter.peak, meter.made, y.shape) == (0, 0, (5, 10, 10))


def test_a_view_keeps_its_memory_alive():
    with Meter() as meter:
        view = torch.zeros(1000)[:1]
        torch.zeros(1000)
    assert len(view) == 1
    assert meter.peak == 8000


def test_the_largest_is_measured_by_its_memory():
    with Meter() as meter:
        torch.zeros(10, dtype=torch.float64)
        torch.zeros(15, dtype=torch.int8)
    assert meter.largest.shape == (10,)
    assert meter.largest.dtype == torch.float64
    assert meter.makes(2, 5)
    assert not meter.makes(11)


def test_naive_attention_is_seen_to_make_its_weights_forward_and_backward():
    query, key, value = (normal(1, 2, 64, 4, seed=i).requires_grad_() for i in range(3))
    with Meter() as forward:
        out = attend_heads(query, key, value)
    with Meter() as backward:
        out.sum().backward()
    assert forward.makes(2, 64, 64)
    assert backward.makes(2, 64, 64)


def test_the_number_of_threads_is_restored_even_after_an_error():
    before = torch.get_num_threads()
    with Meter():
        assert torch.get_num_threads() == 1
    with pytest.raises(RuntimeError, match="cannot be multiplied"), Meter():
        torch.mm(torch.zeros(1, 2), torch.zeros(1, 2))
    assert torch.get_num_threads() == before


def measured(model, tokens):
    with Meter() as meter:
        model(tokens)
    return meter.largest, meter.peak, meter.made


def test_a_meter_that_was_interrupted_anywhere_leaves_nothing_behind():
    model, tokens = talkative(), torch.tensor([[1, 2, 3]])
    usual, threads = measured(model, tokens), torch.get_num_threads()
    modules, trap = list(model.modules()), Trap(0)
    places = [m.register_forward_hook(trap) for m in modules]
    places += [m.register_forward_pre_hook(trap) for m in modules]
    model(tokens)
    total = trap.calls
    for at in range(1, total + 1):
        trap.calls, trap.at = 0, at
        meter = Meter()
        with pytest.raises(KeyboardInterrupt), meter:
            model(tokens)
        assert torch.get_num_threads() == threads
        made = meter.made
        torch.ones(3)
        assert meter.made == made  # it is off
    for place in places:
        place.remove()
    assert measured(model, tokens) == usual


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_meter_within_itself_gives_the_threads_back(depth):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        meter = Meter()
        with contextlib.ExitStack() as stack:
            for _ in range(depth):
                stack.enter_context(meter)
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_meter_that_cannot_begin_gives_the_threads_back(monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        monkeypatch.setattr(TorchDispatchMode, "__enter__", Trap(1))
        with pytest.raises(KeyboardInterrupt):
            Meter().__enter__()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
