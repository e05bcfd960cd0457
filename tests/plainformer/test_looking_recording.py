import contextlib

import pytest
import torch
from torch import nn

from plainformer.cache import ContiguousCache
from plainformer.looking import Recorded, ablated, recorded, recording
from plainformer.models import Config, Decoder
from plainformer.sdpa import sdpa
from tests.plainformer.traps import Trap


def decoder(**changes):
    torch.manual_seed(0)
    sizes = {"vocabulary": 11, "d_model": 12, "n_layers": 3, "n_heads": 3, "context": 32}
    return Decoder(Config(**{**sizes, **changes})).double().eval()


def tokens(n=7, b=2):
    return torch.randint(0, 11, (b, n), generator=torch.Generator().manual_seed(1))


def test_recording_changes_no_output():
    model, x = decoder(n_kv_heads=1), tokens()
    with recorded(model) as record:
        seen = model(x)
    torch.testing.assert_close(seen, model(x))
    assert record.names == [f"blocks.{i}.attention" for i in range(3)]


def test_recorded_weights_are_causal_rows_that_sum_to_one_and_give_the_outputs():
    model = decoder(n_kv_heads=1)
    with recorded(model) as record:
        model(tokens())
    for weights, value, output in zip(record.weights, record.values, record.outputs, strict=True):
        assert weights.shape == (2, 3, 7, 7)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 7, dtype=weights.dtype))
        assert (weights.triu(1) == 0).all()
        torch.testing.assert_close(weights @ value, output)


def test_a_cached_step_is_recorded_as_the_last_row():
    model, x = decoder(), tokens()
    caches = [ContiguousCache() for _ in range(3)]
    with recorded(model) as record:
        model(x)
        model(x[:, :-1], caches=caches)
        model(x[:, -1:], caches=caches)
    torch.testing.assert_close(record.weights[6], record.weights[0][:, :, -1:])


def test_no_observer_is_left_even_after_an_error():
    model = decoder()
    with pytest.raises(RuntimeError, match="stop"), recorded(model), ablated(model, [(1, 0)]):
        raise RuntimeError("stop")
    assert not any(block.attention.observers for block in model.blocks)
    assert all(block.attention.backend is sdpa for block in model.blocks)


def test_a_model_without_attention_is_refused():
    with (
        pytest.raises(ValueError, match="Linear has no MultiHeadAttention and no LatentAttention"),
        recorded(nn.Linear(2, 2)),
    ):
        pass


def test_what_is_silenced_stays_silent_while_it_is_recorded():
    model, x = decoder(), tokens()
    with ablated(model, [(0, 1)]):
        silent = model(x)
        with recorded(model) as inside:
            seen = model(x)
    torch.testing.assert_close(seen, silent)
    assert (inside.outputs[0][:, 1] == 0).all()
    assert (inside.outputs[0][:, 0] != 0).any()


def test_the_record_holds_what_the_layer_goes_on_with_whoever_came_first():
    model, x = decoder(), tokens()
    with recorded(model) as outside, ablated(model, [(0, 1)]):
        model(x)
    assert (outside.outputs[0][:, 1] == 0).all()


def hooked(model, trap):
    """Call a trap before and after each module, and at each head's output."""
    handles = [m.register_forward_hook(trap) for m in model.modules()]
    return handles + [m.register_forward_pre_hook(trap) for m in model.modules()]


@pytest.mark.parametrize("observing", ["recorded", "ablated", "mean", "both"])
def test_an_interruption_anywhere_leaves_no_observer_and_no_half_of_a_call(observing):
    model, x = decoder(n_layers=2), tokens()
    usual = model(x)
    with recorded(model) as whole:
        model(x)
    trap = Trap(0)
    handles = hooked(model, trap)
    model(x)
    total = trap.calls
    for at in range(1, total + 1):
        trap.calls, trap.at, record = 0, at, None
        with contextlib.ExitStack() as stack:
            if observing in ("recorded", "both"):
                record = stack.enter_context(recorded(model))
            if observing != "recorded":
                by = "mean" if observing == "mean" else "zero"
                stack.enter_context(ablated(model, [(0, 1)], by=by))
            with pytest.raises(KeyboardInterrupt):
                model(x)
        assert not any(block.attention.observers for block in model.blocks)
        if record is not None:
            lengths = {len(kept) for kept in vars(record).values()}
            assert len(lengths) == 1  # complete calls, with equal numbers of all parts
        if observing == "recorded":
            for mine, theirs in zip(record.weights, whole.weights, strict=False):
                assert torch.equal(mine, theirs)
    for handle in handles:
        handle.remove()
    assert torch.equal(model(x), usual)


@pytest.mark.parametrize("part", range(3))
def test_a_call_that_cannot_be_kept_whole_is_not_kept(monkeypatch, part):
    model, x = decoder(n_layers=1), tokens()
    with recorded(model) as record:
        with monkeypatch.context() as patch:
            patch.setattr(recording, "_kept", Trap(part + 1, error=MemoryError))
            with pytest.raises(MemoryError):
                model(x)
        assert vars(record) == vars(Recorded())
        model(x)
    assert record.names == ["blocks.0.attention"]
