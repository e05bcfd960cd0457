"""The device variable."""

import pytest
import torch

from plainformer import device


def test_the_variable_overrides_the_choice(monkeypatch):
    monkeypatch.setenv("PLAINFORMER_DEVICE", "cpu")
    assert device() == torch.device("cpu")


@pytest.mark.parametrize(
    ("cuda", "mps", "best"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")]
)
def test_without_it_the_fastest_present_is_chosen(monkeypatch, cuda, mps, best):
    monkeypatch.delenv("PLAINFORMER_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.mps, "is_available", lambda: mps)
    assert device() == torch.device(best)


def test_an_index_is_kept(monkeypatch):
    monkeypatch.setenv("PLAINFORMER_DEVICE", "cuda:1")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device() == torch.device("cuda", 1)


@pytest.mark.parametrize("wanted", ["tpu", "cuda", "gpu"])
def test_a_device_that_is_not_here_is_refused_with_those_that_are(monkeypatch, wanted):
    monkeypatch.setenv("PLAINFORMER_DEVICE", wanted)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=f"PLAINFORMER_DEVICE='{wanted}' is not.*which has: cpu"):
        device()
