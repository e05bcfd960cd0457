"""The loop learns, resumes bit for bit after a kill, and reports errors."""

import dataclasses
import math

import pytest
import torch

from plainformer.models import MaskedLanguageModel
from plainformer.training import MaskedTokens, NonFiniteLoss, Padded
from plainformer.training.batches import Batches
from plainformer.training.loop import Trainer
from tests.plainformer.training_runs import (
    CHAIN,
    CONFIG,
    logs,
    trainer,
)


def test_the_loss_falls_below_what_counting_letters_reaches(tmp_path):
    run = trainer(tmp_path, steps=120, batch=32, rate=1e-2)
    assert run.run()
    assert CHAIN.floor(8) - 0.02 < run.evaluate() < CHAIN.unigram_entropy - 0.3


@pytest.mark.slow
def test_a_small_decoder_reaches_the_entropy_of_the_text(tmp_path):
    config = dataclasses.replace(CONFIG, d_model=32, context=32)
    source = Batches(source=Padded([CHAIN.sample(33, seed=i) for i in range(3000)], 33), size=32)
    run = trainer(
        tmp_path,
        config=config,
        source=source.source,
        steps=250,
        batch=32,
        rate=1e-2,
        evaluation_batches=60,
    )
    run.run()
    assert abs(run.evaluate() - CHAIN.floor(8)) < 0.02


@pytest.mark.parametrize("width", [2, 5, 9])
@pytest.mark.parametrize("batches", [1, 3])
def test_the_mean_loss_of_no_targets_is_not_zero(tmp_path, width, batches):
    config = dataclasses.replace(CONFIG, context=9)
    run = trainer(tmp_path, config=config, evaluation_batches=batches)
    one_token = Padded([CHAIN.sample(1, seed=i) for i in range(8)], width)
    run.held_out = Batches(source=one_token, size=2)
    assert math.isnan(run.evaluate())
    some = Padded([CHAIN.sample(1 + i % 2, seed=i) for i in range(8)], width)
    run.held_out = Batches(source=some, size=8)
    assert 0 < run.evaluate() < math.inf


@pytest.mark.parametrize("masked", [False, True])
def test_accumulation_changes_nothing_but_memory(tmp_path, masked):
    # Ragged rows: micro-steps have different numbers of targets, and targets have equal weight.
    ragged = Padded([CHAIN.sample(2 + i % 8, seed=i) for i in range(64)], 9)
    objective = MaskedTokens(mask_token=255, vocabulary=255) if masked else None
    config = dataclasses.replace(CONFIG, context=9)
    found = []
    for parts in (1, 4):
        run = trainer(
            tmp_path / str(parts),
            source=ragged,
            objective=objective,
            config=config,
            accumulate=parts,
            precision="float64",
        )
        if masked:
            torch.manual_seed(0)
            model = MaskedLanguageModel(config)
            folder = tmp_path / f"masked{parts}"
            run = Trainer(
                model=model,
                objective=objective,
                batches=run.batches,
                folder=folder,
                settings=run.settings,
            )
        found.append([run.train_step() for _ in range(4)])
    for one, four in zip(*found, strict=True):
        assert one == pytest.approx(four, rel=1e-11)


@pytest.mark.parametrize("where", ["loss", "gradient"])
def test_nan_stops_the_run_before_the_weights_change(tmp_path, where):
    run = trainer(tmp_path, steps=9, checkpoint=2)
    for _ in range(2):
        run.train_step()
    run.saver.save(run.step)
    run.train_step()
    good = run.model.output.weight.detach().clone()
    if where == "loss":
        with torch.no_grad():
            run.model.norm.weight[0] = math.nan
    else:
        run.model.output.weight.register_hook(lambda gradient: gradient * math.inf)
    with pytest.raises(NonFiniteLoss, match=rf"{where}.* at step 4; .*step-00000002-.*lower the"):
        run.run()
    assert torch.equal(run.model.output.weight, good)
    assert trainer(tmp_path, steps=9, checkpoint=2).step == 2


def test_nan_before_the_first_checkpoint_says_that_there_is_none(tmp_path):
    run = trainer(tmp_path)
    with torch.no_grad():
        run.model.norm.weight[0] = math.nan
    with pytest.raises(NonFiniteLoss, match=r"step 1; .*none was written yet"):
        run.run()


def test_bfloat16_learns_as_float32_does(tmp_path):
    runs = {kind: trainer(tmp_path / kind, precision=kind) for kind in ("float32", "bfloat16")}
    rows = {kind: [run.train_step() for _ in range(8)] for kind, run in runs.items()}
    for one, other in zip(*rows.values(), strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=0.01)
        assert one["loss"] != other["loss"]
    assert {p.dtype for p in runs["bfloat16"].model.parameters()} == {torch.float32}


def test_the_gradient_is_clipped_to_a_length(tmp_path):
    free, clipped = (
        trainer(tmp_path / str(clip), clip=clip, rate=1e-3) for clip in (math.inf, 1e-9)
    )
    before = free.model.output.weight.detach().clone()
    assert free.train_step()["norm"] == pytest.approx(clipped.train_step()["norm"])
    moved = [(run.model.output.weight - before).abs().max() for run in (free, clipped)]
    assert moved[1] < moved[0] / 5  # Adam's epsilon is not small compared with such gradients


def test_a_run_that_is_done_stays_as_it_is(tmp_path):
    trainer(tmp_path).run()
    before = logs(tmp_path)
    again = trainer(tmp_path)
    assert again.step == 8
    assert again.run()
    assert logs(tmp_path) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": 1e-4}, "rate was 0.005, is 0.0001"),
        ({"batch": 4}, "batch was 8, is 4"),
        ({"config": dataclasses.replace(CONFIG, norm="layer")}, "norm was \"'rms'\""),
    ],
)
def test_a_folder_of_another_run_is_refused(tmp_path, changes, message):
    trainer(tmp_path, steps=3).run()
    with pytest.raises(ValueError, match=message):
        trainer(tmp_path, **({"steps": 3} | changes))


def test_evaluation_without_held_out_rows_is_refused(tmp_path):
    run = trainer(tmp_path)
    run.held_out = None
    with pytest.raises(ValueError, match="nothing to evaluate on"):
        run.evaluate()
    assert run.run()
