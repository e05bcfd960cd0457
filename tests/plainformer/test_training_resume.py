"""A training that ends in the middle is resumed bit for bit as if it had not ended."""

import dataclasses
import os
import signal

import pytest
import torch

from tests.plainformer.training_runs import (
    CONFIG,
    fork,
    kill_after,
    logs,
    trainer,
    wait,
    weights,
)

DROPPING = dataclasses.replace(CONFIG, dropout=0.2)


def assert_same_run(one, two):
    mine, theirs = weights(one), weights(two)
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    assert logs(one) == logs(two)


def test_killed_outright_it_resumes_bit_for_bit(tmp_path):
    # Dropout draws random numbers, and accumulation splits a step into several micro-steps.
    changes = {"config": DROPPING, "accumulate": 2, "steps": 24, "checkpoint": 5, "evaluate": 4}
    assert trainer(tmp_path / "whole", **changes).run()
    child = fork(lambda: trainer(tmp_path / "killed", **changes).run())
    kill_after(child, tmp_path / "killed/training.csv", 13)
    resumed = trainer(tmp_path / "killed", **changes)
    assert 10 <= resumed.step < 24
    assert resumed.run()
    assert_same_run(tmp_path / "whole", tmp_path / "killed")


def test_killed_while_it_writes_a_checkpoint_the_one_before_is_whole(tmp_path, monkeypatch):
    changes = {"config": DROPPING, "steps": 9, "checkpoint": 3}
    assert trainer(tmp_path / "whole", **changes).run()
    real = torch.save

    def dies(state, path):
        if state["step"] < 6:
            return real(state, path)
        real(state, path)
        path.write_bytes(path.read_bytes()[:1000])
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(torch, "save", dies)
    assert wait(fork(lambda: trainer(tmp_path / "killed", **changes).run())) == -signal.SIGKILL
    monkeypatch.undo()
    resumed = trainer(tmp_path / "killed", **changes)
    assert resumed.step == 3
    assert resumed.run()
    assert_same_run(tmp_path / "whole", tmp_path / "killed")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_signal_ends_with_a_checkpoint(tmp_path, number):
    run = trainer(tmp_path, steps=8, checkpoint=100)
    step, before = run.train_step, signal.getsignal(number)

    def interrupted():
        row = step()
        if run.step == 3:
            os.kill(os.getpid(), number)
        return row

    run.train_step = interrupted
    assert run.run() is False
    assert signal.getsignal(number) is before
    resumed = trainer(tmp_path, steps=8, checkpoint=100)
    assert resumed.step == 3
    assert resumed.run()
    trainer(tmp_path / "whole", steps=8, checkpoint=100).run()
    assert_same_run(tmp_path, tmp_path / "whole")


def test_where_no_checkpoint_can_be_read_it_asks_instead_of_beginning_again(tmp_path):
    assert trainer(tmp_path).run()
    found = sorted((tmp_path / "checkpoints").glob("step-*.pt"))
    for path in found:
        path.write_bytes(path.read_bytes()[:-9])
    before = {path.name: path.read_bytes() for path in sorted(tmp_path.rglob("*.*"))}
    with pytest.raises(
        ValueError, match=r"none of the 2 checkpoints in .* can be read, and nothing"
    ):
        trainer(tmp_path)
    assert {path.name: path.read_bytes() for path in sorted(tmp_path.rglob("*.*"))} == before
    for path in found:
        path.unlink()
    assert trainer(tmp_path).step == 0
