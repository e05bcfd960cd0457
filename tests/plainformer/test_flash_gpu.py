"""The GPU kernel reports unsupported inputs. It is not run here."""

import pytest
import torch

from plainformer.flash.gpu import attend, supports
from plainformer.mask_rules import Rule
from plainformer.positions.alibi import Alibi
from tests.plainformer.triton_interpreter import DEVICE


def ready(*shape, dtype=torch.float32):
    return torch.zeros(*shape, dtype=dtype, device=DEVICE)


def test_supports_denies_what_the_programs_do_not_do(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    query, key = ready(2, 4, 3, 8), ready(2, 2, 5, 8)
    starts = torch.zeros(2, dtype=torch.long)
    assert supports(query, key, key, None, None)
    assert supports(query, key, key, Rule(window=3), Alibi(4))
    assert supports(query, key, key, Rule(sinks=2), None)  # without a window they have no effect
    denied = {
        "another value width": (query, key, ready(2, 2, 5, 9), None, None),
        "another key width": (query, ready(2, 2, 5, 9), ready(2, 2, 5, 9), None, None),
        "another batch": (query, ready(1, 2, 5, 8), ready(1, 2, 5, 8), None, None),
        "heads that do not divide": (query, ready(2, 3, 5, 8), ready(2, 3, 5, 8), None, None),
        "a width of 0": (*[ready(1, 1, 1, 0)] * 3, None, None),
        "a width of 257": (*[ready(1, 1, 1, 257)] * 3, None, None),
        "float64": (query.double(), key.double(), key.double(), None, None),
        "two dtypes": (query, key.half(), key.half(), None, None),
        "a written mask": (query, key, key, torch.ones(3, 5, dtype=torch.bool), None),
        "starts": (query, key, key, Rule(starts=starts), None),
        "lengths": (query, key, key, Rule(lengths=starts), None),
        "a prefix": (query, key, key, Rule(prefix=1), None),
        "sinks": (query, key, key, Rule(window=2, sinks=1), None),
        "a bias": (query, key, key, None, torch.zeros(4, 3, 5)),
        "another function": (query, key, key, None, lambda q, k: torch.zeros(4, 3, 5)),
        "slopes of other heads": (query, key, key, None, Alibi(3)),
    }
    assert [name for name, case in denied.items() if supports(*case)] == []


@pytest.mark.skipif(DEVICE == "cuda", reason="is about a machine without a GPU")
def test_without_a_gpu_or_the_interpreter_it_is_denied_with_a_way_out(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    x = ready(1, 1, 2, 8)
    assert not supports(x, x, x)
    with pytest.raises(ValueError, match=r"use plainformer\.flash\.attend"):
        attend(x, x, x, rule=None, scale=1.0)


def test_slopes_that_want_a_gradient_and_heads_that_do_not_divide_are_refused(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, y = ready(1, 3, 2, 8), ready(1, 2, 2, 8)
    with pytest.raises(ValueError, match="detach"):
        attend(x, x, x, rule=None, scale=1.0, slopes=torch.ones(3).requires_grad_())
    with pytest.raises(ValueError, match="divi"):
        attend(x, y, y, rule=None, scale=1.0)
