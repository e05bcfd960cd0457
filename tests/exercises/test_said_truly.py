"""Reports that once blamed an answer for a neighbouring mistake."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.ch10.mistakes import attention_bytes_more as attention
from exercise_bank.ch10.mistakes import decode_floor_more as floor
from exercise_bank.ch12.mistakes import bytes_moved_more as tiles
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load

LN2 = math.log(2)


def slip(module: Any, kind: str) -> Callable[..., Any]:
    def answer(*given: Any, **inputs: Any) -> Any:
        return module.slip(kind, *given, **inputs)

    return answer


def from_the_start_and_1(real: Tensor, n: int) -> Tensor:
    """Take the padding at the left off, count it in the middle, and count from 1."""
    first = real.long().argmax(dim=1, keepdim=True)
    found = torch.arange(real.shape[1]) - first + 1
    return found.masked_fill(~real, 0)[:, -n:]


def kept_share_in_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, float]:
    turns = trained / wavelengths
    fast = ((turns - beta_slow) / (beta_fast - beta_slow)).clamp(0, 1)
    old = 1 / wavelengths
    return fast, fast * old + (1 - fast) * old / factor, (0.1 * math.log(factor) + 1) ** 2


@pytest.mark.parametrize(
    ("task", "answer", "never"),
    [
        ("12.backward_by_hand", (13 / 4, 19 / 16, 19 * LN2 / 16), "first key"),
        ("12.backward_by_hand", (13 / 4, 19 / 16, 3 * LN2 / 16), "first key"),
        ("12.backward_by_hand", (13 / 4, 19 / 16, 1.0), "first key"),
        ("10.bound_by", (16.16, 0.3, 127), "doubles the rows"),
        ("10.bound_by", (16.16, 0.3, 120), "doubles the rows"),
        ("16.littles_law", (10.5, 9.5, 9.5 / 12, 2), "Your C subtracts"),
        ("16.littles_law", (10.5, 9, 9.5 / 12, 2), "Your C subtracts"),
        ("16.littles_law", (10.5, 900, 75, 2), "per cent"),
        ("16.littles_law", (10.5, 4, 1 / 3, 2), "Your C divides a time"),
        ("13.positions", from_the_start_and_1, "running sum counts"),
        ("15.yarn_ramp", kept_share_in_turns, "your frequencies follow"),
        ("10.attention_bytes", slip(attention, "keys not read"), "lack the values"),
        ("10.attention_bytes", slip(attention, "outputs of groups"), "reads the queries"),
        ("10.attention_bytes", slip(attention, "one sequence's bytes"), "counts do not depend"),
        ("10.decode_floor", slip(floor, "weights in bits"), "eight times too high"),
        ("10.decode_floor", slip(floor, "weights of two bytes"), "neither on weight_bits"),
        ("12.bytes_moved", slip(tiles, "queries off the chip"), "tile of scores itself"),
    ],
)
def test_nothing_is_said_that_the_answer_does_not_do(task: str, answer: Any, never: str) -> None:
    assert never not in grade(load(task), answer, seed=7).text()


@pytest.mark.parametrize(
    ("task", "rung"),
    [
        ("13.positions", "a prefill of prompts of unequal length"),
        ("13.positions", "steps after such a prefill"),
        ("13.positions", "a second turn, padded once more"),
        ("13.positions", "rows of hundreds of tokens"),
        ("10.critical_batch", "the batch, with several new tokens in a step"),
    ],
)
def test_a_requirement_is_called_what_its_inputs_are(task: str, rung: str) -> None:
    exercise = load(task)
    assert isinstance(exercise, Exercise)
    assert rung not in {each.name for each in exercise.rungs}
