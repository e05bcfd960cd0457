"""An answer in float32 is right unless the type is required; a slow one is reported as slow."""

import math
import time

import numpy as np
import pytest
import torch

from plaincourse.checking.compare import same
from plaincourse.checking.grader import grade
from plaincourse.exercise import Alternative, Exercise, Rung


def total(x: torch.Tensor) -> torch.Tensor:
    return x @ torch.ones(x.shape[-1], dtype=x.dtype)


def in_float32(x):
    return x @ torch.ones(x.shape[-1])


def written_into_float32(x):
    out = torch.zeros(x.shape[0])
    out[torch.arange(len(out))] = x.sum(-1)
    return out


def through_numpy(x):
    return torch.tensor(x.numpy().sum(-1))


def wrong_in_float32(x):
    return x @ torch.full((x.shape[-1],), 1.001)


def draw(g):
    return [{"x": torch.randn(3, 4, generator=g, dtype=torch.float64)}]


def draw_in_half_precision(g):
    return [{"x": torch.ones(3, 4, dtype=torch.bfloat16)}]


def is_the_sum(inputs, output):
    off = (output - inputs["x"] @ torch.ones(4, dtype=torch.float64)).abs().max() > 1e-4
    return "it is not the sum" if off or (output @ inputs["x"].sum(-1)).isnan() else None


def exercise(**changes):
    rungs = (
        Rung(name="the sum", points=1.0, draw=draw, law=is_the_sum),
        Rung(name="to the letter", points=1.0, draw=draw, dtype=True),
    )
    told = {
        "id": "99.total", "title": "t", "level": "easy", "minutes": 1, "concepts": (),
        "reference": total, "rungs": rungs, "misconceptions": (),
        "alternatives": (Alternative(name="a", answer=total),), "hints": (),
    }  # fmt: skip
    return Exercise(**{**told, **changes})


@pytest.mark.parametrize("answer", [in_float32, written_into_float32])
def test_float32_loses_only_the_requirement_on_the_type(answer):
    report = grade(exercise(), answer)
    assert [(line.name, line.earned) for line in report.rungs] == [
        ("the sum", 1.0),
        ("to the letter", 0.0),
    ]


@pytest.mark.parametrize("answer", [in_float32, through_numpy])
def test_half_precision_loses_only_the_requirement_on_the_type(answer):
    rungs = (
        Rung(name="the sum", points=1.0, draw=draw_in_half_precision),
        Rung(name="to the letter", points=1.0, draw=draw_in_half_precision, dtype=True),
    )
    report = grade(exercise(rungs=rungs), answer)
    assert [line.earned for line in report.rungs] == [1.0, 0.0]


def test_a_constant_in_float32_beside_float64_is_right():
    rungs = (Rung(name="a tenth", points=1.0, draw=draw),)
    task = exercise(rungs=rungs, reference=lambda x: x * 0.1 - 0.1)
    assert grade(task, lambda x: x * torch.tensor([0.1]) - torch.tensor([0.1])).score == 1


def test_a_wrong_answer_in_float32_stays_wrong():
    assert grade(exercise(), wrong_in_float32).score == 0


def test_what_is_slow_on_fresh_inputs_only_is_called_slow():
    seen = []

    def tires(x):
        seen.append(1)
        time.sleep(0.5 if len(seen) > 2 else 0)
        return total(x)

    report = grade(exercise(seconds=0.1), tires, seed=7)
    assert "did not come back within 0.1 seconds" in report.diagnosis[0]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1, True),
        (2**80, 2**80, True),
        (math.inf, math.inf, True),
        (math.nan, math.nan, True),
        ("a", "a", True),
        (1, 1.0, True),
        (1.0, 1.0 + 1e-9, True),
        (1.0, 1.01, False),
        (True, 1, False),
        (0, False, False),
        (math.inf, -math.inf, False),
        ("1", 1, False),
        ("a", "b", False),
        ({"a": [True]}, {"a": [1]}, False),
    ],
)
def test_plain_numbers_and_texts_are_the_same_in_kind_and_within_the_tolerance(
    one: object, other: object, equal: bool
) -> None:
    for a, b in ((one, other), (other, one)):
        assert same(a, b, rtol=1e-6, atol=1e-6) is equal


@pytest.mark.parametrize("finer", [np.longdouble])
def test_what_is_finer_than_any_tensor_is_compared_as_the_finest(finer: type) -> None:
    right = np.array([0.25, 0.5])
    assert same(right, right.astype(finer), rtol=1e-6, atol=0, dtype="any")
    assert not same(right, right.astype(finer) + 1, rtol=1e-6, atol=0, dtype="any")
