"""AdamW and its schedule: who decays, how fast; precision, settings, journals, signals."""

import math
import sys

import pytest
import torch
from torch import nn

from plainformer.models import Config, Decoder
from plainformer.training.journal import STEPS, Journal, Table, TensorBoard
from plainformer.training.optimiser import Schedule, adamw, adamw_step, clipped
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


def test_the_optimiser_that_trains_takes_the_steps_that_are_written_out():
    generator = torch.Generator().manual_seed(0)
    layer = nn.Linear(3, 4, bias=False).double()
    optimiser = adamw(layer, rate=0.05, decay=0.2)
    weight, mean, square = layer.weight.detach().clone(), torch.zeros(4, 3), torch.zeros(4, 3)
    for step in range(1, 31):
        size = 10.0 ** float(torch.randint(-3, 4, (), generator=generator))
        gradient = size * torch.randn(4, 3, dtype=torch.float64, generator=generator)
        layer.weight.grad = gradient.clone()
        optimiser.step()
        weight, mean, square = adamw_step(
            weight, gradient, mean, square, step=step, rate=0.05, decay=0.2
        )
    torch.testing.assert_close(layer.weight.detach(), weight, rtol=1e-12, atol=1e-12)


def test_a_step_before_the_first_is_refused():
    x = torch.zeros(1)
    with pytest.raises(ValueError, match="step=0: expected 1 for the first step"):
        adamw_step(x, x, x, x, step=0, rate=1.0)


@pytest.mark.parametrize("longest", [0.5, 4.9, 5.1, math.inf])
def test_what_clips_in_training_is_what_is_written_out(longest):
    gradients = [torch.tensor([3.0, 0.0]).double(), torch.tensor([[0.0], [4.0]]).double()]
    found = clipped(gradients, longest)
    length = torch.cat([g.flatten() for g in found]).norm()
    assert length == pytest.approx(min(5.0, longest))
    parameters = [nn.Parameter(torch.zeros_like(g)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    nn.utils.clip_grad_norm_(parameters, longest)
    for parameter, mine in zip(parameters, found, strict=True):
        torch.testing.assert_close(parameter.grad, mine, rtol=1e-6, atol=0)


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
    above = math.sin(math.pi / 400) ** 2 * (1 - 0.1)  # the middle of the last step, as it says
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
