"""Several processes train like a single one: copies (DDP) and shards (FSDP2)."""

import csv
import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from plainformer.training import Padded
from plainformer.training.processes import Alone, Replicas, Shards, under_torchrun
from tests.plainformer.training_runs import (
    CHAIN,
    CONFIG,
    fork,
    together,
    trainer,
    wait,
    weights,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")
# Ragged rows, so that the processes have different numbers of targets.
RAGGED = Padded([CHAIN.sample(2 + i % 8, seed=i) for i in range(64)], 9)
EXACT = {"precision": "float64", "accumulate": 2, "source": RAGGED, "evaluate": 4, "clip": 0.5}


def numbers(path: Path) -> list[list[float]]:
    with path.open(newline="") as file:
        return [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]


def assert_close(one: Path, two: Path) -> None:
    mine, theirs = weights(one), weights(two)
    assert mine.keys() == theirs.keys()
    for name in mine:
        torch.testing.assert_close(mine[name], theirs[name], rtol=1e-9, atol=1e-11)
    for file in ("training.csv", "evaluation.csv"):
        for a, b in zip(numbers(one / file), numbers(two / file), strict=True):
            assert a == pytest.approx(b, rel=1e-9)


def run(folder: Path, kind: type[Alone] = Alone, **changes) -> None:
    processes = kind("cpu")
    try:
        trainer(folder, processes=processes, **(EXACT | changes)).run()
    finally:
        processes.close()


@pytest.mark.parametrize("kind", [Replicas, pytest.param(Shards, marks=pytest.mark.slow)])
def test_two_processes_train_as_one_with_the_same_batches(tmp_path, kind):
    assert together(lambda: run(tmp_path / "two", kind)) == [0, 0]
    assert wait(fork(lambda: run(tmp_path / "one"))) == 0
    assert len(numbers(tmp_path / "one/training.csv")) == 8
    assert_close(tmp_path / "one", tmp_path / "two")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Replicas, Shards])
def test_two_processes_resume_bit_for_bit(tmp_path, kind):
    changes = {"config": dataclasses.replace(CONFIG, dropout=0.2), "checkpoint": 4}

    def killed():
        processes = kind("cpu")
        half = trainer(tmp_path / "killed", processes=processes, **(EXACT | changes))
        step = half.train_step

        def dies():
            if half.step == 5:
                os.kill(os.getpid(), signal.SIGKILL)
            return step()

        half.train_step = dies
        half.run()

    assert together(lambda: run(tmp_path / "whole", kind, **changes)) == [0, 0]
    assert -signal.SIGKILL in together(killed)
    assert together(lambda: run(tmp_path / "killed", kind, **changes)) == [0, 0]
    mine, theirs = weights(tmp_path / "whole"), weights(tmp_path / "killed")
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    for file in ("training.csv", "evaluation.csv"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "killed" / file).read_bytes()


@pytest.mark.slow
def test_what_shards_saved_one_process_goes_on_with(tmp_path):
    changes = {"steps": 6, "checkpoint": 3}
    run(tmp_path / "one", **changes)

    def half():
        processes = Shards("cpu")
        part = trainer(tmp_path / "two", processes=processes, **(EXACT | changes))
        for _ in range(4):
            part.train_step()
        part.evaluate()
        part.saver.save(4)
        processes.close()

    assert together(half) == [0, 0]
    said = []
    rest = trainer(tmp_path / "two", **(EXACT | changes))
    rest.saver.say = said.append
    assert rest.saver.resume() == 4
    assert "2 processes wrote" in said[0]
    rest.run()
    mine, theirs = weights(tmp_path / "one"), weights(tmp_path / "two")
    for name in mine:
        torch.testing.assert_close(mine[name], theirs[name], rtol=1e-9, atol=1e-11)


def test_one_process_is_no_group(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    assert not under_torchrun()
    alone, x = Alone(), torch.tensor([1.0])
    assert alone.sum(x) is x
    assert alone.gather(3) == [3]
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert under_torchrun()


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["next", "masked", "spans"])
@pytest.mark.parametrize("parallel", ["ddp", "fsdp"])
def test_torchrun_trains_as_one_process_does(tmp_path, parallel, objective):
    options = f"""--steps 6 --width 16 --context 16 --batch 8 --accumulate 2 --precision float64
        --corpus-bytes 4000 --objective {objective} --device cpu --checkpoint-every 2""".split()
    torchrun = "-m torch.distributed.run --standalone --nproc_per_node=2".split()
    for name, launcher in (("one", []), ("two", [*torchrun, "--no-python", sys.executable])):
        command = [sys.executable, *launcher, "-m", "plainformer.train", *options]
        command += ["--out", str(tmp_path / name), "--parallel", parallel]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "held-out loss" in done.stdout
    assert_close(tmp_path / "one", tmp_path / "two")
