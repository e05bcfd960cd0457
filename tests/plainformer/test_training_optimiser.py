"""AdamW and its schedule: which weights decay, and how fast; precision, settings, logs, signals."""

import copy
import math
import sys

import pytest
import torch
from torch import nn

from plainformer.models import Config, Decoder
from plainformer.training.journal import STEPS, Journal, Table, TensorBoard
from plainformer.training.optimiser import AdamW, Schedule, adamw, adamw_step, clip
from plainformer.training.precision import Precision
from plainformer.training.settings import Settings


def test_only_matrices_of_linear_layers_decay():
    config = Config(
        vocabulary=7, d_model=8, n_layers=1, n_heads=2, positions="learned", norm="layer", bias=True
    )
    for tied in (True, False):
        model = Decoder(Config(**(config.to_dict() | {"tied": tied})))
        groups = adamw(model, rate=1.0).param_groups
        names = {id(p): name for name, p in model.named_parameters()}
        decayed = {names[id(p)] for p in groups[0]["params"]}
        expected = {
            n for n in names.values() if n.startswith("blocks") and n.endswith("weight")
        } - {n for n in names.values() if "norm" in n}
        assert decayed == (expected if tied else expected | {"output.weight"})
        assert sum(len(g["params"]) for g in groups) == len(names)
        assert [g["weight_decay"] for g in groups] == [0.1, 0.0]


def test_the_optimiser_takes_the_steps_of_pytorchs():
    generator = torch.Generator().manual_seed(0)
    mine, theirs = (nn.Linear(3, 4).double() for _ in range(2))
    theirs.load_state_dict(mine.state_dict())
    idle = nn.Parameter(torch.ones(2))

    def groups(layer):
        second = {"lr": 0.02, "weight_decay": 0.0, "betas": (0.7, 0.9), "eps": 1e-3}
        return [{"params": [layer.weight]}, {"params": [layer.bias, idle], **second}]

    ours = AdamW(groups(mine), rate=0.05, decay=0.2, betas=(0.8, 0.97), eps=1e-6)
    reference = torch.optim.AdamW(
        groups(theirs), lr=0.05, weight_decay=0.2, betas=(0.8, 0.97), eps=1e-6
    )
    for step in range(30):
        size = 10.0 ** float(torch.randint(-3, 4, (), generator=generator))
        gradient = size * torch.randn(4, 4, dtype=torch.float64, generator=generator)
        for layer, optimiser in ((mine, ours), (theirs, reference)):
            layer.weight.grad, layer.bias.grad = gradient[:, :3].clone(), gradient[:, 3].clone()
            optimiser.param_groups[0]["lr"] = 0.05 / (1 + step)
            optimiser.step()
        torch.testing.assert_close(mine.weight, theirs.weight, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(mine.bias, theirs.bias, rtol=1e-12, atol=1e-12)
    assert torch.equal(idle, torch.ones(2))  # it has no gradient
    assert idle not in ours.state
    assert ours.state.keys() == {mine.weight, mine.bias}
    for one, other in ((mine.weight, theirs.weight), (mine.bias, theirs.bias)):
        known, expected = ours.state[one], reference.state[other]
        assert known.keys() == expected.keys()
        for name in known:
            torch.testing.assert_close(known[name], expected[name], rtol=1e-12, atol=0)


def test_the_optimiser_goes_on_from_a_state_of_pytorchs():
    mine, theirs = (nn.Linear(3, 4) for _ in range(2))
    theirs.load_state_dict(mine.state_dict())
    ours = adamw(mine, rate=0.05)
    reference = torch.optim.AdamW(
        [{"params": [theirs.weight]}, {"params": [theirs.bias], "weight_decay": 0.0}],
        lr=0.05,
        weight_decay=0.1,
        betas=(0.9, 0.95),
        fused=True,
    )
    for step in range(6):
        for layer, optimiser in ((mine, ours), (theirs, reference)):
            layer.weight.grad = torch.full((4, 3), step - 2.0)
            layer.bias.grad = torch.full((4,), 3.0 - step)
            if optimiser is reference or step > 2:
                optimiser.step()
        if step == 2:
            mine.load_state_dict(theirs.state_dict())
            ours.load_state_dict(copy.deepcopy(reference.state_dict()))
    torch.testing.assert_close(mine.weight, theirs.weight)
    torch.testing.assert_close(mine.bias, theirs.bias)


def test_a_closure_is_asked_for_the_gradients():
    weight = nn.Parameter(torch.tensor([3.0]))
    optimiser = AdamW([weight], rate=0.5, decay=0.0)

    def closure():
        optimiser.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss.item()

    assert optimiser.step(closure) == 9.0
    assert weight.item() == pytest.approx(2.5)
    assert optimiser.step() is None


@pytest.mark.parametrize(
    "wrong", [{"rate": -1.0}, {"decay": -1.0}, {"betas": (0.9, 1.0)}, {"eps": math.nan}]
)
def test_an_optimiser_out_of_range_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}=.*expected no negative number"):
        AdamW([nn.Parameter(torch.ones(1))], **({"rate": 0.1} | wrong))


