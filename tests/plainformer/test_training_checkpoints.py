"""Checkpoints are complete, limited in number, and refused if broken; states by name."""

import random

import numpy as np
import pytest
import torch

from plainformer.models import Config, Decoder
from plainformer.training import checkpoints, states
from plainformer.training.checkpoints import CorruptCheckpoint
from plainformer.training.optimiser import adamw


def state(step: int) -> dict:
    return {"step": step, "weights": torch.arange(1000.0) + step}


def test_what_was_saved_is_loaded_and_only_the_newest_stay(tmp_path):
    paths = [checkpoints.save(tmp_path, step, state(step), keep=2) for step in (1, 2, 3)]
    assert checkpoints.found(tmp_path) == paths[1:]
    path, loaded = checkpoints.newest(tmp_path)
    assert path == paths[2]
    assert torch.equal(loaded["weights"], state(3)["weights"])
    assert sorted(tmp_path.iterdir()) == paths[1:], "something else was left behind"


@pytest.mark.parametrize("damage", ["cut", "bit", "empty"])
def test_a_broken_checkpoint_is_named_and_the_one_before_taken(tmp_path, damage):
    good, bad = (checkpoints.save(tmp_path, step, state(step)) for step in (1, 2))
    content = bytearray(bad.read_bytes())
    content[2000] ^= 1
    bad.write_bytes({"cut": content[:-100], "bit": content, "empty": b""}[damage])
    with pytest.raises(CorruptCheckpoint, match=r"step-00000002.*is cut off or corrupt.*delete it"):
        checkpoints.load(bad)
    said = []
    assert checkpoints.newest(tmp_path, said.append)[0] == good
    assert "step-00000002" in said[0]


def test_an_unfinished_one_is_skipped_and_said(tmp_path):
    (tmp_path / ".step-unnamed.pt.abc.part").write_bytes(b"half")
    said = []
    assert checkpoints.newest(tmp_path, said.append) is None
    assert "never finished" in said[0]
    assert checkpoints.newest(tmp_path / "absent") is None


def test_nothing_in_a_checkpoint_is_executed(tmp_path):
    part = tmp_path / "part"
    torch.save({"step": print}, part)
    evil = part.rename(tmp_path / f"step-00000001-{checkpoints.digest(part)}.pt")
    with pytest.raises(CorruptCheckpoint, match="holds no checkpoint"):
        checkpoints.load(evil)


def test_other_files_and_a_missing_one_are_refused(tmp_path):
    with pytest.raises(CorruptCheckpoint, match="expected a name like"):
        checkpoints.load(tmp_path / "model.pt")
    with pytest.raises(CorruptCheckpoint, match="cannot be read"):
        checkpoints.load(tmp_path / f"step-00000001-{'0' * 16}.pt")
    with pytest.raises(ValueError, match="keep=0"):
        checkpoints.save(tmp_path, 1, state(1), keep=0)


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    good = checkpoints.save(tmp_path, 1, state(1))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoints.save(tmp_path, 2, state(2), keep=1)
    assert list(tmp_path.iterdir()) == [good]


def model() -> Decoder:
    return Decoder(Config(vocabulary=7, d_model=8, n_layers=2, n_heads=2))


def test_weights_and_moments_go_to_another_model_by_name():
    one, two = model(), model()
    first, second = (adamw(m, rate=0.1) for m in (one, two))
    for _ in range(2):
        one(torch.tensor([[1, 2, 3]])).square().sum().backward()
        first.step()
    states.load_model(two, states.model_state(one))
    states.load_optimiser(two, second, states.optimiser_state(one, first))
    for m, optimiser in ((one, first), (two, second)):
        optimiser.zero_grad()
        m(torch.tensor([[4, 5]])).square().sum().backward()
        optimiser.step()
    for a, b in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(a, b)


def test_weights_of_another_model_are_refused_by_name():
    saved = states.model_state(model())
    saved["norm.weight"] = torch.ones(9)
    saved["other"] = saved.pop("blocks.0.feedforward.up.weight")
    with pytest.raises(ValueError, match=r"up.weight is missing; other is not.*norm.weight is \(9"):
        states.load_model(model(), saved)


def test_all_random_generators_are_put_back(tmp_path):
    random.random(), torch.rand(1), np.random.rand()  # noqa: NPY002

    def draws():
        return random.random(), torch.rand(1).item(), np.random.rand()  # noqa: NPY002

    state = states.random_state()
    first = draws()
    path = checkpoints.save(tmp_path, 1, state)
    states.load_random_state(checkpoints.load(path))
    assert draws() == first
