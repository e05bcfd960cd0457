"""A tensor of a custom type can be made inside a check as outside of it."""

import importlib
from typing import Any

import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.checking.noticing import watched
from tests.plaincourse.split_students import DISGUISED, student

_HEAD = """
import torch
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
class Mine(torch.Tensor):
    pass
class New(torch.Tensor):
    def __new__(cls, data):
        return super().__new__(cls, data)
class Init(torch.Tensor):
    def __init__(self, data):
        super().__init__()
        self.more = 1
def right(q, k):
    return torch.ones(q, k).tril(k - q) > 0
"""
WAYS = {
    "a bias of PyTorch's": "causal_lower_right(q, k)._materialize()",
    "another bias of PyTorch's": "causal_upper_left(q + k, q + k)._materialize()[k:, q:]",
    "a type of one's own": "Mine(right(q, k).float()) > 0",
    "a type of one's own of a list": "Mine(right(q, k).float().tolist()) > 0",
    "a type that makes itself": "New(right(q, k).float()) > 0",
    "a type with more": "Init(right(q, k).float()) > 0",
    "a type of one's own of a size": "Mine(q, k).copy_(right(q, k).float()) > 0",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_right_answer_with_a_type_of_its_own_earns_all(way: str) -> None:
    source = f"{_HEAD}\ndef answer(q, k):\n    return {WAYS[way]}"
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(source, space)
    with student(source) as session:
        there = grade("03.causal_mask", session.names(["answer"])["answer"], seed=5)
    for report in (grade("03.causal_mask", space["answer"], seed=5), there):
        assert report.score == report.points, report.diagnosis


def test_what_a_type_of_ones_own_does_is_watched() -> None:
    source = f"""{DISGUISED}
class Rows:
    def __init__(self, x): self.x = x
    def __len__(self): return 2
    def __getitem__(self, i):
        if i > 1: raise IndexError
        return softly(self.x)[i].tolist()
class Mine(torch.Tensor):
    pass
def answer(scores): return Mine(Rows(scores))
"""
    with student(source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
    assert report.score == 0
    assert "softmax" in report.headline


def test_nothing_is_left_of_it() -> None:
    with watched(lambda: None, ("softmax",)):
        assert "__new__" in vars(torch.Tensor)
        importlib.import_module("torch._dynamo")  # which inspects it
    assert "__new__" not in vars(torch.Tensor)
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert type(torch.nn.Parameter(torch.ones(2))) is torch.nn.Parameter