def test_a_group_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"rate=-1.0, .*expected no negative number"):
        AdamW([{"params": [nn.Parameter(torch.ones(1))], "lr": -1.0}], rate=0.1)


@pytest.mark.parametrize("other", ["amsgrad", "maximize"])
def test_a_state_of_another_rule_is_refused(other):
    weight = nn.Parameter(torch.ones(1))
    theirs = torch.optim.AdamW([weight], **{other: True})
    with pytest.raises(ValueError, match=f"a state with {other}=True: expected one of a plain"):
        AdamW([weight], rate=0.1).load_state_dict(theirs.state_dict())


def test_a_step_of_the_optimiser_is_the_function_of_the_book(monkeypatch):
    given = []

    def step(weight, gradient, mean, square, **rest):
        given.append((gradient, rest))
        return weight + 1, mean + 2, square + 3

    monkeypatch.setattr("plainformer.training.optimiser.adamw_step", step)
    layer = nn.Linear(1, 1, bias=False)
    optimiser = adamw(layer, rate=0.5, decay=0.1, betas=(0.5, 0.75), eps=0.25)
    with torch.no_grad():
        layer.weight.fill_(7.0)
    layer.weight.grad = torch.tensor([[3.0]])
    optimiser.step()
    optimiser.step()
    settings = {"rate": 0.5, "decay": 0.1, "betas": (0.5, 0.75), "eps": 0.25}
    assert [rest for _, rest in given] == [{"step": n, **settings} for n in (1, 2)]
    assert all(gradient is layer.weight.grad for gradient, _ in given)
    assert layer.weight.item() == 9
    known = optimiser.state[layer.weight]
    assert [known[name].item() for name in ("step", "exp_avg", "exp_avg_sq")] == [2, 4, 6]


def test_a_step_before_the_first_is_refused():
    x = torch.zeros(1)
    with pytest.raises(ValueError, match="step=0: expected 1 for the first step"):
        adamw_step(x, x, x, x, step=0, rate=1.0)


@pytest.mark.parametrize("longest", [0.5, 4.9, 5.0, 5.1, math.inf])
def test_gradients_are_shortened_by_one_factor(longest):
    gradients = [torch.tensor([3.0, 0.0]).double(), torch.tensor([[0.0], [4.0]]).double()]
    parameters = [nn.Parameter(torch.zeros_like(g)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    idle = nn.Parameter(torch.ones(2))
    assert clip(iter([*parameters, idle]), longest) == pytest.approx(5.0, rel=1e-15)
    assert idle.grad is None
    for parameter, gradient in zip(parameters, gradients, strict=True):
        expected = gradient * min(1.0, longest / 5.0)
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-15, atol=0)


def test_no_gradients_have_no_length():
    parameter = nn.Parameter(torch.ones(2))
    assert clip([parameter], 1.0) == 0.0
    parameter.grad = torch.zeros(2)
    assert clip(parameter, 1.0) == 0.0
    assert torch.equal(parameter.grad, torch.zeros(2))


def test_one_parameter_is_clipped_too():
    parameter = nn.Parameter(torch.ones(2, 2))
    parameter.grad = torch.full((2, 2), 3.0)
    assert clip(parameter, 3.0) == 6.0
    assert torch.equal(parameter.grad, torch.full((2, 2), 1.5))


def test_finite_gradients_in_half_precision_are_clipped():
    parameter = nn.Parameter(torch.ones(4, dtype=torch.float16))
    parameter.grad = torch.full((4,), 60_000.0, dtype=torch.float16)
    assert clip([parameter], 2.0) == 120_000.0
    torch.testing.assert_close(parameter.grad, torch.ones(4, dtype=torch.float16))
    parameter.grad = torch.ones(4, dtype=torch.float16)
    parameter.grad[0] = 0.0
    assert clip([parameter], 2.0) == pytest.approx(3**0.5, rel=1e-6)  # not rounded to a half


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [1e20, 3e25, 1e37, 1e-25, 1e-38])
def test_lengths_whose_squares_leave_float32_are_told(dtype, size):
    parameters = [nn.Parameter(torch.ones(n, dtype=dtype)) for n in (3, 5)]
    for parameter in parameters:
        parameter.grad = torch.full_like(parameter, size)
    before = torch.cat([p.grad for p in parameters]).double()
    length = float(before.norm())
    rounded = 4 * torch.finfo(dtype).eps
    assert clip(parameters, 1.0) == pytest.approx(length, rel=rounded)
    after = torch.cat([p.grad for p in parameters]).double()
    torch.testing.assert_close(after, before / max(length, 1.0), rtol=rounded, atol=0)


