"""Answers that once kept all or nearly all points, or got a false message."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.ch11.mistakes.lazy_code import all_move_own_counts
from exercise_bank.ch13.mistakes.positions import in_one_byte
from exercise_bank.ch13.positions import positions
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load


def in_type(dtype: torch.dtype) -> Callable[[Tensor, int], Tensor]:
    def answer(real: Tensor, n: int) -> Tensor:
        return positions(real, n).to(dtype).long()

    return answer


@pytest.mark.parametrize("seed", [None, 3, 2**40 + 1])
@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("11.lazy", all_move_own_counts),
        ("13.positions", in_one_byte),
        ("13.positions", in_type(torch.int8)),
        ("13.positions", in_type(torch.uint8)),
    ],
)
def test_it_loses_points_on_every_seed(task: str, answer: Any, seed: int | None) -> None:
    report = grade(task, answer, seed=seed)
    assert report.score <= 0.9 * report.points


@pytest.mark.parametrize(
    ("task", "mistake"),
    [
        ("10.causal_pairs", "mask-of-all-pairs"),
        ("11.streaming_softmax", "zero-for-nothing"),
        ("12.bytes_moved", "lse-forgotten"),
        ("12.split_keys", "one-works"),
        ("12.split_keys", "no-maximum"),
        ("12.tile_backward", "exponentials-apart"),
        ("14.log_probability", "nan-times-zero"),
        ("14.log_probability", "logarithm-of-a-share"),
        ("16.percentiles", "zeros-among-the-means"),
        ("16.shared_prefixes", "one-donor"),
    ],
)
def test_a_main_idea_costs_more_than_a_tenth(task: str, mistake: str) -> None:
    exercise = load(task)
    assert isinstance(exercise, Exercise)
    wrong = next(each.answer for each in exercise.misconceptions if each.name == mistake)
    assert grade(exercise, wrong).score < 0.9 * exercise.points


def test_a_quotient_of_float32_is_precise_enough() -> None:
    exercise = load("10.attention_bytes")
    assert isinstance(exercise, Exercise)

    def answer(**inputs: Any) -> Any:
        *counts, intensity = exercise.reference(**inputs)
        return (*counts, torch.tensor(intensity, dtype=torch.float32).item())

    assert grade(exercise, answer).score == exercise.points
