"""After an error, a training is in its state before or after the step, or reports otherwise."""

import pytest
import torch

from plainformer.models import Config, Decoder
from plainformer.training import Batches, NextToken, NonFiniteLoss, Settings, Trainer, Windows
from plainformer.training.interruption import InterruptedStep
from tests.plainformer.training_runs import CHAIN, logs
from tests.plainformer.traps import Trap

DROPPING = Config(vocabulary=256, d_model=8, n_layers=1, n_heads=2, context=8, dropout=0.3)
ERRORS = [KeyboardInterrupt, MemoryError, ValueError]
MOMENTS = ("step", "exp_avg", "exp_avg_sq")
ROWS = Windows(CHAIN.sample(400), 9)


def small(folder, *, objective=None, accumulate=1):
    """Make a training of three steps, with an evaluation after each."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    return Trainer(
        model=Decoder(DROPPING),
        objective=objective or NextToken(),
        batches=Batches(source=ROWS, size=4, seed=1),
        held_out=Batches(source=ROWS, size=4),
        folder=folder,
        settings=Settings(
            steps=3, checkpoint=2, evaluate=1, evaluation_batches=1, accumulate=accumulate
        ),
        say=lambda line: None,
    )


def state(run):
    """Return the state that determines the rest of a training, and its written files."""
    return [
        run.step,
        run.batches.position,
        *(p.detach().clone() for p in run.bare.parameters()),
        *(run.optimiser.state[p][name] for p in run.bare.parameters() for name in MOMENTS),
        torch.get_rng_state(),
    ]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


def hooks(run):
    """List all places at which a user's code can be called in a step."""
    for module in run.bare.modules():
        yield module.register_forward_pre_hook
        yield module.register_forward_hook
    for parameter in run.bare.parameters():
        yield parameter.register_hook
    yield run.optimiser.register_step_pre_hook
    yield run.optimiser.register_step_post_hook


def before_the_method(owner, name, monkeypatch, trap):
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *a, **k: (trap(), real(*a, **k))[1])


def after_the_method(owner, name, monkeypatch, trap):
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *a, **k: (real(*a, **k), trap())[0])


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    run = small(folder)
    assert run.run()
    return state(run), logs(folder)


def interrupted(run, folder, error, uninterrupted):
    with pytest.raises(error):
        run.run()
    goes_on(run, folder, uninterrupted)


def goes_on(run, folder, uninterrupted):
    assert run.run()
    assert_same(state(run), uninterrupted[0])
    assert logs(folder) == uninterrupted[1]


def test_an_error_at_any_hook_changes_nothing(tmp_path):
    """Run one training for each hook of each part, with an error at its first or second call."""
    whole = small(tmp_path / "whole")
    rows = [whole.train_step() for _ in range(2)]
    for place in range(sum(1 for _ in hooks(small(tmp_path / "count")))):
        run = small(tmp_path / str(place))
        trap = Trap(1 + place % 2, ERRORS[place % len(ERRORS)])
        list(hooks(run))[place](trap)
        done = []
        while run.step < 2:
            try:
                done.append(run.train_step())
            except trap.error:
                assert not any(p.grad is not None for p in run.bare.parameters())
        assert trap.calls >= trap.at or trap.calls == 0  # a list of modules is never called
        assert_same(state(run), state(whole))
        assert logs(tmp_path / str(place)) == logs(tmp_path / "whole")
        assert all(row in rows for row in done)


@pytest.mark.parametrize("wrap", [before_the_method, after_the_method])
@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("batches", "take"),
        ("batches.source", "rows"),
        ("processes", "sum"),
        ("precision.scaler", "scale"),
        ("precision.scaler", "step"),
        ("optimiser", "zero_grad"),
        ("saver", "save"),
        ("self", "evaluate"),
        ("self", "schedule"),
    ],
)
def test_an_error_before_or_after_any_call_changes_nothing(
    tmp_path, monkeypatch, uninterrupted, wrap, part, name
):
    for at in (1, 2):
        folder = tmp_path / str(at)
        run = small(folder)
        owner = run
        for step in part.split("."):
            owner = owner if step == "self" else getattr(owner, step)
        wrap(owner, name, monkeypatch, Trap(at))
        interrupted(run, folder, KeyboardInterrupt, uninterrupted)
        monkeypatch.undo()