@pytest.mark.parametrize("wrong", [math.inf, math.nan])
def test_a_length_that_is_not_finite_is_told(wrong):
    parameter = nn.Parameter(torch.ones(2))
    parameter.grad = torch.tensor([1.0, wrong])
    assert not math.isfinite(clip([parameter], 1.0))
    assert parameter.grad[0] == 1.0


@pytest.mark.parametrize("longest", [0.0, -1.0, math.nan])
def test_a_longest_that_is_no_length_is_refused(longest):
    with pytest.raises(ValueError, match=f"longest={longest}: expected a length above 0"):
        clip([], longest)


def test_a_step_is_the_papers():
    layer = nn.Linear(1, 1, bias=False).double()
    optimiser = adamw(layer, rate=0.5, decay=0.1, betas=(0.9, 0.99), eps=0.25)
    with torch.no_grad():
        layer.weight.fill_(2.0)
    layer.weight.grad = torch.tensor([[3.0]], dtype=torch.float64)
    optimiser.step()
    assert layer.weight.item() == pytest.approx(2 * (1 - 0.5 * 0.1) - 0.5 * 3 / (3 + 0.25))


def test_the_rate_rises_in_a_line_and_falls_in_a_cosine():
    rate = Schedule(peak=2.0, warmup=4, steps=104, final=0.1)
    assert [rate(i) for i in range(4)] == pytest.approx([0.5, 1, 1.5, 2])
    assert rate(4) == pytest.approx(2, abs=1e-3)
    assert (rate(53) + rate(54)) / 2 == pytest.approx(1.1)
    assert rate(103) == pytest.approx(0.2, abs=1e-3)
    assert all(rate(i) > rate(i + 1) for i in range(4, 103))
    above = math.sin(math.pi / 400) ** 2 * (1 - 0.1)  # the middle of the last step, as documented
    assert rate(103) == pytest.approx(2.0 * (0.1 + above), rel=1e-12)
    for wrong in ({"peak": 0.0}, {"peak": math.nan}, {"warmup": 105}, {"final": 2.0}, {"steps": 0}):
        with pytest.raises(ValueError, match="expected a finite peak"):
            Schedule(**({"peak": 1.0, "warmup": 0, "steps": 104} | wrong))


@pytest.mark.parametrize(
    "wrong",
    [{"steps": 0}, {"accumulate": 0}, {"keep": 0}, {"clip": 0.0}, {"decay": -1.0}, {"seed": -1}],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Settings(**({"steps": 5} | wrong))


def test_precisions_are_known_or_refused():
    cpu = torch.device("cpu")
    with pytest.raises(ValueError, match="float16' needs CUDA"):
        Precision("float16", cpu)
    with pytest.raises(ValueError, match="expected one of"):
        Precision("int8", cpu)
    x, layer = torch.ones(1, 2), nn.Linear(2, 2)
    with Precision("bfloat16", cpu).computing():
        assert layer(x).dtype == torch.bfloat16
    with Precision("float32", cpu).computing():
        assert layer(x).dtype == torch.float32
    assert Precision("float64", cpu).weights_of(layer).weight.dtype == torch.float64


ROW = {"step": 1, "targets": 2.0, "loss": 0.1 + 0.2, "rate": 1e-9, "norm": 1.5}


def test_a_table_holds_every_digit_and_forgets_what_came_after_the_checkpoint(tmp_path):
    path = tmp_path / "t.csv"
    table = Table(path, STEPS, step=0)
    for step in (1, 2, 3):
        table.add(ROW | {"step": step})
    whole = path.read_text().splitlines()
    assert whole[1] == "1,2.0,0.30000000000000004,1e-09,1.5"
    path.write_text("\n".join([*whole, "4,2.0,0.3"]))
    Table(path, STEPS, step=2)
    assert path.read_text().splitlines() == whole[:3]
    Table(path, STEPS, step=0)
    assert path.read_text().splitlines() == whole[:1]


def test_tensorboard_gets_the_same_numbers(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with Journal(tmp_path, 0, writes=True, tensorboard=True) as journal:
        journal.training(ROW)
        journal.evaluation({"step": 1, "loss": 0.25})
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert events.Scalars("training/loss")[0].value == pytest.approx(0.3)
    assert events.Scalars("evaluation/loss")[0].step == 1


def test_other_processes_write_nothing(tmp_path):
    with Journal(tmp_path, 0, writes=False, tensorboard=True) as journal:
        journal.training(ROW)
    assert list(tmp_path.iterdir()) == []


def test_tensorboard_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ValueError, match="tensorboard is not installed"):
        TensorBoard(tmp_path, step=0)
