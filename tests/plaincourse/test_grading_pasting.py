"""A pasted answer behaves like the bank's, without needing the bank."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import chapter, load
from plaincourse.proving.pasting import pasted

KNOWN = [
    (task, kind, known)
    for number in ("02", "03")
    for task in chapter(number)
    if isinstance(task, Exercise)
    for kind in ("misconceptions", "alternatives")
    for known in getattr(task, kind)
][::3]  # each is graded four times; the slow tests of whole classes include all


@pytest.mark.parametrize(
    ("task", "kind", "known"), KNOWN, ids=[f"{task.id}-{each.name}" for task, _, each in KNOWN]
)
def test_a_pasted_answer_is_graded_like_the_banks(task, kind, known):
    source = pasted(known.answer, "mine")
    assert "plaincourse" not in source
    names = {"math": math, "np": np, "torch": torch, "nn": nn, "Tensor": torch.Tensor}
    exec(source, names)
    mine, theirs = grade(task, names["mine"], seed=7), grade(task, known.answer, seed=7)
    assert (mine.score, mine.matched) == (theirs.score, theirs.matched)


def helper(x: "int") -> "int":
    y: int = x + 1
    return y


def answer(x: "int") -> "int":
    return helper(x) * 2


def test_what_an_answer_uses_stands_above_it_and_annotations_are_gone():
    assert pasted(answer, "mine") == (
        "def helper(x):\n    y = x + 1\n    return y\n\n"
        "def answer(x):\n    return helper(x) * 2\n\n"
        "mine = answer"
    )
    assert pasted(helper, "helper").endswith("return y")


TIMES = {"twice": 2}


def multiplied(x, by="twice", sizes=tuple(TIMES)):
    return [n * x for n, _ in pairwise([TIMES[by], *sizes])]


def test_a_partial_takes_along_its_constants_and_what_its_file_imports():
    source = pasted(partial(multiplied, by="twice"), "mine")
    names = {}
    exec(source, names)
    assert names["mine"](3) == [6]
    assert source.index("TIMES = ") < source.index("def multiplied")


def doubled(x):
    return 2 * x


def applied(x, *, change, times=1):
    return change(x) * times


def scaled(x, by):
    return doubled(x) * by


def test_a_partial_may_hold_functions_and_partials_of_them():
    for answer, expected in [
        (partial(applied, change=doubled), 6),
        (partial(applied, change=partial(scaled, by=5), times=2), 60),
    ]:
        names = {}
        exec(pasted(answer, "mine"), names)
        assert names["mine"](3) == answer(3) == expected


def test_what_stands_in_a_file_beside_the_answers_comes_too() -> None:
    exercise = load("15.yarn_ramp")
    assert isinstance(exercise, Exercise)
    mistakes = {each.name: each.answer for each in exercise.misconceptions}
    answer = mistakes["share-turned-blend-right"]  # its helper functions are in the same folder
    namespace: dict[str, object] = {"math": math, "torch": torch}
    exec(pasted(answer, "yarn_ramp"), namespace)
    inputs = {"wavelengths": torch.tensor([8.0, 64.0]), "trained": 64, "factor": 4.0}
    for mine, theirs in zip(namespace["yarn_ramp"](**inputs), answer(**inputs), strict=True):  # type: ignore[operator]
        assert torch.equal(torch.as_tensor(mine), torch.as_tensor(theirs))