@pytest.mark.parametrize("method", ["prepare", "logits"])
@pytest.mark.parametrize("at", [1, 4])
def test_an_error_of_the_objective_changes_nothing(
    tmp_path, monkeypatch, uninterrupted, method, at
):
    run = small(tmp_path)
    after_the_method(NextToken, method, monkeypatch, Trap(at, ValueError))
    interrupted(run, tmp_path, ValueError, uninterrupted)


def test_an_error_between_two_weights_is_told_and_the_folder_goes_on(
    tmp_path, monkeypatch, uninterrupted
):
    run, folder = small(tmp_path), tmp_path
    step = "plainformer.training.optimiser.adamw_step"
    from plainformer.training.optimiser import adamw_step

    count = len(list(run.bare.parameters()))
    trap = Trap(2 * count + 2, MemoryError)
    monkeypatch.setattr(step, lambda *a, **k: (trap(), adamw_step(*a, **k))[1])
    with pytest.raises(MemoryError) as caught:
        run.run()
    assert "new Trainer" in caught.value.__notes__[0]
    for call in (run.run, run.train_step):
        with pytest.raises(InterruptedStep, match=r"step 3 was .* goes on from .*step-00000002-"):
            call()
    again = small(folder)
    assert again.run()
    assert_same(state(again), uninterrupted[0])
    assert logs(folder) == uninterrupted[1]


def test_too_little_memory_for_the_first_weight_is_taken_back(tmp_path, monkeypatch, uninterrupted):
    run = small(tmp_path)
    from plainformer.training.optimiser import adamw_step

    trap = Trap(1, MemoryError)
    where = "plainformer.training.optimiser.adamw_step"
    monkeypatch.setattr(where, lambda *a, **k: (trap(), adamw_step(*a, **k))[1])
    interrupted(run, tmp_path, MemoryError, uninterrupted)


class Bad(NextToken):
    """An objective with one batch whose loss, or whose gradient, is never finite."""

    def __init__(self, factor, wrong):
        self.factor, self.wrong, self.seen = factor, wrong, 0

    def logits(self, model, example):
        out = super().logits(model, example)
        self.seen += 1
        if self.wrong(self.seen, example):
            out = out * self.factor if self.factor is not None else _exploding(out)
        return out


def _exploding(out):
    out.register_hook(lambda gradient: gradient * torch.inf)
    return out


@pytest.mark.parametrize("factor", [float("nan"), float("inf"), None])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_batch_without_a_finite_loss_or_gradient_is_passed_over(tmp_path, factor, accumulate):
    """This holds for any number of repetitions: the next call learns the batch after it."""
    first = small(tmp_path / "first").batches.take()[0].tokens[0, :-1]
    objective = Bad(factor, lambda seen, example: torch.equal(example.inputs[0], first))
    run = small(tmp_path / "run", objective=objective, accumulate=accumulate)
    before = [p.detach().clone() for p in run.bare.parameters()]
    with pytest.raises(NonFiniteLoss):
        run.run()
    assert_same(list(run.bare.parameters()), before)
    assert not any(p.grad is not None for p in run.bare.parameters())
    assert run.run()
    assert all(p.isfinite().all() for p in run.bare.parameters())
    assert run.batches.position == 4 * 4


def test_gradients_of_something_else_do_not_enter_a_step(tmp_path):
    runs = [small(tmp_path / name) for name in "ab"]
    runs[0].bare(torch.tensor([[1, 2]])).sum().backward()
    torch.manual_seed(0)
    row = runs[0].train_step()
    torch.manual_seed(0)
    assert runs[1].train_step() == row


def test_a_scaled_loss_is_scaled_alike_after_an_error(tmp_path):
    run = small(tmp_path)
    scaler = run.precision.scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    run.optimiser.register_step_pre_hook(Trap(2))
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert scaler.get_scale() == 8.0
    assert run.run()


def test_an_evaluation_that_failed_is_done_again(tmp_path, uninterrupted):
    run = small(tmp_path)
    source = run.held_out.source
    run.held_out = Batches(source=Failing(source, at=2), size=run.held_out.size)
    interrupted(run, tmp_path, OSError, uninterrupted)


class Failing(Windows):
    """Rows of another source, with one reading that fails."""

    def __init__(self, source, at):
        self.source, self.trap = source, Trap(at, OSError)

    def __len__(self):
        return len(self.source)

    def rows(self, numbers):
        self.trap()
        return self.source.rows(numbers)
